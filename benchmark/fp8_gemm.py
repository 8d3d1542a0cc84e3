#!/usr/bin/env python3
"""FP8 matrix multiplication on Hopper: bsmm against cuBLASLt, bf16 and Triton.

Every contender of a case runs in one process on the same operands. A round
measures all of them once, in an order that changes from round to round:
launches for 25 ms to warm up, then single launches between events, each after
the L2 cache was overwritten; the round's time is their median. The clock follows
the power with some delay: without warming up a contender would run at the clock
of the one before it. A contender's time is
the median of its rounds. The ratio to another one is that of the two times; its
spread (20 % and 80 % of the rounds' own ratios) says how far to trust it.

All kernels of the artifact are measured; the one that counts is what the
documented heuristic selects (docs/selection.md). Each must give every bit of a
result that is exact in all accumulators, twice, before it is measured, and its
errors on random operands are taken against float64 on some of the rows.

Needs torch, the runtime's library (docs/python.md) and an artifact of
build_fp8_gemm.py; --predict needs no GPU and no torch.
"""

import argparse
import json
import math
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))

SCHEMA = "bsmm.fp8_gemm/1"

#: M x K x N: batches of tokens through the two halves of a feed-forward layer,
#: and one large square, which does not count for the summary.
SHAPES = [
    (m, k, n)
    for m in (512, 1152, 2304, 4608)
    for k, n in ((3072, 12288), (12288, 3072))
] + [(8192, 8192, 8192)]
QUICK_SHAPES = [SHAPES[0], SHAPES[3]]

#: Family of the artifact for each kind of scales; "_slow" follows for kernels
#: that move partial sums to f32 registers.
FAMILIES = {"tensor": "fp8_tensor", "rows": "fp8_rows"}

#: What bsmm's kernels are compared with, by accumulation.
REFERENCES = {"fast": "cublaslt fast", "slow": "cublaslt slow"}

# ---------------------------------------------------------------------------
# Without a GPU: arguments, statistics, tables
# ---------------------------------------------------------------------------


def shapes_of(text):
    """"512x3072x12288,..." as M, K, N."""
    shapes = []
    for part in text.split(","):
        numbers = part.strip().lower().split("x")
        if len(numbers) != 3 or not all(each.isdigit() and int(each) for each in numbers):
            raise argparse.ArgumentTypeError(
                f"expected MxKxN, e.g. 512x3072x12288, got {part!r}"
            )
        shapes.append(tuple(map(int, numbers)))
    return shapes


def scalings_of(text):
    scalings = text.split(",")
    for each in scalings:
        if each not in FAMILIES:
            raise argparse.ArgumentTypeError(
                f"expected some of {', '.join(FAMILIES)}, got {each!r}"
            )
    return scalings


def positive(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, got {text!r}")
    return int(text)


def parser():
    result = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("artifact", help="of build_fp8_gemm.py")
    result.add_argument(
        "--shapes", type=shapes_of, help="MxKxN,... (default: the eight and 8192 cubed)"
    )
    result.add_argument(
        "--scalings", type=scalings_of, default=list(FAMILIES), help="tensor,rows"
    )
    result.add_argument(
        "--accumulation", choices=REFERENCES, default="fast",
        help="slow: the families with f32 sums, against use_fast_accum=False",
    )
    result.add_argument("--rounds", type=positive, help="default 9; --quick: 2")
    result.add_argument(
        "--repetitions", type=positive, help="launches of a round, default 50; --quick: 5"
    )
    result.add_argument("--quick", action="store_true", help="two shapes, few launches")
    result.add_argument("--triton", action="store_true", help="Triton's kernel, too")
    result.add_argument("--no-profile", action="store_true", help="no kernel names")
    result.add_argument("--json", metavar="FILE", help="all results")
    result.add_argument("--table", metavar="FILE", help="the printed table")
    result.add_argument("--plot", metavar="FILE", help="needs matplotlib")
    result.add_argument(
        "--predict", action="store_true", help="what would be selected; no GPU needed"
    )
    result.add_argument(
        "--emulator", action="store_true", help="small --shapes on the host, to try it"
    )
    result.add_argument("--sm-count", type=int, default=0, help="for --predict")
    result.add_argument("--seed", type=int, default=0)
    return result


def plan(given):
    """Shapes, rounds, repetitions."""
    return (
        given.shapes or (QUICK_SHAPES if given.quick else SHAPES),
        given.rounds or (2 if given.quick else 9),
        given.repetitions or (5 if given.quick else 50),
    )


def quantile(values, part):
    """Linear between the values on both sides."""
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def ratio_of(times, reference):
    """How many times as fast: median, p20, p80 from the times of each round."""
    each = [theirs / ours for ours, theirs in zip(times, reference)]
    return {
        "median": quantile(reference, 0.5) / quantile(times, 0.5),
        "p20": quantile(each, 0.2),
        "p80": quantile(each, 0.8),
    }


def is_reached(ratio):
    """At least as fast, as far as the spread lets one say."""
    return max(ratio["p80"], ratio["median"]) >= 1.0


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def label(info):
    """A configuration in a few characters: 128x192, 128x192 k/2."""
    text = f"{info.tile[0]}x{info.tile[1]}"
    grid = info.manifest["grid"]
    if info.tile[2] != 128:
        text += f"x{info.tile[2]}"
    if grid["rule"] != "persistent":
        text += " 1 tile"
    if grid.get("split_k", 1) > 1:
        text += f" k/{grid['split_k']}"
    return text


def labels_of(infos):
    """A distinct label for each configuration, by its index."""
    labels, taken = {}, {}
    for info in infos:
        text = label(info)
        taken[text] = taken.get(text, 0) + 1
        labels[info.index] = text if taken[text] == 1 else f"{text} #{taken[text]}"
    return labels


def family_of(artifact, scaling, accumulation="fast"):
    return artifact[FAMILIES[scaling] + ("_slow" if accumulation == "slow" else "")]


def table(rows):
    """Columns as wide as they must be; numbers to the right."""
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for number, row in enumerate(rows):
        cells = [
            str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join(lines)


def prediction_table(artifact, shapes, scalings, accumulation="fast", sm_count=0):
    """What is selected for each case, and the predicted cycles of all."""
    blocks = []
    for scaling in scalings:
        kernel = family_of(artifact, scaling, accumulation)
        labels = labels_of(kernel.infos)
        rows = [[scaling, *labels.values(), "selected"]]
        for m, k, n in shapes:
            cycles = []
            for info in kernel.infos:
                found = kernel.predict(info.index, m, n, k, sm_count=sm_count)
                cycles.append(f"{found.cycles:.0f}" if found else "-")
            chosen = kernel.select(m, n, k, sm_count=sm_count)
            rows.append([f"{m}x{k}x{n}", *cycles, labels[chosen.index]])
        blocks.append(table(rows))
    return "\n\n".join(blocks)


def teraflops(case, milliseconds):
    return 2.0 * case["m"] * case["k"] * case["n"] / milliseconds / 1e9


def finish_case(case):
    """Medians, ratios and the best from the times of the rounds."""
    contenders = case["contenders"]
    for contender in contenders.values():
        if contender.get("ms"):
            contender["median_ms"] = quantile(contender["ms"], 0.5)
            contender["tflops"] = teraflops(case, contender["median_ms"])
    reference = contenders.get(case["reference"], {}).get("ms")
    for contender in contenders.values():
        if reference and contender.get("ms"):
            contender["ratio"] = ratio_of(contender["ms"], reference)
    ours = {
        name: each
        for name, each in contenders.items()
        if each["kind"] == "bsmm" and each.get("ms") and each.get("verified")
    }
    case["best"] = max(ours, key=lambda name: ours[name]["tflops"]) if ours else None
    selected = contenders.get(case.get("selected") or "", {})
    case["reached"] = bool(
        selected.get("verified") and "ratio" in selected and is_reached(selected["ratio"])
    )
    others = [
        contenders[name]
        for name in (case["reference"], "triton")
        if "tflops" in contenders.get(name, {})
    ]
    if others and "tflops" in selected:
        best = max(others, key=lambda other: other["tflops"])
        case["ratio_to_best_other"] = ratio_of(selected["ms"], best["ms"])
        case["reached_best_other"] = bool(
            selected.get("verified") and is_reached(case["ratio_to_best_other"])
        )
    return case


def summarize(cases):
    """Geometric means over the cases that count: all but the square."""
    counted = [
        case
        for case in cases
        if case["m"] != case["n"]
        and "ratio" in case["contenders"].get(case.get("selected") or "", {})
    ]
    result = {"cases": len(counted)}
    if counted:
        result["reference"] = counted[0]["reference"]
    if not counted:
        return result

    def mean_of(name_of):
        ratios = [
            case["contenders"][name_of(case)]["ratio"]["median"]
            for case in counted
            if name_of(case) and "ratio" in case["contenders"].get(name_of(case), {})
        ]
        return geometric_mean(ratios) if len(ratios) == len(counted) else None

    result["reached"] = sum(case["reached"] for case in counted)
    result["selected"] = mean_of(lambda case: case["selected"])
    result["best_kernel"] = mean_of(lambda case: case["best"])
    for name in ("bf16 mm", "cublaslt fast", "cublaslt slow", "triton"):
        if name == result["reference"]:
            continue
        mean = mean_of(lambda case, name=name: name)
        if mean is not None:
            result[name.replace(" ", "_")] = mean
    compared = [case for case in counted if "ratio_to_best_other" in case]
    if compared:
        medians = [case["ratio_to_best_other"]["median"] for case in compared]
        result["selected_to_best_other"] = geometric_mean(medians)
        result["not_below_best_other"] = sum(each >= 1.0 for each in medians)
        result["reached_best_other"] = sum(
            case["reached_best_other"] for case in compared
        )
    return result


def result_table(results):
    """The text: TFLOP/s of every contender, the ratio of the selected kernel."""
    blocks = []
    for scaling in dict.fromkeys(case["scaling"] for case in results["cases"]):
        cases = [case for case in results["cases"] if case["scaling"] == scaling]
        names = list(dict.fromkeys(name for case in cases for name in case["contenders"]))
        rows = [[f"{scaling}: MxKxN", *names, "selected", "ratio", "p20..p80", "of best"]]
        for case in cases:
            row = [f"{case['m']}x{case['k']}x{case['n']}"]
            for name in names:
                contender = case["contenders"].get(name, {})
                text = f"{contender['tflops']:.0f}" if "tflops" in contender else "-"
                if contender.get("verified") is False:
                    text += "!"
                row.append(text)
            selected = case["contenders"].get(case.get("selected") or "", {})
            ratio = selected.get("ratio")
            row.append(case.get("selected") or "-")
            if ratio:
                row.append(f"{ratio['median']:.3f}{'' if case['reached'] else ' <'}")
                row.append(f"{ratio['p20']:.3f}..{ratio['p80']:.3f}")
            else:
                row += ["-", "-"]
            best = case["contenders"].get(case.get("best") or "", {})
            if "tflops" in best and "tflops" in selected:
                row.append(f"{selected['tflops'] / best['tflops']:.3f}")
            else:
                row.append("-")
            rows.append(row)
        blocks.append(table(rows))
    blocks.append(error_table(results))
    blocks.append(summary_text(results["summary"]))
    return "\n\n".join(block for block in blocks if block)


def error_table(results):
    """Errors of the vendor's and of the selected kernel."""
    rows = [["errors", "contender", "absmax", "mae", "mse", "cosine", "bits"]]
    for case in results["cases"]:
        shape = f"{case['scaling']} {case['m']}x{case['k']}x{case['n']}"
        for name, contender in case["contenders"].items():
            if name != case.get("selected") and contender["kind"] == "bsmm":
                continue
            errors = contender.get("errors")
            if not errors:
                continue
            verified = contender.get("verified")
            rows.append(
                [shape, name]
                + [f"{errors[key]:.3g}" for key in ("absmax", "mae", "mse")]
                + [f"{errors['cosine']:.8f}"]
                + ["-" if verified is None else "exact" if verified else "WRONG"]
            )
    return table(rows) if len(rows) > 1 else ""


def summary_text(summary):
    if not summary.get("cases"):
        return "no case with a ratio"
    reference = summary["reference"]
    lines = [f"geometric means over {summary['cases']} cases, times {reference}:"]
    names = {
        "selected": "bsmm, selected kernel",
        "best_kernel": "bsmm, fastest kernel of each case",
        "bf16_mm": "bf16 mm",
        "cublaslt_fast": "cublaslt fast",
        "cublaslt_slow": "cublaslt slow",
        "triton": "triton",
    }
    for key, text in names.items():
        if summary.get(key) is not None:
            lines.append(f"  {text}: {summary[key]:.3f}")
    lines.append(f"at least 1.0 within the spread: {summary['reached']} of {summary['cases']}")
    if "selected_to_best_other" in summary:
        others = reference + (" and triton" if "triton" in summary else "")
        lines.append(
            f"selected kernel against the better of {others}: "
            f"{summary['selected_to_best_other']:.3f}, at least 1.0 within the "
            f"spread: {summary['reached_best_other']}, not below in "
            f"{summary['not_below_best_other']}"
        )
    return "\n".join(lines)


def plot(results, path):
    """Bars of TFLOP/s. False, with a notice, without matplotlib."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no plot: matplotlib is not installed")
        return False
    scalings = list(dict.fromkeys(case["scaling"] for case in results["cases"]))
    figure, axes = pyplot.subplots(
        len(scalings), 1, figsize=(12, 4 * len(scalings)), squeeze=False
    )
    for axis, scaling in zip(axes[:, 0], scalings):
        cases = [case for case in results["cases"] if case["scaling"] == scaling]
        bars = ["bf16 mm", "cublaslt slow", "cublaslt fast", "triton", "bsmm"]
        for number, name in enumerate(bars):
            heights = [
                case["contenders"]
                .get(case["selected"] if name == "bsmm" else name, {})
                .get("tflops", 0)
                for case in cases
            ]
            if any(heights):
                places = [place + 0.16 * (number - 2) for place in range(len(cases))]
                axis.bar(places, heights, 0.16, label=name)
        axis.set_xticks(range(len(cases)))
        axis.set_xticklabels(
            [f"{case['m']}x{case['k']}x{case['n']}" for case in cases], rotation=15
        )
        axis.set_ylabel("TFLOP/s")
        axis.set_title(f"FP8, scales: {scaling}, {results['device']['name']}")
        axis.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    return True


def write_text(path, text):
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


# ---------------------------------------------------------------------------
# On the GPU
# ---------------------------------------------------------------------------


class Gpu:
    """Where the cases run, and how launches are timed there."""

    name = "cuda"

    def __init__(self, torch):
        self.torch = torch
        properties = torch.cuda.get_device_properties(0)
        self.sm_count = properties.multi_processor_count
        size = max(256 << 20, 4 * properties.L2_cache_size)
        self.cache = torch.empty(size, dtype=torch.int8, device="cuda")

    def synchronize(self):
        self.torch.cuda.synchronize()

    def median(self, launch, repetitions, warmup=25):
        """Milliseconds of a launch that finds an L2 cache of other things, after
        `warmup` milliseconds of such launches."""
        torch = self.torch
        events = [
            [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            for _ in range(repetitions)
        ]
        # The first launch may have to wait for memory or for its code.
        for _ in range(2):
            begin, end = events[0]
            begin.record()
            self.cache.zero_()
            launch()
            end.record()
            torch.cuda.synchronize()
        for _ in range(math.ceil(warmup / begin.elapsed_time(end))):
            self.cache.zero_()
            launch()
        for begin, end in events:
            # While this runs, the host gets ahead: the launch waits in the
            # stream when the first event is reached.
            self.cache.zero_()
            begin.record()
            launch()
            end.record()
        torch.cuda.synchronize()
        return quantile([begin.elapsed_time(end) for begin, end in events], 0.5)

    def describe(self):
        torch = self.torch
        versions = {"torch": torch.__version__, "cuda": torch.version.cuda}
        try:
            import triton

            versions["triton"] = triton.__version__
        except ImportError:
            pass
        name = torch.cuda.get_device_properties(0).name
        return {"name": name, "sm_count": self.sm_count, "versions": versions}


class Emulator:
    """The same on the host, to try the program out. Its times mean nothing."""

    name = "cpu"
    sm_count = 4

    def __init__(self, torch):
        self.torch = torch

    def synchronize(self):
        pass

    def median(self, launch, repetitions, warmup=0):
        times = []
        for _ in range(repetitions):
            began = time.perf_counter()
            launch()
            times.append((time.perf_counter() - began) * 1e3)
        return quantile(times, 0.5)

    def describe(self):
        versions = {"torch": self.torch.__version__}
        return {"name": "emulator", "sm_count": self.sm_count, "versions": versions}


class Case:
    """Operands of one case and what runs on them."""

    def __init__(self, machine, artifact, scaling, accumulation, shape, seed):
        self.machine = machine
        self.torch = torch = machine.torch
        self.kernel = family_of(artifact, scaling, accumulation)
        self.labels = labels_of(self.kernel.infos)
        self.scaling = scaling
        self.shape = shape
        m, k, n = shape
        device = torch.device(machine.name)
        random = torch.Generator(device).manual_seed(seed)

        def fp8(rows):
            values = torch.randn(rows, k, generator=random, device=device)
            return values.to(torch.float8_e4m3fn)

        def scales(count):
            return torch.rand(count, generator=random, device=device) + 0.5

        self.a, self.b = fp8(m), fp8(n)
        rows = scaling == "rows"
        self.sa, self.sb = scales(m if rows else 1), scales(n if rows else 1)
        # Row 0, the last one, and some between.
        count = min(m, 64)
        step = max(1, (m - 1) // max(1, count - 1))
        self.rows = torch.arange(0, m, step, device=device)[:count]
        self.rows[-1] = m - 1
        sampled = self.a.view(torch.uint8)[self.rows].view(self.a.dtype)
        exact = sampled.double() @ self.b.double().t()
        self.expected = exact * (
            self.sa.double()[self.rows, None] if rows else self.sa.double()
        )
        self.expected *= self.sb.double()
        self.results = {
            "m": m,
            "k": k,
            "n": n,
            "scaling": scaling,
            "reference": REFERENCES[accumulation],
            "selected": None,
            "contenders": {},
        }

    def new_output(self):
        return self.torch.empty(
            self.shape[0],
            self.shape[2],
            dtype=self.torch.bfloat16,
            device=self.machine.name,
        )

    def others(self, with_triton):
        """Launches of the other libraries by name."""
        torch = self.torch
        launches = {}
        a16 = self.a.to(torch.bfloat16)
        b16 = self.b.to(torch.bfloat16).t()
        out16 = self.new_output()
        launches["bf16 mm"] = lambda: torch.mm(a16, b16, out=out16)
        rows = self.scaling == "rows"
        scale_a = self.sa[:, None] if rows else self.sa
        scale_b = self.sb[None, :] if rows else self.sb
        for name, fast in (("cublaslt fast", True), ("cublaslt slow", False)):
            launches[name] = lambda fast=fast: torch._scaled_mm(
                self.a, self.b.t(), scale_a, scale_b,
                out_dtype=torch.bfloat16, use_fast_accum=fast,
            )
        if with_triton:
            try:
                launches["triton"] = triton_launch(self)
            except Exception as error:  # of a compiler that is not ours
                self.note("triton", "triton", f"{type(error).__name__}: {error}")
        kinds = {"bf16 mm": "bf16", "triton": "triton"}
        for name in launches:
            self.results["contenders"].setdefault(
                name, {"kind": kinds.get(name, "vendor")}
            )
        return launches

    def contenders(self, with_triton):
        """Launches by name; what cannot run is noted and left out."""
        launches = self.others(with_triton)
        for info in self.kernel.infos:
            name = "bsmm " + self.labels[info.index]
            out = self.new_output()
            try:
                bound = self.kernel.bind(
                    self.a, self.b, sa=self.sa, sb=self.sb, out=out, index=info.index
                )
            except (ValueError, TypeError) as error:
                self.note(name, "bsmm", str(error))
                continue

            def launch(bound=bound, out=out):
                bound()
                return out

            launches[name] = launch
            self.results["contenders"][name] = {
                "kind": "bsmm",
                "index": info.index,
                "configuration": info.manifest.get("configuration", {}),
                "verified": self.verify(info),
            }
        m, k, n = self.shape
        chosen = self.kernel.select(
            m, n, k, target="sm_90a", sm_count=self.machine.sm_count
        )
        self.results["selected"] = "bsmm " + self.labels[chosen.index]
        return {name: launch for name, launch in launches.items() if self.runs(name, launch)}

    def note(self, name, kind, text):
        self.results["contenders"][name] = {"kind": kind, "error": text.strip()[:400]}

    def verify(self, info):
        """Every bit of an exact result, twice, over poison."""
        from bsmm import tune

        m, k, n = self.shape
        arrays = tune._Torch(self.machine.name)
        operands = tune.make_operands(info, (m, n, k, 1), arrays)
        out = self.new_output()
        launch = self.kernel.bind(
            *operands.positional, out=out, index=info.index, **operands.options
        )
        right = True
        for _ in range(2):
            arrays.poison(out)
            launch()
            self.machine.synchronize()
            right = right and arrays.same(out, operands.expected, info.out)
        return right

    def runs(self, name, launch):
        """Runs it once for its errors against float64."""
        torch = self.torch
        contender = self.results["contenders"][name]
        try:
            out = launch()
            self.machine.synchronize()
        except RuntimeError as error:
            # E.g. a mode that the library refuses for these scales.
            contender["error"] = str(error).strip()[:400]
            return False
        if name == "bf16 mm":
            return True  # of unscaled operands: not the same product
        found = out[self.rows].double()
        difference = found - self.expected
        contender["errors"] = {
            "absmax": difference.abs().max().item(),
            "mae": difference.abs().mean().item(),
            "mse": difference.square().mean().item(),
            "cosine": torch.nn.functional.cosine_similarity(
                found.flatten(), self.expected.flatten(), dim=0
            ).item(),
            "expected_absmax": self.expected.abs().max().item(),
        }
        return True


def kernel_names(torch, launch):
    """Names of the GPU's kernels in one launch, from the profiler."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiler:
        launch()
        torch.cuda.synchronize()
    names = []
    for event in profiler.events():
        if str(event.device_type).endswith("CUDA"):
            if event.name not in names and "Memset" not in event.name:
                names.append(event.name)
    return names


def name_kernels(machine, artifact, given, with_triton, results):
    """Notes what the others ran. After all measurements: a profiler that has
    been there once may make launches slower."""
    for found in results["cases"]:
        shape = found["m"], found["k"], found["n"]
        case = Case(
            machine, artifact, found["scaling"], given.accumulation, shape, given.seed
        )
        for name, launch in case.others(with_triton).items():
            contender = found["contenders"][name]
            if "error" in contender:
                continue
            try:
                launch()
                contender["kernels"] = kernel_names(machine.torch, launch)
            except RuntimeError as error:
                contender["kernels"] = [f"unknown: {error}"[:200]]
    if given.json:
        write_text(given.json, json.dumps(results, indent=1))


def measure_case(case, rounds, repetitions, with_triton):
    launches = case.contenders(with_triton)
    contenders = case.results["contenders"]
    names = list(launches)
    for name in names:
        contenders[name]["ms"] = []
    for number in range(rounds):
        first = number * 3 % len(names)
        order = names[first:] + names[:first]
        for name in order if number % 2 == 0 else reversed(order):
            contenders[name]["ms"].append(
                case.machine.median(launches[name], repetitions)
            )
    return finish_case(case.results)


def triton_launch(case):
    """Triton's fastest kernel for the case, as fp8_gemm_triton.py has it."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import fp8_gemm_triton

    out = case.new_output()
    return fp8_gemm_triton.best_launch(
        case.a, case.b, case.sa, case.sb, out, case.machine
    )


def measure(given):
    import torch

    import bsmm

    if not given.emulator and not torch.cuda.is_available():
        print("expected a GPU; --predict needs none", file=sys.stderr)
        return 1
    machine = Emulator(torch) if given.emulator else Gpu(torch)
    artifact = bsmm.load(given.artifact)
    shapes, rounds, repetitions = plan(given)
    with_triton = given.triton and given.accumulation == "fast"
    if given.triton and not with_triton:
        print("no triton: its kernel here has no f32 sums")
    results = {
        "schema": SCHEMA,
        "device": machine.describe(),
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "accumulation": given.accumulation,
        "rounds": rounds,
        "repetitions": repetitions,
        "cases": [],
    }
    for scaling in given.scalings:
        for shape in shapes:
            began = time.monotonic()
            case = Case(
                machine, artifact, scaling, given.accumulation, shape, given.seed
            )
            results["cases"].append(
                measure_case(case, rounds, repetitions, with_triton)
            )
            del case
            if not given.emulator:
                torch.cuda.empty_cache()
            results["summary"] = summarize(results["cases"])
            # After each case: what is measured is not lost.
            if given.json:
                write_text(given.json, json.dumps(results, indent=1))
            done = results["cases"][-1]
            ratio = done["contenders"].get(done["selected"], {}).get("ratio", {})
            print(
                f"{scaling} {'x'.join(map(str, shape))}: {done['selected']} "
                f"{ratio.get('median', float('nan')):.3f} of {done['reference']}, "
                f"{time.monotonic() - began:.1f} s",
                flush=True,
            )
    if not given.no_profile and not given.emulator:
        name_kernels(machine, artifact, given, with_triton, results)
    text = result_table(results)
    print("\n" + text)
    print_notes(results)
    if given.table:
        write_text(given.table, text)
    if given.plot:
        plot(results, given.plot)
    wrong = [
        name
        for case in results["cases"]
        for name, each in case["contenders"].items()
        if each.get("verified") is False
    ]
    return 1 if wrong else 0


def print_notes(results):
    """Kernels of the others, and what could not run."""
    kernels, errors = {}, {}
    for case in results["cases"]:
        shape = f"{case['scaling']} {case['m']}x{case['k']}x{case['n']}"
        for name, contender in case["contenders"].items():
            for kernel in contender.get("kernels", []):
                kernels.setdefault((name, kernel), []).append(shape)
            if "error" in contender:
                reason = contender["error"].splitlines()[0]
                errors.setdefault((shape, reason), []).append(name)
    for (name, kernel), shapes in kernels.items():
        print(f"{name} ran {kernel} in {', '.join(shapes)}")
    for (shape, reason), names in errors.items():
        print(f"{shape}: {', '.join(names)} did not run: {reason}")


def main(arguments=None):
    given = parser().parse_args(arguments)
    if not given.predict:
        return measure(given)
    import bsmm

    text = prediction_table(
        bsmm.load(given.artifact),
        plan(given)[0],
        given.scalings,
        given.accumulation,
        given.sm_count,
    )
    print(text)
    if given.table:
        write_text(given.table, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Dependent launches on a GPU: are they right, and what do they save?

    dependent_launch.py build -o FILE [--tools DIR] [--ptxas PROGRAM]
    dependent_launch.py run FILE [--json FILE]

`build` needs bsmm-opt and bsmm-translate, no GPU, and makes an artifact with
each kernel in three forms: "plain"; "dependent", compiled with
dependent-launch=true, whose launches may begin while the one before them runs;
and "broken", the dependent form without its griddepcontrol.wait, which shows
that the check below would notice.

`run` needs torch, an sm_90 GPU and the runtime's library (docs/python.md).
*Right*: a chain D1 = A W1, D2 = D1 W2 is launched over and over with other A into
the same D1, so that each launch reads what the one before it wrote, and
overwrites what the one before that read. All sums are small integers, so that
every bit is known. *Saved*: the chain's time for each launch between two events,
enqueued behind a kernel that keeps the GPU busy meanwhile; medians of rounds that
measure the forms in turn.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "benchmark"))

FORMS = ("plain", "dependent", "broken")

#: Options of bsmm-problem-to-tile by name: a CTA that leaves room for one of the
#: next launch on its SM, and one that does not.
CONFIGURATIONS = {
    "small": "block-m=64 block-n=64 block-k=64 stages=4 persistent=false",
    "large": "block-m=128 block-n=128 block-k=64 group=8",
    "split": "block-m=128 block-n=128 block-k=64 persistent=false split-k=2",
}

#: Rows, and columns of all matrices.
SHAPES = [(128, 1024), (128, 2048), (512, 2048), (1024, 4096)]

WAIT = "griddepcontrol.wait;"


def build_all(given):
    from bsmm import tune

    from build_fp8_gemm import assemble

    import bsmm

    if given.tools:
        path = os.environ.get("PATH", "")
        os.environ["PATH"] = os.path.abspath(given.tools) + os.pathsep + path
    ptxas = shutil.which(given.ptxas) if given.ptxas else None
    if not ptxas:
        print("ptxas was not found: the driver will assemble the kernels")
    source = os.path.join(ROOT, "benchmark", "dependent_launch.mlir")
    kernels = []
    for name, options in CONFIGURATIONS.items():
        for form in FORMS:
            dependent = "" if form == "plain" else " dependent-launch=true"
            with tempfile.TemporaryDirectory() as folder:
                manifest, ptx, reason = tune.compile_one(
                    source, options + dependent, folder
                )
                if manifest is None:
                    print(f"{name}, {form}: {reason}", file=sys.stderr)
                    return 1
                if ptx.count(WAIT) != (form != "plain"):
                    print(
                        f"{name}, {form}: expected {int(form != 'plain')} {WAIT} in "
                        f"the PTX, got {ptx.count(WAIT)}",
                        file=sys.stderr,
                    )
                    return 1
                if form == "broken":
                    ptx = ptx.replace(WAIT, "")
                kernel = {"name": f"{name}_{form}", "manifest": manifest, "ptx": ptx}
                if ptxas:
                    kernel["cubin"], notes = assemble(ptx, "sm_90a", ptxas, folder)
                    for note in notes:
                        print(f"{name}_{form}: ptxas: {note}")
                kernels.append(kernel)
    bsmm.write_artifact(given.output, kernels)
    print(f"{len(kernels)} kernels: {given.output}")
    return 0


def sparse(torch, generator, rows, columns):
    """Mostly zeros, some 1 and -1: sums of products stay small integers."""
    values = torch.randint(-8, 9, (rows, columns), generator=generator, device="cuda")
    return (values == 8).to(torch.bfloat16) - (values == -8).to(torch.bfloat16)


class Chain:
    """Launches of D1 = A W1 and D2 = D1 W2 for several A, into one D1."""

    def __init__(self, torch, kernel, rows, columns, inputs, seed):
        generator = torch.Generator(device="cuda").manual_seed(seed)
        self.first = [sparse(torch, generator, rows, columns) for _ in range(inputs)]
        self.w1 = sparse(torch, generator, columns, columns)
        self.w2 = sparse(torch, generator, columns, columns)
        self.d1 = torch.full((rows, columns), float("nan"), device="cuda",
                             dtype=torch.bfloat16)
        self.d2 = [torch.full_like(self.d1, float("nan")) for _ in range(inputs)]
        self.exact = []
        for a in self.first:
            # Exact in f64; integers up to 256 are exact in bf16.
            d1 = a.double() @ self.w1.double().T
            if d1.abs().max() > 256:
                raise RuntimeError("sums that bf16 does not hold: fewer columns")
            self.exact.append((d1 @ self.w2.double().T).to(torch.bfloat16))
        self.launches = []
        for a, d2 in zip(self.first, self.d2):
            self.launches.append(kernel.bind(a, self.w1, out=self.d1))
            self.launches.append(kernel.bind(self.d1, self.w2, out=d2))

    def run(self):
        for launch in self.launches:
            launch()

    def wrong(self, torch):
        """How many of the results have a wrong element."""
        return sum(not torch.equal(*pair) for pair in zip(self.exact, self.d2))


def measure(torch, chain, repetitions):
    """Microseconds for each launch."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    # About 20 ms: longer than the host takes to enqueue all.
    torch.cuda._sleep(40_000_000)
    start.record()
    for _ in range(repetitions):
        chain.run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1000 / (repetitions * len(chain.launches))


def run_all(given):
    import torch

    import bsmm

    artifact = bsmm.load(given.artifact)
    rounds, inputs, repetitions = (2, 4, 2) if given.quick else (9, 16, 6)
    shapes = SHAPES[:2] if given.quick else SHAPES
    results, failed = [], False
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    print(f"{'kernel':8} {'rows':>6} {'columns':>8} {'plain us':>9} {'dependent':>10} "
          f"{'saved us':>9}  wrong of {inputs * rounds}: plain, dependent, broken")
    for name in CONFIGURATIONS:
        for rows, columns in shapes:
            chains = {
                form: Chain(torch, artifact[f"{name}_{form}"], rows, columns, inputs, 7)
                for form in FORMS
            }
            times = {form: [] for form in FORMS}
            wrong = dict.fromkeys(FORMS, 0)
            for number in range(rounds):
                order = FORMS if number % 2 else FORMS[::-1]
                for form in order:
                    chain = chains[form]
                    for d2 in chain.d2:
                        d2.fill_(float("nan"))
                    chain.run()
                    torch.cuda.synchronize()
                    wrong[form] += chain.wrong(torch)
                    times[form].append(measure(torch, chain, repetitions))
            middle = {form: statistics.median(times[form]) for form in FORMS}
            failed |= wrong["plain"] > 0 or wrong["dependent"] > 0
            saved = middle["plain"] - middle["dependent"]
            print(f"{name:8} {rows:6} {columns:8} {middle['plain']:9.2f} "
                  f"{middle['dependent']:10.2f} {saved:9.2f}  "
                  + ", ".join(str(wrong[form]) for form in FORMS), flush=True)
            results.append({
                "kernel": name, "rows": rows, "columns": columns,
                "microseconds": times, "wrong": wrong,
                "of": inputs * rounds,
            })
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"schema": "bsmm.dependent_launch/1",
                       "device": torch.cuda.get_device_name(),
                       "results": results}, file, indent=1)
    print("FAILED: wrong results" if failed else "all results of plain and "
          "dependent launches are right")
    return int(failed)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="make the artifact")
    build.add_argument("-o", "--output", required=True)
    build.add_argument("--tools", help="folder of bsmm-opt and bsmm-translate")
    build.add_argument("--ptxas", default="ptxas", help="program, or '' for none")
    run = commands.add_parser("run", help="check and measure on a GPU")
    run.add_argument("artifact")
    run.add_argument("--json", metavar="FILE")
    run.add_argument("--quick", action="store_true", help="two shapes, few launches")
    given = parser.parse_args(arguments)
    return build_all(given) if given.command == "build" else run_all(given)


if __name__ == "__main__":
    sys.exit(main())

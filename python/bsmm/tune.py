"""bsmm-tune: finds the fastest configuration of a kernel for a shape.

``compile`` makes an artifact of many configurations of one problem; it needs
bsmm-opt and bsmm-translate, and no GPU. ``measure`` tries those of an artifact
on the GPU, and needs no compiler: each one is verified before it may win, and
the times are kept in a cache by kernel, shape, GPU and version. Calls of the
kernel use what the cache knows. ``show`` prints the cache.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import hashlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, NamedTuple, Optional

from . import _abi, _arrays, _numbers
from ._errors import Error, InvalidArgument, OutOfMemory
from ._library import check, library
from ._runtime import (
    Artifact,
    Device,
    Kernel,
    KernelInfo,
    _device_of,
    _sizes_alone,
    load,
    write_artifact,
)

CACHE_SCHEMA = "bsmm.tune/1"


def cache_path() -> str:
    """File of the cache: BSMM_TUNE_CACHE, or a file of the user."""
    chosen = os.environ.get("BSMM_TUNE_CACHE")
    if chosen is not None:
        return chosen
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(home, "bsmm", "tune.json")


def kernel_digest(info: KernelInfo) -> str:
    """Identity of one configuration: everything that its manifest says."""
    text = json.dumps(info.manifest, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def cache_key(kernel: Kernel, sizes: tuple, device_name: str) -> str:
    """Kernel, shape, GPU and version. A changed family is another kernel."""
    family = hashlib.sha256(
        "".join(kernel_digest(info) for info in kernel.infos).encode()
    ).hexdigest()[:16]
    version = library().bsmm_runtime_version()
    shape = "x".join(map(str, sizes))
    return f"{kernel.name}:{family}|{shape}|{device_name}|{version}"


def read_cache(path: Optional[str] = None) -> dict:
    """Entries by key; none when there is no file, or it is of another version."""
    path = cache_path() if path is None else path
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict) or content.get("schema") != CACHE_SCHEMA:
        return {}
    entries = content.get("entries")
    if not isinstance(entries, dict):
        return {}
    return {key: entry for key, entry in entries.items() if isinstance(entry, dict)}


def _results_of(entry: dict) -> list:
    """The results of an entry, without what is none."""
    results = []
    saved = entry.get("results")
    for each in saved if isinstance(saved, list) else []:
        try:
            result = Result(**each)
        except TypeError:
            continue
        times = (result.median, result.p20, result.p80)
        if all(isinstance(time, (int, float)) for time in times):
            results.append(result)
    return results


@contextlib.contextmanager
def _alone(path: str) -> Any:
    """Keeps other processes from writing the cache, where the system can."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with open(path + ".lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write_entry(key: str, entry: dict, path: Optional[str] = None) -> None:
    """Puts one entry into the cache, in one step for readers."""
    path = cache_path() if path is None else path
    if not path:
        return
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    with _alone(path):
        entries = read_cache(path)
        entries[key] = entry
        handle, name = tempfile.mkstemp(dir=folder, prefix=".tune-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"schema": CACHE_SCHEMA, "entries": entries}, file, indent=1)
        os.replace(name, path)


def _same_numerics(info: KernelInfo, other: KernelInfo) -> bool:
    return info.target == other.target and info.manifest.get(
        "numerics"
    ) == other.manifest.get("numerics")


def tuned_index(
    kernel: Kernel, sizes: tuple, device_name: str, like: KernelInfo
) -> Optional[int]:
    """The fastest configuration with the target and numerics of `like` that the
    cache knows for a call; None: it knows none."""
    entry = read_cache().get(cache_key(kernel, sizes, device_name))
    digests = {
        kernel_digest(info): info.index
        for info in kernel.infos
        if _same_numerics(info, like)
    }
    if not isinstance(entry, dict):
        return None
    if entry.get("best") in digests:
        return digests[entry["best"]]
    known = [
        result
        for result in _results_of(entry)
        if result.status == "measured" and result.digest in digests
    ]
    best = min(known, key=lambda result: result.median, default=None)
    return digests[best.digest] if best else None


# ---------------------------------------------------------------------------
# Compiling a family
# ---------------------------------------------------------------------------


class Configuration(NamedTuple):
    """Options of bsmm-problem-to-tile."""

    block_m: int
    block_n: int
    block_k: int
    stages: int
    ping_pong: int = 0
    cluster_m: int = 1
    specialize: str = "default"
    flatten: int = 0
    tile_stages: int = 0
    epilogue_warps: int = 4

    def options(self) -> str:
        """Without what is the default anyway."""
        return " ".join(
            f"{name.replace('_', '-')}={value}"
            for name, value in self._asdict().items()
            if value != self._field_defaults.get(name)
        )


def least_shared_bytes(configuration: Configuration, manifest: dict) -> int:
    """Shared memory that the stages alone need: operands and block scales."""
    problem = manifest["problem"]
    m, n, k, stages = configuration[:4]
    bits = _abi.ELEMENT_BITS
    one = (m * k * bits[problem["a"]] + n * k * bits[problem["b"]]) // 8
    vector = problem.get("scale_vector", 0)
    if vector:
        tiles = -(-m // 128) + -(-n // 128)
        one += tiles * -(-k // (4 * vector)) * 512
    return max(stages, 1) * one


def accumulator_registers(configuration: Configuration) -> int:
    """Registers of a thread that hold a tile of f32 sums on Hopper, where one or
    two warpgroups share the rows; with ping-pong each has a tile of its own."""
    m, n = configuration[:2]
    shared = m >= 128 and not configuration.ping_pong
    return m * n // (256 if shared else 128)


def tensor_memory_columns(configuration: Configuration, manifest: dict) -> int:
    """Columns of tensor memory that a kernel needs on Blackwell at least: the
    sums of a tile, or of as many as take turns where these are more than two,
    which may share columns; and four for each 128x4 tile of block scales of a
    step (PTX ISA, tcgen05.cp 32x128b)."""
    m, n, k = configuration[:3]
    columns = n * -(-m // 128)
    if configuration.tile_stages > 2:
        columns *= configuration.tile_stages
    vector = manifest["problem"].get("scale_vector", 0)
    if vector:
        columns += 4 * (-(-m // 128) + -(-n // 128)) * -(-k // (4 * vector))
    return columns


#: What wgmma kernels keep for sums of the 255 registers that a thread has; the
#: rest are addresses, barriers and the epilogue's.
ACCUMULATOR_REGISTERS = 192

#: PTX ISA, tensor memory.
TENSOR_MEMORY_COLUMNS = 512

#: Opt-in shared memory of a CTA (CUDA programming guide, technical
#: specifications): 227 KiB on sm_90 and sm_100, 99 KiB on sm_120.
SHARED_LIMITS = {"sm_90": 232448, "sm_10": 232448, "sm_11": 232448, "sm_12": 101376}


def why_illegal(configuration: Configuration, manifest: dict) -> str:
    """Why a configuration need not be compiled; empty when it may be legal."""
    m, n, k, stages = configuration[:4]
    vector = manifest["problem"].get("scale_vector", 0)
    if min(m, n, k) < 1 or stages < 0:
        return "expected positive tiles, and 0 or more stages"
    if vector and k % (4 * vector):
        return f"block-k={k} is not whole scale tiles of {4 * vector} values"
    if n > 256 or n % 8:
        return f"block-n={n}: the instruction takes multiples of 8 up to 256"
    target = manifest["target"][:5]
    if target != "sm_90" and configuration.ping_pong:
        return "ping-pong is a form of kernels for sm_90a"
    if target not in ("sm_90", "sm_10") and configuration.cluster_m != 1:
        return "cluster-m is a form of kernels for sm_90a and sm_100a"
    if target == "sm_90" and configuration[6:] != Configuration(m, n, k, stages)[6:]:
        return (
            "specialize, flatten, tile-stages and epilogue-warps are forms of kernels "
            "with tensor memory"
        )
    registers = accumulator_registers(configuration)
    if target == "sm_90" and registers > ACCUMULATOR_REGISTERS:
        return f"{registers} registers of sums a thread, of {ACCUMULATOR_REGISTERS}"
    columns = tensor_memory_columns(configuration, manifest)
    if target in ("sm_10", "sm_11") and columns > TENSOR_MEMORY_COLUMNS:
        return f"{columns} columns of tensor memory, of {TENSOR_MEMORY_COLUMNS}"
    limit = SHARED_LIMITS.get(target)
    least = least_shared_bytes(configuration, manifest)
    if limit and least > limit:
        return f"{least} bytes of shared memory, of {limit}"
    return ""


def _run_tool(command: list, folder: str) -> str:
    """Runs a program; its error as text, empty when it went well."""
    try:
        result = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    except OSError as error:
        return f"{command[0]}: {error}"
    if result.returncode == 0:
        return ""
    errors = [line for line in result.stdout.splitlines() if "error:" in line]
    return (errors or result.stdout.splitlines() or ["it failed"])[0].split("error: ")[-1]


def compile_one(source: str, options: str, folder: str) -> tuple:
    """(manifest text, PTX, "") of one configuration, or (None, None, reason)."""
    os.makedirs(folder, exist_ok=True)
    for command in (
        ["bsmm-opt", f"--bsmm-problem-to-tile={options}", "--canonicalize", source]
        + ["-o", "kernel.mlir"],
        ["bsmm-translate", "--bsmm-to-manifest", "kernel.mlir", "-o", "manifest.json"],
        ["bsmm-translate", "--bsmm-to-ptx", "kernel.mlir", "-o", "kernel.ptx"],
    ):
        reason = _run_tool(command, folder)
        if reason:
            return None, None, reason
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = file.read()
    with open(os.path.join(folder, "kernel.ptx"), encoding="utf-8") as file:
        return manifest, file.read(), ""


def compile_family(
    source: str,
    output: str,
    configurations: list,
    jobs: int = 1,
    report: Callable[[str], None] = print,
) -> int:
    """Compiles the legal ones of many configurations into one artifact.

    Returns
    -------
    int
        How many there are; 0: nothing was written.
    """
    source = os.path.abspath(source)
    with tempfile.TemporaryDirectory() as folder:
        # Any one of them tells the types, which the sums below need.
        manifest, _, reason = compile_one(source, "", os.path.join(folder, "types"))
        if manifest is None:
            raise InvalidArgument(f"{source}: {reason}")
        types = json.loads(manifest)
        legal = []
        for configuration in configurations:
            reason = why_illegal(configuration, types)
            if reason:
                report(f"{configuration.options()}: left out: {reason}")
            else:
                legal.append(configuration)
        kernels, seen = [], set()
        with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
            results = pool.map(
                lambda item: compile_one(
                    source, item[1].options(), os.path.join(folder, str(item[0]))
                ),
                enumerate(legal),
            )
            for configuration, (manifest, ptx, reason) in zip(legal, results):
                if manifest is None:
                    report(f"{configuration.options()}: refused: {reason}")
                elif (manifest, ptx) in seen:
                    report(f"{configuration.options()}: the same as another one")
                else:
                    seen.add((manifest, ptx))
                    kernels.append({"manifest": manifest, "ptx": ptx})
                    report(f"{configuration.options()}: compiled")
        if kernels:
            write_artifact(output, kernels)
        return len(kernels)


# ---------------------------------------------------------------------------
# Measuring
# ---------------------------------------------------------------------------


class Operands(NamedTuple):
    """Arguments of a call, and the result that every bit must equal."""

    positional: tuple
    options: dict
    expected: Any


class _Numpy:
    """Arrays on the host, for the emulator."""

    def __init__(self) -> None:
        import numpy

        self.numpy = numpy
        self.random = numpy.random.default_rng(1)

    def integers(self, low: int, high: int, shape: tuple) -> Any:
        return self.random.integers(low, high + 1, shape).astype("float32")

    def typed(self, values: Any, element: str) -> Any:
        if element in ("f32", "f16"):
            return values.astype({"f32": "float32", "f16": "float16"}[element])
        if element == "bf16":
            return (values.view("uint32") >> 16).astype("uint16")
        codes = _numbers.encode(values, element)
        bits = _abi.ELEMENT_BITS[element]
        return _numbers.pack(codes, bits) if bits < 8 else codes

    def empty(self, shape: tuple, like: Any) -> Any:
        return self.numpy.zeros(shape, dtype=like.dtype)

    def product(self, a: Any, b: Any) -> Any:
        return self.numpy.einsum("...mk,...nk->...mn", a.astype("f8"), b.astype("f8"))

    def powers(self, exponents: Any) -> Any:
        return self.numpy.exp2(exponents).astype("float32")

    def repeat(self, values: Any, count: int, columns: int) -> Any:
        return self.numpy.repeat(values, count, -1)[..., :columns]

    def bytes_of(self, values: Any) -> Any:
        return values.astype("uint8")

    def same(self, out: Any, expected: Any, element: str) -> bool:
        values = expected.astype("float32")
        if element == "bf16":
            bits = values.view("uint32").astype("uint64")
            wanted = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("uint16")
            return bool((out.view("uint16") == wanted).all())
        if element in ("f32", "f16"):
            return bool((out == expected.astype(out.dtype)).all())
        return bool((out == _numbers.encode(values, element)).all())

    def poison(self, out: Any) -> None:
        out.view("uint8" if out.dtype.itemsize == 1 else out.dtype)[...] = 0x55

    def synchronize(self) -> None:
        pass


class _Torch:
    """Tensors on a GPU."""

    def __init__(self, device: str) -> None:
        import torch

        self.torch = torch
        self.device = torch.device(device)
        self.random = torch.Generator(self.device).manual_seed(1)

    def integers(self, low: int, high: int, shape: tuple) -> Any:
        return self.torch.randint(
            low, high + 1, shape, generator=self.random, device=self.device
        ).float()

    def typed(self, values: Any, element: str) -> Any:
        names = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
        names.update({"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"})
        if element in names:
            return values.to(getattr(self.torch, names[element]))
        return _numbers.pack(
            _numbers.encode(values, element), _abi.ELEMENT_BITS[element]
        )

    def empty(self, shape: tuple, like: Any) -> Any:
        return self.torch.zeros(shape, dtype=like.dtype, device=like.device)

    def product(self, a: Any, b: Any) -> Any:
        return a.double() @ b.double().mT

    def powers(self, exponents: Any) -> Any:
        return self.torch.exp2(exponents)

    def repeat(self, values: Any, count: int, columns: int) -> Any:
        return values.repeat_interleave(count, -1)[..., :columns]

    def bytes_of(self, values: Any) -> Any:
        return values.to(self.torch.uint8)

    def same(self, out: Any, expected: Any, element: str) -> bool:
        if out.dtype == self.torch.uint8:
            return bool((out == _numbers.encode(expected.float(), element)).all())
        wanted = expected.float().to(out.dtype)
        return bool((out.float() == wanted.float()).all())

    def poison(self, out: Any) -> None:
        out.view(self.torch.uint8 if out.element_size() == 1 else out.dtype).fill_(85)

    def synchronize(self) -> None:
        if self.device.type == "cuda":
            self.torch.cuda.synchronize(self.device)


def _aligned_rows(array: Any, element: str, arrays: Any) -> Any:
    """A copy whose rows are as far apart as tensor maps want them."""
    itemsize = _arrays.view(array, "operand").itemsize
    step = (96 if _abi.ELEMENT_BITS[element] == 6 else 16) // itemsize
    columns = array.shape[-1]
    whole = arrays.empty(
        tuple(array.shape[:-1]) + (-(-columns // step) * step,), array
    )
    whole[..., :columns] = array
    return whole[..., :columns]


def make_operands(info: KernelInfo, sizes: tuple, arrays: Any) -> Operands:
    """Random operands whose partial sums are exact in every accumulator.

    Values are -1, 0 and 1, and scales powers of two close to 1, different in
    every group and row: whatever a configuration mixes up changes the result,
    and every right one gives the same bits.
    """
    m, n, k, l = sizes
    batch = (l,) if l != 1 else ()
    a = arrays.integers(-1, 1, batch + (m, k))
    b = arrays.integers(-1, 1, batch + (n, k))
    options: dict = {}
    positional: list = []
    exact_a, exact_b = a, b
    for values, rows, element in ((a, m, info.a), (b, n, info.b)):
        typed = arrays.typed(values, element)
        positional.append(_aligned_rows(typed, element, arrays))
        if info.scale_type != "none":
            groups = -(-k // info.scale_vector)
            exponents = arrays.integers(-1, 1, batch + (rows, groups))
            factors = arrays.repeat(arrays.powers(exponents), info.scale_vector, k)
            if values is a:
                exact_a = values * factors
            else:
                exact_b = values * factors
            # 1 is 0x38 in ue4m3, with three bits of fraction, and 127 in ue8m0.
            codes = 127 + exponents if info.scale_type == "ue8m0" else 56 + 8 * exponents
            scales = arrays.bytes_of(codes)
            if info.scale_layout == "blocked_128x4":
                scales = _numbers.to_blocked(scales, padding=0xFF)
            positional.append(scales)
    expected = arrays.product(exact_a, exact_b)
    if info.row_scales == "f32":
        options["sa"] = arrays.powers(arrays.integers(-2, 2, (m,)))
        options["sb"] = arrays.powers(arrays.integers(-2, 2, (n,)))
        expected = expected * options["sa"][:, None] * options["sb"]
    elif info.row_scales == "tensor":
        options["sa"] = arrays.powers(arrays.integers(-2, 2, (1,)))
        options["sb"] = arrays.powers(arrays.integers(-2, 2, (1,)))
        expected = expected * options["sa"] * options["sb"]
    if info.bias != "none":
        bias = arrays.integers(-8, 8, (n,))
        options["bias"] = arrays.typed(bias, info.bias)
        expected = expected + bias
    if info.activation == "relu":
        expected = expected * (expected > 0)
    return Operands(tuple(positional), options, expected)


class Result(NamedTuple):
    """What became of one configuration."""

    index: int
    digest: str
    status: str  # "measured", "illegal", "wrong", "failed"
    reason: str
    median: float  # milliseconds
    p20: float
    p80: float


def _ended(info: KernelInfo, status: str, reason: str) -> Result:
    """What was not measured."""
    return Result(info.index, kernel_digest(info), status, reason, 0.0, 0.0, 0.0)


def _quantile(times: list, part: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def _try(
    kernel: Kernel,
    info: KernelInfo,
    operands: Operands,
    arrays: Any,
    repetitions: int,
    device: Optional[Device],
) -> Result:
    options = dict(operands.options, device=device)
    try:
        out = kernel._new_output(operands.positional[0], operands.expected.shape)
        for _ in range(2):
            arrays.poison(out)
            kernel._call_index(info.index, *operands.positional, out=out, **options)
            arrays.synchronize()
            if not arrays.same(out, operands.expected, info.out):
                return _ended(info, "wrong", "the result is not what it must be")
        times = kernel.measure(
            *operands.positional,
            out=out,
            index=info.index,
            warmup=max(1, repetitions // 10),
            repetitions=repetitions,
            **options,
        )
    except (ValueError, TypeError) as error:
        return _ended(info, "illegal", str(error))
    except Error as error:
        return _ended(info, "failed", str(error))
    return Result(
        info.index,
        kernel_digest(info),
        "measured",
        "",
        statistics.median(times),
        _quantile(times, 0.2),
        _quantile(times, 0.8),
    )


def measure(
    kernel: Kernel,
    sizes: tuple,
    *,
    repetitions: int = 50,
    path: Optional[str] = None,
    again: bool = False,
    device: Optional[Device] = None,
    report: Callable[[str], None] = print,
) -> Optional[Result]:
    """Tries every configuration of a kernel for a shape.

    Parameters
    ----------
    kernel : Kernel
        A family.
    sizes : tuple of int
        M, N, K, L.
    repetitions : int, optional
        Measured launches of each configuration.
    path : str, optional
        File of the cache; the default is :func:`cache_path`, "" is none.
    again : bool, optional
        Measure what the cache knows already, too.
    device : Device, optional
        The default is the first GPU, or the emulator where there is none (whose
        times are the host's and mean little).
    report : callable, optional
        Receives a line for each configuration.

    Returns
    -------
    Result or None
        The fastest one that was right. After Ctrl-C: of those that were tried.
    """
    if repetitions < 1:
        raise InvalidArgument(
            f"repetitions: expected 1 or more launches, got {repetitions}"
        )
    for name, size in zip("MNKL", sizes):
        if size < 1:
            raise InvalidArgument(f"{name}: expected 1 or more, got {size}")
    if device is None:
        from ._runtime import cuda_device_count

        device = _device_of(0 if cuda_device_count() else -1)
    info = device.info
    arrays = _Numpy() if info.backend == "emulator" else _Torch(f"cuda:{info.ordinal}")
    key = cache_key(kernel, sizes, info.name)
    known = {}
    if not again:
        for result in _results_of(read_cache(path).get(key, {})):
            # What failed may have had a reason outside of the kernel.
            if result.status != "failed":
                known[result.digest] = result
    candidates = [
        candidate
        for candidate in kernel.infos
        if not info.target or candidate.target == info.target
    ]
    if not candidates:
        raise InvalidArgument(
            f"{kernel.name}: expected a configuration for {info.target}, got those for "
            f"{', '.join(dict.fromkeys(each.target for each in kernel.infos))}"
        )
    operands = None
    results: list = []
    try:
        for number, candidate in enumerate(candidates, 1):
            result = known.get(kernel_digest(candidate))
            origin = " (cache)"
            if result is None:
                origin = ""
                reason = _why_not_sizes(kernel, candidate, sizes)
                if not reason and operands is None:
                    operands = _operands_for(candidate, sizes, arrays)
                result = (
                    _ended(candidate, "illegal", reason)
                    if reason
                    else _try(kernel, candidate, operands, arrays, repetitions, device)
                )
            results.append(result._replace(index=candidate.index))
            text = result.reason or (
                f"{result.median * 1e3:.1f} us ({result.p20 * 1e3:.1f} to "
                f"{result.p80 * 1e3:.1f})"
            )
            tile = "x".join(map(str, candidate.tile))
            configuration = candidate.manifest.get("configuration", {})
            report(
                f"{number}/{len(candidates)} {tile} {json.dumps(configuration)}: "
                f"{result.status}{origin}: {text}"
            )
            best = _best(results, kernel)
            write_entry(
                key,
                {
                    "best": best.digest if best else None,
                    "complete": number == len(candidates),
                    "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    "results": [each._asdict() for each in results],
                },
                path,
            )
    except KeyboardInterrupt:
        report(f"stopped after {len(results)} of {len(candidates)}; these are kept")
    kernel.forget_choices()
    return _best(results, kernel)


def _why_not_sizes(kernel: Kernel, info: KernelInfo, sizes: tuple) -> str:
    """Why a configuration does not take the sizes; empty when it does."""
    shape = _abi.LaunchShape()
    try:
        check(
            library().bsmm_artifact_launch_shape(
                kernel._artifact._handle, info.index, _sizes_alone(*sizes, 0), shape
            ),
            kernel.name,
        )
    except ValueError as error:
        return str(error)
    return ""


def _operands_for(info: KernelInfo, sizes: tuple, arrays: Any) -> Operands:
    try:
        return make_operands(info, sizes, arrays)
    except (MemoryError, RuntimeError) as error:  # torch's is a RuntimeError
        raise OutOfMemory(f"operands for {'x'.join(map(str, sizes))}: {error}") from None


def _best(results: list, kernel: Kernel) -> Optional[Result]:
    """The fastest one. One with other numerics than the first that was right
    does not count: speed is not bought with accuracy."""
    infos = {info.index: info for info in kernel.infos}
    measured = [result for result in results if result.status == "measured"]
    measured = [
        result
        for result in measured
        if _same_numerics(infos[result.index], infos[measured[0].index])
    ]
    return min(measured, key=lambda result: result.median, default=None)


# ---------------------------------------------------------------------------
# Command line
# ---------------------------------------------------------------------------


def _numbers_of(text: str) -> list:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected integers separated by commas, got {text!r}"
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bsmm-tune",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("compile", help="an artifact of many configurations")
    making.add_argument("source", help="a problem-level function, .mlir")
    making.add_argument("-o", "--output", required=True, help="the artifact")
    for name, default in (
        ("block-m", "128"),
        ("block-n", "64,128,256"),
        ("block-k", "128,256"),
        ("stages", "2,3,4"),
        ("ping-pong", "0"),
        ("cluster-m", "1"),
        ("flatten", "0"),
        ("tile-stages", "0"),
        ("epilogue-warps", "4"),
    ):
        making.add_argument(
            f"--{name}", type=_numbers_of, default=_numbers_of(default), metavar="LIST",
            help=f"values of bsmm-problem-to-tile's {name} (default {default})",
        )
    making.add_argument(
        "--specialize", type=lambda text: text.split(","), default=["default"],
        metavar="LIST", help="values of specialize, such as tile-loop,k-loop,none",
    )
    making.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    trying = commands.add_parser("measure", help="the fastest one for a shape")
    trying.add_argument("artifact")
    trying.add_argument("--kernel", help="name of the family; needed if there are many")
    for size in "MNK":
        trying.add_argument(f"-{size}", type=int, required=True)
    trying.add_argument("-L", type=int, default=1)
    trying.add_argument("--repetitions", type=int, default=50)
    trying.add_argument("--cache", help="file (default: BSMM_TUNE_CACHE, or the user's)")
    trying.add_argument("--again", action="store_true", help="measure everything anew")
    trying.add_argument("--emulator", action="store_true", help="no GPU; to try it out")
    showing = commands.add_parser("show", help="what the cache knows")
    showing.add_argument("--cache")
    return parser


def _family(artifact: Artifact, name: Optional[str]) -> Kernel:
    if name:
        return artifact[name]
    if len(artifact) != 1:
        raise InvalidArgument(
            f"--kernel: expected one of {', '.join(each.name for each in artifact)}"
        )
    return next(iter(artifact))


def main(arguments: Optional[list] = None) -> int:
    """The program bsmm-tune; returns its exit code."""
    given = _parser().parse_args(arguments)
    try:
        if given.command == "compile":
            configurations = [
                Configuration(*values)
                for values in itertools.product(
                    given.block_m, given.block_n, given.block_k, given.stages,
                    given.ping_pong, given.cluster_m, given.specialize,
                    given.flatten, given.tile_stages, given.epilogue_warps,
                )
            ]
            count = compile_family(
                given.source, given.output, configurations, given.jobs
            )
            print(f"{count} of {len(configurations)} configurations in {given.output}")
            return 0 if count else 1
        if given.command == "show":
            for key, entry in read_cache(given.cache).items():
                results = _results_of(entry)
                best = [each for each in results if each.digest == entry.get("best")]
                shown = f"{best[0].median * 1e3:.1f} us" if best else "none was right"
                print(f"{key}: {shown}, {len(results)} tried")
            return 0
        kernel = _family(load(given.artifact), given.kernel)
        best = measure(
            kernel,
            (given.M, given.N, given.K, given.L),
            repetitions=given.repetitions,
            path=given.cache,
            again=given.again,
            device=Device.emulator() if given.emulator else None,
        )
        if best is None:
            print("no configuration was right")
            return 1
        info = next(each for each in kernel.infos if each.index == best.index)
        print(
            f"best: {'x'.join(map(str, info.tile))} "
            f"{json.dumps(info.manifest.get('configuration', {}))} "
            f"{best.median * 1e3:.1f} us"
        )
        return 0
    except (Error, OSError) as error:
        print(f"bsmm-tune: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        # Measuring keeps what it knows by itself.
        print("bsmm-tune: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

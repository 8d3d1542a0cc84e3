"""Artifacts, devices and kernels."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import os
import sys
import threading
import weakref
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence, Union

from . import _abi, _arrays
from ._errors import InvalidArgument, NotFound, UnsupportedProblem
from ._library import check, library


def _text(value: Optional[bytes]) -> str:
    return "" if value is None else value.decode("utf-8", "replace")


class DeviceInfo(NamedTuple):
    """What a device is.

    Attributes
    ----------
    backend : {"cuda", "emulator"}
    ordinal : int
        -1 for the emulator.
    name : str
        E.g. ``"NVIDIA H200"``.
    target : str
        Target whose kernels it runs; empty when it takes every one.
    sm_count : int
        Streaming multiprocessors; 0: as the target's usual product.
    driver_version : int
        13000 for CUDA 13.0; 0 for the emulator.
    l2_bytes, memory_bytes : int
    """

    backend: str
    ordinal: int
    name: str
    target: str
    sm_count: int
    driver_version: int
    l2_bytes: int
    memory_bytes: int


class Device:
    """Where kernels run: a GPU, or the emulator.

    Kernels find the device of their arrays by themselves; a device object is
    needed for an emulator with options only.
    """

    def __init__(self, handle: int) -> None:
        self._handle = ctypes.c_void_p(handle)
        self._finalizer = weakref.finalize(
            self, library().bsmm_device_close, ctypes.c_void_p(handle)
        )

    @classmethod
    def cuda(cls, ordinal: int = -1) -> "Device":
        """A GPU.

        Parameters
        ----------
        ordinal : int, optional
            -1: the device of the thread's current context, or 0.

        Raises
        ------
        NoDevice
            There is no CUDA driver, or no such device.
        """
        handle = ctypes.c_void_p()
        check(library().bsmm_device_open_cuda(ordinal, handle))
        return cls(handle.value)

    @classmethod
    def emulator(
        cls,
        target: Optional[str] = None,
        *,
        mode: str = "eager",
        arithmetic: str = "hardware",
        strict: bool = False,
        sm_count: int = 0,
        max_instructions: int = 0,
    ) -> "Device":
        """The emulator, which executes a kernel's PTX on the host.

        Parameters
        ----------
        target : str, optional
            Take kernels of this target only, e.g. ``"sm_100a"``.
        mode : str, optional
            When asynchronous operations take effect: ``"eager"``, ``"lazy"`` or
            ``"random:SEED"``.
        arithmetic : {"hardware", "exact"}, optional
            Tensor-core sums as in hardware, or exact and rounded once.
        strict : bool, optional
            Missing recommended fences are faults, too.
        sm_count : int, optional
            Streaming multiprocessors; 0: as the target's usual product.
        max_instructions : int, optional
            Warp instructions of a launch before it is given up; 0: no limit.
        """
        options = _abi.EmulatorOptions()
        options.target = target.encode() if target else None
        options.mode = mode.encode()
        options.arithmetic = arithmetic.encode()
        options.strict = bool(strict)
        options.sm_count = sm_count
        options.max_instructions = max_instructions
        handle = ctypes.c_void_p()
        check(library().bsmm_device_open_emulator(options, handle))
        return cls(handle.value)

    @property
    def info(self) -> DeviceInfo:
        """What the device is."""
        info = _abi.DeviceInfo()
        check(library().bsmm_device_info_get(self._handle, info))
        return DeviceInfo(
            "cuda" if info.backend == _abi.BACKEND_CUDA else "emulator",
            info.ordinal,
            _text(info.name),
            _text(info.target),
            info.sm_count,
            info.driver_version,
            info.l2_bytes,
            info.memory_bytes,
        )

    def synchronize(self, stream: Any = None) -> None:
        """Waits for a stream, and reports faults of kernels that ran in it."""
        check(library().bsmm_device_synchronize(self._handle, _stream_handle(stream)))

    def __repr__(self) -> str:
        info = self.info
        target = f" {info.target}" if info.target else ""
        return f"<bsmm.Device {info.name!r}{target}>"


_devices: dict[int, Device] = {}
_devices_lock = threading.Lock()


def _device_of(ordinal: int) -> Device:
    """The device of arrays: a GPU, or the emulator for -1. Opened once."""
    device = _devices.get(ordinal)
    if device is None:
        with _devices_lock:
            device = _devices.get(ordinal)
            if device is None:
                device = Device.emulator() if ordinal < 0 else Device.cuda(ordinal)
                _devices[ordinal] = device
    return device


def cuda_device_count() -> int:
    """Number of GPUs that the CUDA driver shows; 0 without a driver."""
    count = ctypes.c_int32()
    check(library().bsmm_cuda_device_count(count))
    return count.value


def _stream_handle(stream: Any) -> Optional[int]:
    """A CUstream as a number, of a number or of other libraries' objects."""
    if stream is None:
        return None
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for attribute in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, attribute, None)
        if isinstance(handle, int):
            return handle
    raise TypeError(
        "stream: expected an integer or a stream of torch, cupy or another library, "
        f"got {type(stream).__name__}"
    )


class SizeRange(NamedTuple):
    """Sizes that a kernel takes: from min to max in steps."""

    min: int
    max: int
    multiple_of: int


class OperandRules(NamedTuple):
    """What a kernel demands of an operand."""

    element: str
    layout: int
    is_tensor_map: bool
    address_multiple: int
    pitch_multiple: int
    inner_multiple: int


class KernelInfo:
    """One kernel of an artifact: a target and a configuration.

    Attributes
    ----------
    index : int
        Place in the artifact.
    name : str
        Of the family.
    target : str
        E.g. ``"sm_90a"``.
    manifest : dict
        Everything, as in ``docs/abi.md``.
    a, b, out, c, scale_type, bias : str
        Element types; ``"none"`` where there is none.
    scale_vector : int
        Values of K that share a block scale; 0 without block scales.
    scale_layout, scale_layout_b : {"", "linear", "blocked_128x4", "column_major"}
    row_scales : {"none", "f32", "tensor"}
    sizes : dict
        The ranges of M, N, K and L.
    tile : tuple
        m, n, k.
    block, cluster : tuple
        Threads, CTAs.
    has_ptx, has_cubin : bool
    has_precise_sums : bool
        Sums over K are those of f32. Hopper's tensor cores keep fewer bits of
        sums of 8-bit products, unless a kernel moves them to registers.
    """

    def __init__(self, artifact: "Artifact", index: int) -> None:
        info = _abi.KernelInfo()
        lib = library()
        check(lib.bsmm_artifact_kernel_info(artifact._handle, index, info))
        names = _abi.ELEMENT_NAMES
        self.index = index
        self.name = _text(info.name)
        self.entry = _text(info.entry)
        self.target = _text(info.target)
        self.manifest = json.loads(_text(info.manifest))
        self.has_ptx = info.ptx_bytes > 0
        self.has_cubin = info.cubin_bytes > 0
        self.block = tuple(info.block)
        self.cluster = tuple(info.cluster)
        self.dynamic_shared_bytes = info.dynamic_shared_bytes
        self.tile = tuple(info.tile)
        self.sizes = {
            size: SizeRange(bounds.min, bounds.max, bounds.multiple_of)
            for size, bounds in zip("MNKL", info.sizes)
        }
        self.a = names[info.a]
        self.b = names[info.b]
        self.out = names[info.out]
        self.c = names[info.c]
        self.scale_type = names[info.scale_type]
        self.scale_vector = info.scale_vector
        layouts = {
            _abi.LAYOUT_UNSPECIFIED: "",
            _abi.LAYOUT_ROWS: "linear",
            _abi.LAYOUT_BLOCKED: "blocked_128x4",
            _abi.LAYOUT_COLUMN_MAJOR: "column_major",
        }
        self.scale_layout = layouts[info.scale_layout]
        self.scale_layout_b = layouts[info.scale_layout_b]
        self.scale_rows_b = info.scale_rows_b
        self.bias = names[info.bias]
        self.row_scales = _text(info.row_scales)
        self.activation = _text(info.activation)
        self.grid_rule = _text(info.grid_rule)
        self.order_dependent = bool(info.order_dependent)
        self.has_precise_sums = bool(info.has_precise_sums)
        self.operands: dict[str, OperandRules] = {}
        for role, name in enumerate(_abi.ROLES):
            operand = _abi.OperandInfo()
            status = lib.bsmm_artifact_operand_info(
                artifact._handle, index, role, operand
            )
            if status == _abi.OK:
                self.operands[name] = OperandRules(
                    names[operand.element],
                    operand.layout,
                    bool(operand.is_tensor_map),
                    operand.address_multiple,
                    operand.pitch_multiple,
                    operand.inner_multiple,
                )
            elif status != 5:  # BSMM_NOT_FOUND: the kernel does not use it
                check(status)

    def __repr__(self) -> str:
        scales = f" with {self.scale_type} for {self.scale_vector}"
        return (
            f"<bsmm.KernelInfo {self.name!r} {self.target}: {self.a} x {self.b}"
            f"{scales if self.scale_vector else ''} -> {self.out}, tile "
            f"{'x'.join(map(str, self.tile))}>"
        )


class Artifact:
    """Kernels of a file. Made by :func:`load`.

    Iterating gives the families as :class:`Kernel`; ``artifact["name"]`` is one
    of them. An artifact with a single family may be called itself.

    Attributes
    ----------
    infos : list of KernelInfo
        Every kernel: one for each target and configuration.
    """

    def __init__(self, handle: int, source: str) -> None:
        self._handle = ctypes.c_void_p(handle)
        self._finalizer = weakref.finalize(
            self, library().bsmm_artifact_close, ctypes.c_void_p(handle)
        )
        self.source = source
        count = library().bsmm_artifact_kernel_count(self._handle)
        self.infos = [KernelInfo(self, index) for index in range(count)]
        families: dict[str, list[KernelInfo]] = {}
        for info in self.infos:
            families.setdefault(info.name, []).append(info)
        self._families = {
            name: Kernel(self, name, infos) for name, infos in families.items()
        }

    def __getitem__(self, name: str) -> "Kernel":
        try:
            return self._families[name]
        except KeyError:
            raise NotFound(
                f"expected a kernel of {self.source}: "
                f"{', '.join(map(repr, self._families))}; got {name!r}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._families

    def __iter__(self) -> Iterator["Kernel"]:
        return iter(self._families.values())

    def __len__(self) -> int:
        return len(self._families)

    def __call__(self, *operands: Any, **options: Any) -> Any:
        """Calls the only kernel; see :class:`Kernel`."""
        return self._only()(*operands, **options)

    def _only(self) -> "Kernel":
        if len(self._families) != 1:
            raise InvalidArgument(
                f"{self.source} has {len(self._families)} kernels: choose one with "
                f"artifact[name], of {', '.join(map(repr, self._families))}"
            )
        return next(iter(self))

    def select(self, m: int, n: int, k: int, l: int = 1, **options: Any) -> KernelInfo:
        """What the only kernel takes for sizes; see :meth:`Kernel.select`."""
        return self._only().select(m, n, k, l, **options)

    def describe(self) -> dict:
        """The whole artifact without its code."""
        return json.loads(_text(library().bsmm_artifact_describe(self._handle)))

    def __repr__(self) -> str:
        return f"<bsmm.Artifact {self.source!r}: {', '.join(self._families)}>"


def load(source: Union[str, "os.PathLike[str]", bytes, bytearray]) -> Artifact:
    """Reads an artifact.

    Parameters
    ----------
    source : path or bytes
        A file that ``bsmm-translate`` or :func:`write_artifact` wrote, or what
        is in it.

    Returns
    -------
    Artifact
        Its kernels.

    Raises
    ------
    FileError
        The file cannot be read.
    InvalidArtifact
        It is damaged or something else.
    UnsupportedVersion
        It is of a version that this runtime does not know.
    """
    handle = ctypes.c_void_p()
    if isinstance(source, (bytes, bytearray)):
        data = bytes(source)
        check(library().bsmm_artifact_open_memory(data, len(data), handle))
        return Artifact(handle.value, f"{len(data)} bytes")
    path = os.fspath(source)
    check(library().bsmm_artifact_open(os.fsencode(path), handle))
    return Artifact(handle.value, str(path))


def write_artifact(
    path: Union[str, "os.PathLike[str]"], kernels: Sequence[dict]
) -> None:
    """Writes an artifact.

    Parameters
    ----------
    path : path
        An existing file is replaced in one step.
    kernels : sequence of dict
        Keys ``manifest`` (text or dict, see ``docs/abi.md``), ``ptx`` (text) or
        ``cubin`` (bytes) or both, and optionally ``name`` of the family. In a
        family the better choice comes first.
    """
    entries = (_abi.ArtifactEntry * len(kernels))()
    for index, (entry, kernel) in enumerate(zip(entries, kernels)):
        unknown = set(kernel) - {"name", "manifest", "ptx", "cubin"}
        if unknown or "manifest" not in kernel:
            raise InvalidArgument(
                f"kernels[{index}]: expected the key manifest, and name, ptx or cubin; "
                f"got {sorted(kernel)}"
            )
        manifest = kernel["manifest"]
        if not isinstance(manifest, str):
            manifest = json.dumps(manifest)
        entry.manifest = manifest.encode()
        if kernel.get("name") is not None:
            entry.name = kernel["name"].encode()
        if kernel.get("ptx") is not None:
            entry.ptx = kernel["ptx"].encode()
        if kernel.get("cubin") is not None:
            # ctypes keeps the bytes alive with the structure.
            entry.cubin = kernel["cubin"]
            entry.cubin_bytes = len(kernel["cubin"])
    check(library().bsmm_artifact_write(os.fsencode(path), entries, len(entries)))


class _Loaded:
    """A kernel on a device."""

    def __init__(self, device: Device, artifact: Artifact, index: int) -> None:
        handle = ctypes.c_void_p()
        check(
            library().bsmm_kernel_load(device._handle, artifact._handle, index, handle)
        )
        self.handle = handle
        self.device = device
        self._finalizer = weakref.finalize(
            self, library().bsmm_kernel_unload, ctypes.c_void_p(handle.value)
        )


def _sm_count(count: int) -> int:
    if not 0 <= _arrays.integer(count, "sm_count") < 2**31:
        raise InvalidArgument(f"sm_count: expected 0 or more, got {count}")
    return count


def _sizes_alone(m: int, n: int, k: int, l: int, sm_count: int) -> _abi.Arguments:
    """BSMM_ARGUMENTS_INIT with sizes."""
    arguments = _abi.Arguments()
    for name, size in (("m", m), ("n", n), ("k", k), ("l", l)):
        size = _arrays.integer(size, name)
        # ctypes would cut off what a field has no room for.
        if not -(2**63) <= size < 2**63:
            raise InvalidArgument(f"{name}: expected a size of 64 bits, got {size}")
        setattr(arguments, name, size)
    arguments.alpha = arguments.out_scale = 1.0
    arguments.sm_count = _sm_count(sm_count)
    return arguments


class Prediction(NamedTuple):
    """What the cost model of ``docs/selection.md`` says of a launch.

    Attributes
    ----------
    waves : float
        Tiles that the busiest SM computes.
    steps_of_tile : float
        Along K.
    cycles_of_step, cycles_of_tile : float
        Clock cycles of a step, and of a tile beside its steps.
    cycles : float
        Of the launch.
    """

    waves: float
    steps_of_tile: float
    cycles_of_step: float
    cycles_of_tile: float
    cycles: float


class Resources(NamedTuple):
    """What a loaded kernel uses."""

    is_cubin: bool
    registers: int
    local_bytes: int
    static_shared_bytes: int
    max_threads: int


_handles = itertools.count()
_kernels: "weakref.WeakValueDictionary[int, Kernel]" = weakref.WeakValueDictionary()

# Types of outputs, as torch and numpy name them.
_TORCH_TYPES = {
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
}
_NUMPY_TYPES = {"f32": "float32", "f16": "float16"}


class Kernel:
    """A kernel that may be called: one family of an artifact.

    ``kernel(a, sfa, b, sfb, out=..., alpha=...)`` computes

        ``out = cast(act(alpha * (A SFA * B SFB * sa * sb) + beta * C + bias) *
        out_scale)``

    on the GPU that the arrays lie on, in torch's current stream, or in the
    emulator for arrays on the host. Nothing is copied.

    Attributes
    ----------
    name : str
    infos : list of KernelInfo
        Its targets and configurations, the better choice first.
    """

    def __init__(self, artifact: Artifact, name: str, infos: list) -> None:
        # The artifact owns its kernels; a kernel alone keeps it alive, too.
        self._artifact = artifact
        self.name = name
        self.infos = infos
        self._loaded: dict[tuple, _Loaded] = {}
        self._choices: dict[tuple, Optional[int]] = {}
        self._lock = threading.Lock()
        self._handle = next(_handles)
        _kernels[self._handle] = self
        info = infos[0]
        self._has_block_scales = info.scale_type != "none"
        self._operand_names = (
            ("a", "sfa", "b", "sfb") if self._has_block_scales else ("a", "b")
        )
        self._out_bits = _abi.ELEMENT_BITS[info.out]
        # Rows of outputs that the kernel stores with TMA.
        self._out_step = max(
            (
                other.operands["d"].pitch_multiple
                for other in infos
                if "d" in other.operands and other.operands["d"].is_tensor_map
            ),
            default=1,
        )

    def __repr__(self) -> str:
        info = self.infos[0]
        targets = ", ".join(dict.fromkeys(other.target for other in self.infos))
        return (
            f"<bsmm.Kernel {self.name!r}: {info.a} x {info.b} -> {info.out} for "
            f"{targets}>"
        )

    def __call__(
        self,
        *operands: Any,
        out: Any = None,
        c: Any = None,
        sa: Any = None,
        sb: Any = None,
        bias: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        out_scale: float = 1.0,
        k: Optional[int] = None,
        stream: Any = None,
        device: Optional[Device] = None,
        repack: bool = False,
        sm_count: int = 0,
        precise_sums: bool = False,
    ) -> Any:
        """Computes the product.

        Parameters
        ----------
        *operands : arrays
            ``a, sfa, b, sfb`` of a kernel with block scales, else ``a, b``. A is
            [M, K] or [L, M, K] and B is [N, K] or [L, N, K], K contiguous; rows
            may have a pitch. Packed codes are bytes. Blocked scales are bytes in
            the order of :func:`to_blocked`, linear scales [M, groups].
        out : array, optional
            [M, N] or [L, M, N]. Allocated when it is left out.
        c : array, optional
            Needed when `beta` is not 0; as `out`, and may be the same array.
        sa, sb : arrays of float32, optional
            Scales of the rows of A (M values) and B (N values), or one value
            each, whichever the kernel takes.
        bias : array, optional
            N values.
        alpha, beta, out_scale : float, optional
            Factors of the product, of C, and of the result. A tensor on a GPU is
            read, which waits for the device.
        k : int, optional
            Values of a row of A and B, where the bytes hold one more.
        stream : int or stream object, optional
            The default is torch's current stream, or the stream that arrays of
            other libraries name.
        device : Device, optional
            An emulator with options, for arrays on the host.
        repack : bool, optional
            Copy operands whose address or pitch TMA cannot read, instead of
            refusing them.
        sm_count : int, optional
            CTAs of persistent kernels; 0: as many as the GPU has SMs.
        precise_sums : bool, optional
            Take only configurations with :attr:`KernelInfo.has_precise_sums`.

        Returns
        -------
        array
            `out`.

        Raises
        ------
        TypeError
            An operand is missing, too many, or of a type the kernel doesn't take.
        ValueError
            Sizes, strides or addresses that the kernel doesn't take.
        """
        if len(operands) != len(self._operand_names):
            raise TypeError(
                f"{self.name}: expected the operands {', '.join(self._operand_names)}, "
                f"got {len(operands)}"
            )
        torch = sys.modules.get("torch")
        if torch is not None and torch.compiler.is_compiling():
            return self._call_compiled(
                operands, out, c, sa, sb, bias, alpha, beta, out_scale, k,
                precise_sums,
            )
        arrays = dict(zip(self._operand_names, operands))
        optional = (("c", c), ("sa", sa), ("sb", sb), ("bias", bias))
        arrays.update((name, array) for name, array in optional if array is not None)
        with self._arguments(
            arrays, out, alpha, beta, out_scale, k, stream,
            device, repack, sm_count, precise_sums,
        ) as call:
            loaded = self._load(call)
            check(
                library().bsmm_kernel_launch(
                    loaded.handle, call.arguments, call.stream
                ),
                self.name,
            )
            return call.out

    def select(
        self,
        m: int,
        n: int,
        k: int,
        l: int = 1,
        *,
        target: Optional[str] = None,
        sm_count: int = 0,
    ) -> KernelInfo:
        """The configuration that a call with these sizes takes.

        That is the one which the cost model of ``docs/selection.md`` says is
        fastest; what bsmm-tune measured goes before it in calls.

        Parameters
        ----------
        m, n, k, l : int
            The problem.
        target : str, optional
            E.g. ``"sm_90a"``; the default is that of the first configuration
            which takes the sizes.
        sm_count : int, optional
            SMs of the GPU; 0: as many as the target's usual product has.

        Raises
        ------
        UnsupportedProblem
            No configuration takes the sizes.
        """
        arguments = _sizes_alone(m, n, k, l, sm_count)
        index = self._selected(arguments, target)
        return next(info for info in self.infos if info.index == index)

    def predict(
        self, index: int, m: int, n: int, k: int, l: int = 1, *, sm_count: int = 0
    ) -> Optional[Prediction]:
        """What the cost model says of one configuration.

        Parameters
        ----------
        index : int
            :attr:`KernelInfo.index` of the configuration.

        Other parameters are those of :meth:`select`.

        Returns
        -------
        Prediction or None
            None: the model does not cover the kernel.
        """
        arguments = _sizes_alone(m, n, k, l, sm_count)
        index = _arrays.integer(index, "index")
        found = _abi.Prediction()
        check(
            library().bsmm_artifact_predict(
                self._artifact._handle, max(index, -1), arguments, found
            ),
            self.name,
        )
        if not found.is_known:
            return None
        return Prediction(*(getattr(found, name) for name in Prediction._fields))

    def _selected(self, arguments: _abi.Arguments, target: Optional[str]) -> int:
        found = ctypes.c_size_t()
        check(
            library().bsmm_artifact_select(
                self._artifact._handle,
                self.name.encode(),
                target.encode() if target else None,
                arguments,
                found,
            ),
            self.name,
        )
        return found.value

    def forget_choices(self) -> None:
        """Looks into the cache of bsmm-tune anew at the next calls."""
        self._choices.clear()

    def _call_index(self, index: int, *operands: Any, out: Any, **options: Any) -> None:
        """A call of one configuration of the family."""
        device = options.pop("device", None)
        arrays = dict(zip(self._operand_names, operands), **options)
        with self._arguments(
            arrays, out, 1.0, 0.0, 1.0, None, None, device, False, 0
        ) as call:
            loaded = self._load(call, index)
            check(
                library().bsmm_kernel_launch(
                    loaded.handle, call.arguments, call.stream
                ),
                self.name,
            )

    def measure(
        self,
        *operands: Any,
        warmup: int = 10,
        repetitions: int = 100,
        flush_l2: bool = True,
        out: Any = None,
        c: Any = None,
        sa: Any = None,
        sb: Any = None,
        bias: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        out_scale: float = 1.0,
        k: Optional[int] = None,
        stream: Any = None,
        device: Optional[Device] = None,
        index: Optional[int] = None,
    ) -> list:
        """Times of single launches in milliseconds.

        Parameters
        ----------
        warmup, repetitions : int, optional
            Launches before measuring, and measured ones.
        flush_l2 : bool, optional
            Overwrite the L2 cache before each measured launch.
        index : int, optional
            The kernel of the artifact to measure, instead of the best one.

        Other parameters are those of a call. The emulator's times are those of
        the host and mean little.
        """
        arrays = dict(zip(self._operand_names, operands))
        optional = (("c", c), ("sa", sa), ("sb", sb), ("bias", bias))
        arrays.update((name, array) for name, array in optional if array is not None)
        with self._arguments(
            arrays, out, alpha, beta, out_scale, k, stream,
            device, False, 0,
        ) as call:
            loaded = self._load(call, index)
            options = _abi.MeasureOptions()
            options.warmup = warmup
            options.repetitions = repetitions
            options.flush_l2 = flush_l2
            times = (ctypes.c_double * max(repetitions, 1))()
            measured = ctypes.c_int32()
            check(
                library().bsmm_kernel_measure(
                    loaded.handle, call.arguments, options, call.stream, times, measured
                ),
                self.name,
            )
            return list(times[: measured.value])

    def bind(
        self,
        *operands: Any,
        out: Any,
        c: Any = None,
        sa: Any = None,
        sb: Any = None,
        bias: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        out_scale: float = 1.0,
        k: Optional[int] = None,
        stream: Any = None,
        device: Optional[Device] = None,
        index: Optional[int] = None,
    ) -> Callable[[], None]:
        """A function that launches with these arrays, whatever is in them then.

        For loops where the checks of a call in Python would take longer than
        the kernel. The function keeps the arrays alive and always launches in
        the same stream.

        Parameters
        ----------
        index : int, optional
            The kernel of the artifact to launch, instead of the selected one.

        Other parameters are those of a call.
        """
        arrays = dict(zip(self._operand_names, operands))
        optional = (("c", c), ("sa", sa), ("sb", sb), ("bias", bias))
        arrays.update((name, array) for name, array in optional if array is not None)
        with self._arguments(
            arrays, out, alpha, beta, out_scale, k, stream,
            device, False, 0,
        ) as call:
            loaded = self._load(call, index)
        launch = library().bsmm_kernel_launch

        def again() -> None:
            check(launch(loaded.handle, call.arguments, call.stream), self.name)

        return again

    def resources(
        self, device: Optional[Device] = None, index: Optional[int] = None
    ) -> Resources:
        """What a kernel uses on a device; the first one that the device takes."""
        device = device or _device_of(0 if cuda_device_count() else -1)
        if index is None:
            target = device.info.target
            fitting = [i for i in self.infos if not target or i.target == target]
            if not fitting:
                raise NotFound(
                    f"{self.name}: expected a kernel for {target}, got those for "
                    f"{', '.join(info.target for info in self.infos)}"
                )
            index = fitting[0].index
        loaded = self._loaded_kernel(device, index)
        resources = _abi.KernelResources()
        check(library().bsmm_kernel_resources_get(loaded.handle, resources))
        return Resources(
            bool(resources.is_cubin),
            resources.registers,
            resources.local_bytes,
            resources.static_shared_bytes,
            resources.max_threads,
        )

    # What torch.compile sees: an allocation and one custom operation.
    def _call_compiled(
        self, operands, out, c, sa, sb, bias, alpha, beta, out_scale, k, precise_sums
    ):
        import torch

        from . import _torch_ops

        arrays = dict(zip(self._operand_names, operands))
        a, b = arrays["a"], arrays["b"]
        if out is None:
            out = self._new_torch_output(a, a.shape[:-1] + (b.shape[-2],))
        _torch_ops.launch(
            self._handle,
            a,
            arrays.get("sfa"),
            b,
            arrays.get("sfb"),
            c,
            sa,
            sb,
            bias,
            out,
            float(alpha),
            float(beta),
            float(out_scale),
            -1 if k is None else k,
            precise_sums,
        )
        return out

    def _new_torch_output(self, like: Any, shape: tuple) -> Any:
        torch = sys.modules["torch"]
        element = self.infos[0].out
        name = _TORCH_TYPES.get(element)
        columns = shape[-1]
        padded = -(-columns // self._out_step) * self._out_step
        if name is not None:
            dtype = getattr(torch, name)
        else:
            # Packed bytes.
            dtype = torch.uint8
            padded = padded * self._out_bits // 8
            columns = (columns * self._out_bits + 7) // 8
        whole = torch.empty(
            tuple(shape[:-1]) + (padded,), dtype=dtype, device=like.device
        )
        return whole if padded == columns else whole[..., :columns]

    def _new_output(self, like: Any, shape: tuple) -> Any:
        if _arrays.is_torch(like):
            return self._new_torch_output(like, shape)
        if not _arrays.is_numpy(like):
            raise InvalidArgument(
                f"out: expected an array, got none: {type(like).__name__} operands do "
                "not say how to allocate one"
            )
        numpy = sys.modules["numpy"]
        element = self.infos[0].out
        columns = shape[-1]
        padded = -(-columns // self._out_step) * self._out_step
        if element == "bf16":
            # numpy has no bfloat16 of its own: ml_dtypes' one, or the raw bits.
            extra = sys.modules.get("ml_dtypes")
            dtype = extra.bfloat16 if extra else numpy.uint16
        elif element in _NUMPY_TYPES:
            dtype = _NUMPY_TYPES[element]
        else:
            dtype = "uint8"
            padded = padded * self._out_bits // 8
            columns = (columns * self._out_bits + 7) // 8
        whole = numpy.empty(tuple(shape[:-1]) + (padded,), dtype=dtype)
        return whole if padded == columns else whole[..., :columns]

    def _loaded_kernel(self, device: Device, index: int) -> _Loaded:
        key = (id(device), index)
        loaded = self._loaded.get(key)
        if loaded is None:
            with self._lock:
                loaded = self._loaded.get(key)
                if loaded is None:
                    # The entry keeps the device alive, so that its id stays its.
                    loaded = _Loaded(device, self._artifact, index)
                    self._loaded[key] = loaded
        return loaded

    def _load(self, call: "_Call", index: Optional[int] = None) -> _Loaded:
        if index is not None:
            return self._loaded_kernel(call.device, index)
        if len(self.infos) == 1 and not call.target:
            return self._loaded_kernel(call.device, self.infos[0].index)
        predicted = self._best_index(call)
        tuned = self._tuned(call, predicted) if len(self.infos) > 1 else None
        return self._loaded_kernel(
            call.device, predicted if tuned is None else tuned
        )

    def _best_index(self, call: "_Call") -> int:
        """What the cost model says, remembered by all that it depends on."""
        arguments = call.arguments
        operands = arguments.operands[: arguments.operand_count]
        key = (
            call.device,
            (arguments.m, arguments.n, arguments.k, arguments.l),
            (arguments.sm_count, arguments.beta == 0, arguments.flags),
            # 128 bytes: the largest alignment that kernels ask for.
            tuple(
                (each.role, each.element, each.pitch, each.batch_stride)
                + ((each.data or 0) % 128, each.bytes)
                for each in operands
            ),
        )
        index = self._choices.get(key)
        if index is None:
            wanted = _abi.Arguments.from_buffer_copy(arguments)
            if wanted.sm_count == 0:
                wanted.sm_count = call.device.info.sm_count
            index = self._selected(wanted, call.target)
            # Sizes that never come again must not pile up.
            if len(self._choices) >= 4096:
                self._choices.clear()
            self._choices[key] = index
        return index

    def _tuned(self, call: "_Call", predicted: int) -> Optional[int]:
        """What bsmm-tune found for the sizes, if it takes the arguments.

        Measuring trades no accuracy either: only a kernel with the numerics of
        the `predicted` one replaces it.
        """
        arguments = call.arguments
        sizes = (arguments.m, arguments.n, arguments.k, arguments.l)
        key = (call.device, sizes, predicted)
        if key not in self._choices:
            from . import tune

            info = next(info for info in self.infos if info.index == predicted)
            self._choices[key] = tune.tuned_index(
                self, sizes, call.device.info.name, info
            )
        index = self._choices[key]
        if index is None:
            return None
        # Pitches and addresses may be such that only another one will do.
        shape = _abi.LaunchShape()
        status = library().bsmm_artifact_launch_shape(
            self._artifact._handle, index, arguments, shape
        )
        return index if status == _abi.OK else None

    @contextlib.contextmanager
    def _arguments(
        self,
        arrays: dict,
        out: Any,
        alpha: float,
        beta: float,
        out_scale: float,
        k: Optional[int],
        stream: Any,
        device: Optional[Device],
        repack: bool,
        sm_count: int,
        precise_sums: bool = False,
    ) -> Iterator["_Call"]:
        if stream is None:
            stream = self._stream_of(arrays, out)
        handle = _stream_handle(stream)
        views = {
            name: _arrays.view(array, name, handle) for name, array in arrays.items()
        }
        sizes = self._sizes(views, k)
        m, n, k, l = sizes
        if out is None:
            batched = len(views["a"].shape) == 3 or len(views["b"].shape) == 3
            shape = (l, m, n) if batched else (m, n)
            out = self._new_output(arrays["a"], shape)
        views["d"] = _arrays.view(out, "out", handle)
        if not views["d"].writable:
            raise InvalidArgument("out: expected an array to write to, got one to read")
        if handle is None:
            # Libraries other than torch say which stream they work in.
            streams = {
                view.stream for view in views.values() if view.stream is not None
            }
            if len(streams) > 1:
                raise InvalidArgument(
                    "stream: expected the stream to launch in, because the arrays name "
                    f"several: {sorted(streams)}"
                )
            # 1 names the default stream, 2 that of the thread, as in cuda.h.
            handle = streams.pop() if streams else None
        ordinal = _arrays.require_same_device(
            {"out" if name == "d" else name: view for name, view in views.items()}
        )
        if device is None:
            device = _device_of(ordinal)
        elif (device.info.backend == "emulator") != (ordinal < 0):
            raise InvalidArgument(
                f"device: expected the device of the arrays, which are on "
                f"{_arrays.device_name(ordinal)}, got {device!r}"
            )
        described = [
            self._describe(name, view, sizes) for name, view in views.items()
        ]
        operands = (_abi.Operand * len(described))(*described)
        arguments = _abi.Arguments()
        arguments.m, arguments.n, arguments.k, arguments.l = sizes
        arguments.alpha = _arrays.number(alpha, "alpha")
        arguments.beta = _arrays.number(beta, "beta")
        arguments.out_scale = _arrays.number(out_scale, "out_scale")
        arguments.sm_count = _sm_count(sm_count)
        arguments.operands = operands
        arguments.operand_count = len(described)
        if repack:
            arguments.flags |= _abi.LAUNCH_REPACK
        if precise_sums:
            arguments.flags |= _abi.LAUNCH_PRECISE_SUMS
        yield _Call(arguments, handle, device, device.info.target, out, views)

    @staticmethod
    def _stream_of(arrays: dict, out: Any) -> Any:
        for array in (out, *arrays.values()):
            if _arrays.is_torch(array) and array.device.type == "cuda":
                torch = sys.modules["torch"]
                return torch.cuda.current_stream(array.device).cuda_stream
        return None

    def _columns(self, view: _arrays.View, element: str) -> int:
        """Values of a row: items, or what bytes of packed codes hold."""
        if view.itemsize == 1:
            return view.shape[-1] * 8 // _abi.ELEMENT_BITS[element]
        return view.shape[-1]

    def _sizes(self, views: dict, k: Optional[int]) -> tuple:
        """M, N, K, L of the operands."""
        info = self.infos[0]
        a, b = views["a"], views["b"]
        for name, view, rows in (("a", a, "M"), ("b", b, "N")):
            if len(view.shape) not in (2, 3):
                raise InvalidArgument(
                    f"{name}: expected shape [{rows}, K] or [L, {rows}, K], got "
                    f"{list(view.shape)}"
                )
            if view.items and view.shape[-1] > 1 and view.strides[-1] != 1:
                hint = ""
                if view.strides[-2] == 1:
                    hint = f"; K must be the last dimension, pass {name}.mT"
                raise InvalidArgument(
                    f"{name}: expected K contiguous, got strides "
                    f"{list(view.strides)}{hint}"
                )
        columns_a = self._columns(a, info.a)
        columns_b = self._columns(b, info.b)
        if k is None:
            k = columns_a
            if columns_b != columns_a:
                raise InvalidArgument(
                    f"b: expected as many values a row as a has, {columns_a}, got "
                    f"{columns_b}; give k if the rest is padding"
                )
        elif not 0 <= _arrays.integer(k, "k") <= min(columns_a, columns_b):
            raise InvalidArgument(
                f"k: expected 0 to the {min(columns_a, columns_b)} values of a row, got "
                f"{k}"
            )
        batches = {
            view.shape[0] for view in (a, b) if len(view.shape) == 3
        } or {1}
        if len(batches) != 1:
            raise InvalidArgument(
                f"b: expected the {a.shape[0]} batches of a, got {b.shape[0]}"
            )
        l = batches.pop()
        if l != 1:
            for name, view in (("a", a), ("b", b)):
                if len(view.shape) != 3:
                    raise InvalidArgument(
                        f"{name}: expected {l} batches, shape [L, rows, K], got "
                        f"{list(view.shape)}; a kernel reads every batch of its own"
                    )
        return a.shape[-2], b.shape[-2], k, l

    def _describe(self, name: str, view: _arrays.View, sizes: tuple) -> _abi.Operand:
        m, n, k, l = sizes
        role = _abi.ROLES.index(name)
        shown = "out" if name == "d" else name
        rules = self.infos[0].operands.get(name)
        if rules is None:
            taken = [role for role in self.infos[0].operands if role != "workspace"]
            raise InvalidArgument(
                f"{shown}: the kernel {self.name} takes no such operand; it takes "
                f"{', '.join('out' if role == 'd' else role for role in taken)}"
            )
        self._check_element(shown, view, rules.element)
        operand = _abi.Operand()
        operand.role = role
        # Raw 16-bit words stand for whatever the kernel has there.
        operand.element = 0 if view.element == "u16" else _abi.ELEMENTS[view.element]
        operand.layout = rules.layout
        operand.data = view.address or None
        operand.bytes = view.footprint
        if rules.layout == _abi.LAYOUT_BLOCKED:
            self._check_blocked(shown, view, sizes)
            return operand
        if rules.layout == _abi.LAYOUT_VECTOR:
            self._check_vector(shown, view, sizes)
            if l > 1 and len(view.shape) == 2 and view.shape[0] == l:
                operand.batch_stride = view.shape[1]
            return operand
        rows = n if name in ("b", "sfb") else m
        if name in ("sfa", "sfb"):
            columns = -(-k // self.infos[0].scale_vector)
            if name == "sfb":
                rows = -(-rows // max(self.infos[0].scale_rows_b, 1))
        elif name in ("a", "b"):
            columns = view.shape[-1]
        else:
            columns = n
            if view.itemsize == 1:
                columns = (n * _abi.ELEMENT_BITS[rules.element] + 7) // 8
        expected = (l, rows, columns) if len(view.shape) == 3 else (rows, columns)
        if tuple(view.shape) != expected or (len(expected) == 2 and l != 1):
            wanted = [rows, columns] if l == 1 else [l, rows, columns]
            raise InvalidArgument(
                f"{shown}: expected shape {wanted}, got {list(view.shape)}"
            )
        # The dimension whose values follow each other, and the other one.
        inner, outer = (-2, -1) if rules.layout == _abi.LAYOUT_COLUMN_MAJOR else (-1, -2)
        if view.items and view.shape[inner] > 1 and view.strides[inner] != 1:
            what = "contiguous rows" if inner == -1 else "column-major scales"
            raise InvalidArgument(
                f"{shown}: expected {what}, got strides {list(view.strides)}"
            )
        if view.items == 0:
            return operand
        bits = _abi.ELEMENT_BITS[rules.element]
        values = 1 if view.itemsize * 8 == bits else view.itemsize * 8 / bits
        if view.shape[outer] > 1:
            operand.pitch = self._whole(shown, view.strides[outer] * values, view)
        if len(view.shape) == 3 and view.shape[0] > 1:
            operand.batch_stride = self._whole(shown, view.strides[0] * values, view)
        return operand

    def _check_element(self, name: str, view: _arrays.View, element: str) -> None:
        bits = _abi.ELEMENT_BITS[element]
        # Bytes and raw 16-bit words stand for whatever the kernel has there, an
        # array of e4m3 for its unsigned form.
        accepted = {element}
        if bits <= 8:
            accepted.add("u8")
        if bits == 16:
            accepted.add("u16")
        if element == "ue4m3":
            accepted.add("e4m3")
        if view.element not in accepted:
            raise TypeError(
                f"{name}: expected {element}{' or bytes of it' if bits <= 8 else ''}, "
                f"as {self.name} has it, got {view.element}"
            )

    @staticmethod
    def _whole(name: str, stride: float, view: _arrays.View) -> int:
        if stride <= 0 or stride != int(stride):
            raise InvalidArgument(
                f"{name}: expected positive strides of whole values, got "
                f"{list(view.strides)}"
            )
        return int(stride)

    def _check_blocked(self, name: str, view: _arrays.View, sizes: tuple) -> None:
        m, n, k, l = sizes
        rows = m if name == "sfa" else n
        groups = -(-k // self.infos[0].scale_vector)
        count = -(-rows // 128) * -(-groups // 4) * 512
        shape = list(view.shape)
        if len(shape) in (2, 3) and shape[-2:] == [rows, groups] and shape[-1] != count:
            raise InvalidArgument(
                f"{name}: expected blocked 128x4 scales, {count} bytes in the order of "
                f"bsmm.to_blocked, got shape {shape}, which is that of linear scales; "
                "convert them with bsmm.to_blocked, or flatten what is blocked already"
            )
        if view.items != l * count or not view.is_contiguous:
            raise InvalidArgument(
                f"{name}: expected {l * count} contiguous bytes of blocked 128x4 scales "
                f"for {rows} rows and {groups} groups"
                f"{f' in each of {l} batches' if l > 1 else ''}, got shape {shape} with "
                f"strides {list(view.strides)}"
            )

    def _check_vector(self, name: str, view: _arrays.View, sizes: tuple) -> None:
        m, n, _, l = sizes
        length = m if name == "sa" else n
        if name in ("sa", "sb") and self.infos[0].row_scales == "tensor":
            length = 1
        accepted = {(length,), (length, 1), (1, length), (l, length)}
        if length == 1:
            accepted.add(())
        if tuple(view.shape) not in accepted or not view.is_contiguous:
            raise InvalidArgument(
                f"{name}: expected {length} contiguous value{'s' * (length != 1)}, got "
                f"shape {list(view.shape)} with strides {list(view.strides)}"
            )


class _Call(NamedTuple):
    """One launch, with everything that it needs kept alive."""

    arguments: _abi.Arguments
    stream: Optional[int]
    device: Device
    target: str
    out: Any
    views: dict


_log_callbacks: list = []


def set_log(callback: Any) -> None:
    """Receives what is worth knowing but no error, e.g. repacked operands.

    Parameters
    ----------
    callback : callable or None
        Called with ``"info"`` or ``"warning"`` and a text. It must not call the
        runtime.
    """
    if callback is not None and not callable(callback):
        raise TypeError(
            f"callback: expected a function or None, got {type(callback).__name__}"
        )
    if callback is None:
        check_callback = _abi.LogCallback(0)
    else:

        def report(_user, level, text):
            callback("warning" if level else "info", _text(text))

        check_callback = _abi.LogCallback(report)
    library().bsmm_set_log(check_callback, None)
    # The old callback lives until nobody can call it any more.
    _log_callbacks[:] = [check_callback]

"""Scaled matrix products with the argument conventions of torch._scaled_mm."""

from __future__ import annotations

import glob
import os
import sys
import threading
from typing import Any, NamedTuple, Optional, Union

from . import _abi, _arrays
from ._errors import InvalidArgument, NotFound, UnsupportedProblem
from ._runtime import Artifact, Kernel, KernelInfo, _device_of, load

_lock = threading.Lock()
_registered: list[Artifact] = []
_found: Optional[list[Artifact]] = None


def register_kernels(source: Union[str, "os.PathLike[str]", Artifact]) -> Artifact:
    """Makes the kernels of an artifact available to :func:`scaled_mm`.

    Parameters
    ----------
    source : path or Artifact
        What was registered last is tried first. Artifacts named by the
        environment variable ``BSMM_KERNELS`` (files and folders, separated by
        ``:``) and those in the folder ``kernels`` of this package come after.

    Returns
    -------
    Artifact
        The artifact.
    """
    artifact = source if isinstance(source, Artifact) else load(source)
    with _lock:
        _registered.insert(0, artifact)
        _choices.clear()
    return artifact


def clear_kernels() -> None:
    """Forgets all registered kernels, and looks for files anew next time."""
    global _found
    with _lock:
        _registered.clear()
        _choices.clear()
        _found = None


def _artifacts() -> list:
    global _found
    if _found is None:
        places = [
            place
            for place in os.environ.get("BSMM_KERNELS", "").split(os.pathsep)
            if place
        ]
        places.append(os.path.join(os.path.dirname(__file__), "kernels"))
        files = []
        for place in places:
            if os.path.isdir(place):
                files += sorted(glob.glob(os.path.join(place, "*.bsmm")))
            elif os.path.exists(place):
                files.append(place)
            elif place != places[-1]:
                raise NotFound(
                    f"BSMM_KERNELS: expected a file or folder, got {place!r}"
                )
        loaded = [load(file) for file in files]
        with _lock:
            if _found is None:
                _found = loaded
    return _registered + _found


class _Request(NamedTuple):
    """What a kernel must be able to do."""

    a: str
    b: str
    out: str
    bias: str  # "none": no bias
    scales: str  # "tensor", "rows", "f32" (blocks of 128), "ue4m3", "ue8m0"
    fast: bool
    target: str  # "": any


_choices: dict[tuple, "list[_Choice]"] = {}


class _Choice(NamedTuple):
    """A kernel for a request, and how it takes the scales."""

    kernel: Kernel
    scales: str  # "tensor", "rows", "blocks"


def _refusal(info: KernelInfo, request: _Request) -> str:
    """Why a kernel cannot serve a request; empty when it can."""
    if request.target and info.target != request.target:
        return f"is for {info.target}"
    for name in ("a", "b", "out"):
        if getattr(info, name) != getattr(request, name):
            return f"has {name} of {getattr(info, name)}"
    if request.scales in ("tensor", "rows"):
        if info.scale_type != "none":
            return "has block scales"
        takes = {"tensor": ("tensor", "f32"), "rows": ("f32",)}[request.scales]
        if info.row_scales not in takes:
            return f"takes row scales of the kind {info.row_scales}"
    elif info.scale_type != request.scales:
        return f"has block scales of {info.scale_type}"
    elif info.row_scales != "none":
        return f"also takes row scales of the kind {info.row_scales}"
    if info.bias != "none" and request.bias == "none":
        return "needs a bias"
    if info.bias != request.bias:
        return f"takes {'no bias' if info.bias == 'none' else f'a bias of {info.bias}'}"
    if info.activation != "none":
        return f"applies {info.activation}"
    if not request.fast and not info.has_precise_sums:
        return (
            "keeps its sums in the tensor core (promote_every is 0), which "
            "use_fast_accum=True allows"
        )
    return ""


def _choose(request: _Request) -> "list[_Choice]":
    """Kernels that serve a request, the better one first."""
    key = tuple(request)
    choices = _choices.get(key)
    if choices is not None:
        return choices
    refusals = []
    fitting = []
    for artifact in _artifacts():
        for kernel in artifact:
            reasons = [_refusal(info, request) for info in kernel.infos]
            if "" not in reasons:
                refusals += [
                    f"{kernel.name} ({info.target}) {reason}"
                    for info, reason in zip(kernel.infos, reasons)
                ]
                continue
            info = kernel.infos[reasons.index("")]
            scales = {"tensor": "tensor", "f32": "rows"}.get(info.row_scales, "blocks")
            # Scales of the asked kind first; fast sums where they are allowed.
            order = (
                request.scales == "tensor" and scales != "tensor",
                request.fast and info.has_precise_sums,
            )
            fitting.append((order, len(fitting), _Choice(kernel, scales)))
    if not fitting:
        wanted = (
            f"{request.a} x {request.b} -> {request.out} with scales "
            f"{request.scales}, bias {request.bias}, "
            f"use_fast_accum={request.fast}"
            f"{f', {request.target}' if request.target else ''}"
        )
        known = "; ".join(refusals) or "no kernels are registered"
        raise NotFound(
            f"scaled_mm: expected a kernel for {wanted}; {known}. "
            "bsmm.register_kernels(path) adds an artifact"
        )
    choices = [choice for _, _, choice in sorted(fitting, key=lambda each: each[:2])]
    with _lock:
        _choices[key] = choices
    return choices


def _scale_kind(scale: _arrays.View, name: str, rows: int, columns: int) -> str:
    """"tensor", "rows", "f32" (blocks of 128), "ue4m3" or "ue8m0"."""
    if scale.element == "e4m3":
        return "ue4m3"
    if scale.element == "ue8m0":
        return "ue8m0"
    if scale.element == "u8":
        # One scale for 16 values or one for 32: the size tells.
        blocks = -(-rows // 128) * 512
        sizes = {
            kind: blocks * -(-columns // (4 * vector))
            for kind, vector in (("ue4m3", 16), ("ue8m0", 32))
        }
        kinds = [kind for kind, size in sizes.items() if size == scale.items]
        if len(kinds) == 1:
            return kinds[0]
        raise TypeError(
            f"{name}: expected float8_e4m3fn or float8_e8m0fnu, got {scale.items} bytes, "
            f"which do not say which of them they are ({sizes['ue4m3']} for 16 values a "
            f"scale, {sizes['ue8m0']} for 32)"
        )
    if scale.element != "f32":
        raise TypeError(
            f"{name}: expected float32, or block scales of float8_e4m3fn or "
            f"float8_e8m0fnu, got {scale.element}"
        )
    if scale.items == 1:
        return "tensor"
    shape = [rows, 1] if name == "scale_a" else [1, rows]
    groups = -(-columns // 128)
    blocks = [rows, groups] if name == "scale_a" else [groups, -(-rows // 128)]
    if list(scale.shape) == blocks and blocks != shape:
        return "f32"
    if list(scale.shape) != shape or not scale.is_contiguous:
        line = "row" if name == "scale_a" else "column"
        raise InvalidArgument(
            f"{name}: expected one value, or one a {line} as a contiguous {shape}, "
            f"or one for blocks of 128 as {blocks}, got shape {list(scale.shape)} "
            f"with strides {list(scale.strides)}"
        )
    return "rows"


def _check_matrices(shape_a: tuple, shape_b: tuple) -> None:
    for name, shape in (("mat1", shape_a), ("mat2", shape_b)):
        if len(shape) != 2:
            raise InvalidArgument(
                f"{name}: expected two dimensions, got shape {list(shape)}"
            )
    if shape_a[1] != shape_b[0]:
        raise InvalidArgument(
            f"mat2: expected {shape_a[1]} rows, as mat1 has columns, got shape "
            f"{list(shape_b)}"
        )


def _transposed(array: Any) -> Any:
    return array.t() if _arrays.is_torch(array) else array.T


def _run(
    mat1: Any,
    mat2: Any,
    scale_a: Any,
    scale_b: Any,
    bias: Any,
    out_element: str,
    out_scale: float,
    fast: bool,
    kernel: Optional[Kernel],
    out: Any = None,
) -> Any:
    """The product; arguments have been put into the form of the custom op."""
    views = {
        "mat1": _arrays.view(mat1, "mat1"),
        "mat2": _arrays.view(mat2, "mat2"),
        "scale_a": _arrays.view(scale_a, "scale_a"),
        "scale_b": _arrays.view(scale_b, "scale_b"),
    }
    if bias is not None:
        views["bias"] = _arrays.view(bias, "bias")
    a, b = views["mat1"], views["mat2"]
    _check_matrices(a.shape, b.shape)
    if b.shape[0] > 1 and b.strides[0] != 1:
        raise InvalidArgument(
            f"mat2: expected a column-major matrix, e.g. weight.t() of a contiguous "
            f"[N, K] weight, got strides {list(b.strides)}"
        )
    ordinal = _arrays.require_same_device(views)
    m, n = a.shape[0], b.shape[1]
    # Bytes are packed e2m1 codes with block scales, the only type without a name
    # in every torch, and e4m3 codes with scales of f32, as numpy has them.
    raw = "e4m3" if views["scale_a"].element == "f32" else "e2m1"
    element_a = raw if a.element == "u8" else a.element
    element_b = raw if b.element == "u8" else b.element
    if kernel is not None:
        element_a = kernel.infos[0].a if a.element == "u8" else a.element
        element_b = kernel.infos[0].b if b.element == "u8" else b.element
    k = a.shape[1] * a.itemsize * 8 // _abi.ELEMENT_BITS.get(element_a, 8)
    kind_a = _scale_kind(views["scale_a"], "scale_a", m, k)
    kind_b = _scale_kind(views["scale_b"], "scale_b", n, k)
    # One value may go with one a column or row: it counts for all of them.
    kinds = {kind_a, kind_b}
    if k <= 128 and kinds == {"rows", "f32"} and kind_b == "f32":
        kinds = {"f32"}  # one group: scales of rows are those of its blocks
    if len(kinds) == 2 and kinds != {"tensor", "rows"}:
        raise InvalidArgument(
            f"scale_b: expected scales of the kind of scale_a, {kind_a}, got {kind_b}"
        )
    kind = next((one for one in ("rows", "f32") if one in kinds), kind_a)
    request = _Request(
        element_a,
        element_b,
        out_element,
        "none" if bias is None else views["bias"].element,
        kind,
        fast,
        _device_of(ordinal).info.target,
    )
    if kernel is None:
        choices = _choose(request)
    else:
        reasons = [_refusal(info, request) for info in kernel.infos]
        if "" not in reasons:
            raise InvalidArgument(
                f"kernel: {kernel.name} {'; '.join(dict.fromkeys(reasons))}"
            )
        row_scales = kernel.infos[reasons.index("")].row_scales
        choices = [
            _Choice(kernel, {"tensor": "tensor", "f32": "rows"}.get(row_scales, "blocks"))
        ]
    options: dict[str, Any] = {
        "out_scale": out_scale,
        "out": out,
        "precise_sums": not fast,
    }
    if bias is not None:
        options["bias"] = bias
    transposed = _transposed(mat2)
    refusals = []
    for choice in choices:
        operands, scales = (mat1, transposed), {}
        if choice.scales == "blocks":
            operands = (mat1, scale_a.reshape(-1), transposed, scale_b.reshape(-1))
            if kind == "f32":
                operands = (mat1, scale_a, transposed, _transposed(scale_b))
        elif choice.scales == "tensor":
            scales = {"sa": scale_a.reshape(1), "sb": scale_b.reshape(1)}
        else:
            scales = {"sa": _one_a_row(scale_a, m), "sb": _one_a_row(scale_b, n)}
        try:
            return choice.kernel(*operands, **scales, **options)
        except UnsupportedProblem as error:
            # Another kernel may take these sizes, strides and addresses.
            refusals.append(str(error))
    raise UnsupportedProblem("; ".join(refusals))


def _one_a_row(scale: Any, rows: int) -> Any:
    """`rows` values; a single one is repeated."""
    scale = scale.reshape(-1)
    if scale.shape[0] == rows:
        return scale
    if _arrays.is_torch(scale):
        return scale.expand(rows).contiguous()
    return sys.modules["numpy"].repeat(scale, rows)


_ELEMENT_OF_NAME = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
}


def _out_element(out_dtype: Any, mat1: Any) -> str:
    if out_dtype is None:
        if not hasattr(mat1, "dtype"):
            _arrays.view(mat1, "mat1")
            raise TypeError("out_dtype: expected a type, because mat1 names none")
        out_dtype = mat1.dtype
    name = getattr(out_dtype, "name", None) or str(out_dtype)
    if isinstance(out_dtype, type):
        name = out_dtype.__name__
    name = name.replace("torch.", "")
    name = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}.get(name, name)
    element = _ELEMENT_OF_NAME.get(name)
    if element is None:
        raise TypeError(
            f"out_dtype: expected one of {', '.join(_ELEMENT_OF_NAME)}, got {name}"
            + (
                "; it defaults to the type of mat1, give another one"
                if name in ("uint8", "float4_e2m1fn_x2")
                else ""
            )
        )
    return element


def scaled_mm(
    mat1: Any,
    mat2: Any,
    scale_a: Any,
    scale_b: Any,
    bias: Any = None,
    scale_result: Any = None,
    out_dtype: Any = None,
    use_fast_accum: bool = False,
    *,
    kernel: Optional[Kernel] = None,
) -> Any:
    """Product of scaled narrow matrices, called like ``torch._scaled_mm``.

    ``out = cast((mat1 @ mat2) * scale_a * scale_b + bias)``, with sums and
    scales in f32.

    Parameters
    ----------
    mat1 : array, shape [M, K]
        Row-major: K is contiguous. Packed e2m1 codes count as bytes. Bytes with
        scales of float32 are e4m3 codes.
    mat2 : array, shape [K, N]
        Column-major: K is contiguous, e.g. ``weight.t()``.
    scale_a, scale_b : arrays
        float32, one value (per tensor), or [M, 1] and [1, N] (per row and
        column; one of them may still be one value), or [M, ceil(K / 128)] and
        [ceil(K / 128), ceil(N / 128)] (blocks of 1x128 and 128x128), in the order
        that the kernel has: as torch has them, the former with rows and the latter
        with groups of K that follow each other. Or block scales in the blocked
        128x4 order: float8_e4m3fn for 16 values, float8_e8m0fnu for 32.
    bias : array, shape [N], optional
        Added to every row.
    scale_result : float or scalar array, optional
        Factor of the result, for narrow outputs. A tensor on a GPU is read,
        which waits for the device.
    out_dtype : dtype, optional
        float32, float16, bfloat16, float8_e4m3fn or float8_e5m2 (torch's or
        numpy's object, or the name). The default is that of `mat1`, as in torch.
    use_fast_accum : bool, optional
        On Hopper: let the tensor core add all products, with fewer bits than
        f32 has. Elsewhere both are the same.
    kernel : Kernel, optional
        Use this one. The default is the first fitting kernel of what
        :func:`register_kernels` got.

    Returns
    -------
    array, shape [M, N]
        Of `out_dtype`.

    Raises
    ------
    NotFound
        No registered kernel fits; the text says why each of them does not.
    TypeError, ValueError
        A wrong type, shape or stride.

    Notes
    -----
    For torch tensors this is the custom operator ``torch.ops.bsmm.scaled_mm``,
    so that ``torch.compile`` and export work; `kernel` must be registered then.
    """
    factor = 1.0 if scale_result is None else scale_result
    if _arrays.is_torch(mat1):
        from . import _torch_ops

        for name, scale in (("scale_a", scale_a), ("scale_b", scale_b)):
            if not _arrays.is_torch(scale):
                raise TypeError(
                    f"{name}: expected a tensor, as mat1 is one, got "
                    f"{type(scale).__name__}"
                )
        if kernel is None:
            return _torch_ops.scaled_mm(
                mat1,
                mat2,
                scale_a,
                scale_b,
                bias,
                _torch_ops.out_dtype(out_dtype, mat1),
                float(factor),
                use_fast_accum,
            )
    return _run(
        mat1,
        mat2,
        scale_a,
        scale_b,
        bias,
        _out_element(out_dtype, mat1),
        factor,
        use_fast_accum,
        kernel,
    )

"""Quantisation, codes, packing and the order of scales.

Numpy arrays and CPU tensors are handled by the runtime's C functions, tensors
on a GPU by torch operations that give the same bytes.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple, Optional, Union

from . import _abi, _arrays
from ._errors import InvalidArgument
from ._library import check, library

#: e4m3's smallest value, which loses the least of small groups.
SMALLEST_E4M3 = 2.0**-9

_MX_ELEMENTS = ("e2m1", "e2m3", "e3m2", "e4m3", "e5m2")
_CODE_ELEMENTS = _MX_ELEMENTS + ("ue4m3", "ue8m0")
_RULES = {"floor": 0, "round_up": 1}
_SCALE_LAYOUTS = {"linear": _abi.LAYOUT_ROWS, "blocked": _abi.LAYOUT_BLOCKED}


class NVFP4(NamedTuple):
    """What :func:`quantize_nvfp4` returns.

    Attributes
    ----------
    codes : array, shape (..., rows, ceil(columns / 2)), bytes
        e2m1 codes, two a byte, the earlier one in the low half. Rows are a
        multiple of 16 bytes apart, so that TMA can read them.
    scales : array of bytes
        e4m3 block scales, one for 16 values. Layout ``"blocked"``: shape
        (..., bytes), ``"linear"``: (..., rows, ceil(columns / 16)).
    global_scale : f32 scalar
        What the product has to be multiplied by, besides.
    """

    codes: Any
    scales: Any
    global_scale: Any


class MX(NamedTuple):
    """What :func:`quantize_mx` returns.

    Attributes
    ----------
    codes : array, shape (..., rows, bytes)
        Packed codes. Rows are a multiple of 16 bytes apart.
    scales : array of bytes
        ue8m0 block scales. Layout ``"blocked"``: shape (..., bytes),
        ``"linear"``: (..., rows, ceil(columns / vector)).
    """

    codes: Any
    scales: Any


def _expect(argument: str, value: Any, choices: Any) -> None:
    # An array would be compared item by item.
    if not isinstance(value, (str, int)) or value not in choices:
        raise InvalidArgument(
            f"{argument}: expected one of {', '.join(map(repr, choices))}, got {value!r}"
        )


def _require_numpy():
    numpy = sys.modules.get("numpy")
    if numpy is None:
        import numpy
    return numpy


def _known(array: Any, argument: str) -> Any:
    """The array as a torch tensor or a numpy array, without a copy."""
    torch = sys.modules.get("torch")
    if _arrays.is_torch(array):
        if array.layout is not torch.strided:
            raise TypeError(f"{argument}: expected a dense tensor, got {array.layout}")
        return array
    if _arrays.is_numpy(array):
        return array
    if hasattr(array, "__dlpack__"):
        if torch is not None:
            return torch.from_dlpack(array)
        if int(array.__dlpack_device__()[0]) == 1:
            return _require_numpy().from_dlpack(array)
        raise TypeError(
            f"{argument}: expected torch to be imported for arrays on a GPU, got "
            f"{type(array).__name__} without it"
        )
    raise TypeError(
        f"{argument}: expected a torch tensor, a numpy array, or an object with "
        f"__dlpack__, got {type(array).__name__}"
    )


def _by_torch(array: Any) -> bool:
    """Whether torch operations do the work: on a GPU, while compiling, and for
    tensors without memory of their own."""
    if not _arrays.is_torch(array):
        return False
    torch = sys.modules["torch"]
    return (
        array.device.type != "cpu"
        or type(array) not in (torch.Tensor, torch.nn.Parameter)
        or torch.compiler.is_compiling()
    )


def _torch_numbers():
    from . import _torch_numbers as module

    return module


def _zeros(like: Any, shape: tuple, kind: str = "uint8") -> Any:
    """A new array on the host, of the same library as `like`."""
    if _arrays.is_torch(like):
        torch = sys.modules["torch"]
        return torch.zeros(shape, dtype=getattr(torch, kind))
    return _require_numpy().zeros(shape, dtype=kind)


def _contiguous_rows(array: Any) -> Any:
    """The array, copied unless its rows are contiguous and do not overlap."""
    is_torch = _arrays.is_torch(array)
    strides = array.stride() if is_torch else array.strides
    step = 1 if is_torch else array.dtype.itemsize
    extent = 1  # items from the first to the end of the last one, so far
    dimensions = zip(reversed(array.shape), reversed(strides))
    for index, (size, stride) in enumerate(dimensions):
        if size > 1:
            items, rest = divmod(stride, step)
            if rest or items < extent or (index == 0 and items != 1):
                break
            extent += (size - 1) * items
    else:
        return array
    if is_torch:
        return array.contiguous()
    return _require_numpy().ascontiguousarray(array)


def _as_bytes(array: Any, argument: str) -> Any:
    """The array with its items seen as bytes."""
    if _arrays.is_torch(array):
        torch = sys.modules["torch"]
        if array.element_size() != 1:
            raise TypeError(f"{argument}: expected items of one byte, got {array.dtype}")
        return array.view(torch.uint8)
    if array.dtype.itemsize != 1:
        raise TypeError(f"{argument}: expected items of one byte, got {array.dtype}")
    return array.view(_require_numpy().uint8)


def _as_codes(array: Any, element: str) -> Any:
    """Bytes of codes in the type that torch has for them, if it has one.

    torch's compiler cannot generate code for two of its types (2.11): compiled
    code gets bytes.
    """
    if not _arrays.is_torch(array):
        return array
    torch = sys.modules["torch"]
    if element in ("e2m1", "ue8m0") and torch.compiler.is_compiling():
        return array
    name = {
        "e2m1": "float4_e2m1fn_x2",
        "e4m3": "float8_e4m3fn",
        "ue4m3": "float8_e4m3fn",
        "e5m2": "float8_e5m2",
        "ue8m0": "float8_e8m0fnu",
    }.get(element)
    dtype = getattr(torch, name, None) if name else None
    return array if dtype is None else array.view(dtype)


def _matrix(array: Any, argument: str) -> tuple:
    """Batches, rows, columns of an array of two or three dimensions."""
    shape = tuple(array.shape)
    if len(shape) not in (2, 3):
        raise InvalidArgument(
            f"{argument}: expected 2 or 3 dimensions, [rows, columns] or [batches, "
            f"rows, columns], got shape {list(shape)}"
        )
    return shape if len(shape) == 3 else (1,) + shape


def _strides(view: _arrays.View) -> tuple:
    """Pitch and batch stride, in items, of two or three dimensions."""
    pitch = view.strides[-2] if view.shape[-2] > 1 else max(view.shape[-1], 1)
    batch = 0
    if len(view.shape) == 3 and view.shape[0] > 1:
        batch = view.strides[0]
    return pitch, batch


def _values(array: Any, argument: str) -> tuple:
    """The C description of values, and their view."""
    array = _contiguous_rows(array)
    view = _arrays.view(array, argument)
    if view.element not in ("f32", "f16", "bf16"):
        raise TypeError(
            f"{argument}: expected float32, float16 or bfloat16, got {view.element}"
        )
    batches, rows, columns = _matrix(array, argument)
    pitch, batch_stride = _strides(view)
    return (
        _abi.Values(
            _abi.ELEMENTS[view.element],
            view.address,
            batches,
            rows,
            columns,
            pitch,
            batch_stride,
        ),
        view,
    )


def _check_values(array: Any, argument: str) -> tuple:
    """Shape of values that torch operations are to quantise."""
    name = str(array.dtype).replace("torch.", "")
    if name not in ("float32", "float16", "bfloat16"):
        raise TypeError(
            f"{argument}: expected float32, float16 or bfloat16, got {name}"
        )
    return _matrix(array, argument)


def _pitch_bytes(element: str, columns: int) -> int:
    bits = _abi.ELEMENT_BITS[element]
    step = 128 if bits == 6 else 128 // bits
    return -(-columns // step) * step * bits // 8


def _row_bytes(element: str, columns: int) -> int:
    return (columns * _abi.ELEMENT_BITS[element] + 7) // 8


def _quantize_on_host(
    array: Any,
    element: str,
    vector: int,
    layout: str,
    call: Any,
) -> tuple:
    """Allocates the results, calls ``call(values, codes, scales)``."""
    values, view = _values(array, "values")
    batches, rows, columns = values.batches, values.rows, values.columns
    leading = tuple(array.shape[:-2])
    pitch = _pitch_bytes(element, columns)
    codes = _zeros(array, leading + (rows, pitch))
    groups = -(-columns // vector)
    if layout == "blocked":
        count = library().bsmm_blocked_bytes(rows, groups, 1)
        scales = _zeros(array, leading + (count,))
    else:
        scales = _zeros(array, leading + (rows, groups))
    bits = _abi.ELEMENT_BITS[element]
    status = call(
        values,
        _abi.Codes(
            _abi.ELEMENTS[element],
            _arrays.view(codes, "codes").address,
            pitch * 8 // bits,
            0,
        ),
        _abi.BlockScales(
            _SCALE_LAYOUTS[layout], _arrays.view(scales, "scales").address, 0, 0, 0
        ),
    )
    check(status)
    del view  # what the values lie in has lived until here
    return codes[..., : _row_bytes(element, columns)], scales


def _finish_torch(codes: Any, scales: Any, element: str, layout: str) -> tuple:
    """Packed codes with padded rows, and scales in their layout."""
    torch = sys.modules["torch"]
    numbers = _torch_numbers()
    columns = codes.shape[-1]
    bits = _abi.ELEMENT_BITS[element]
    pitch = _pitch_bytes(element, columns)
    codes = torch.nn.functional.pad(codes, (0, pitch * 8 // bits - columns))
    if bits < 8:
        codes = numbers.pack(codes, bits)
    codes = codes[..., : _row_bytes(element, columns)]
    if layout == "blocked":
        batched = scales if scales.dim() == 3 else scales.unsqueeze(0)
        blocked = numbers.to_blocked(batched, 0)
        scales = blocked if scales.dim() == 3 else blocked.squeeze(0)
    return codes, scales


def quantize_nvfp4(
    values: Any,
    global_scale: Optional[Union[float, Any]] = None,
    *,
    min_scale: float = SMALLEST_E4M3,
    layout: str = "blocked",
) -> NVFP4:
    """Quantises rows to NVFP4: e2m1 codes, e4m3 block scales, one f32 scale.

    ``value = code * block scale * global scale``. With ``amax`` the largest
    magnitude of 16 values, in f32::

        block scale = e4m3(min(max((amax / 6) / global_scale, min_scale), 448))
        code = e2m1(value / (global_scale * block scale))

    both rounded to nearest even, codes saturating. A group with an infinity or
    a NaN gets the block scale NaN.

    Parameters
    ----------
    values : array of float32, float16 or bfloat16, shape (..., rows, columns)
        Two dimensions, or three with the batch first. A numpy array, a torch
        tensor or an object with ``__dlpack__``.
    global_scale : float or scalar array, optional
        The default is the largest finite magnitude of `values` / (448 * 6), as
        NVIDIA Transformer Engine and torchao choose it. A tensor on a GPU is
        used without waiting for the device.
    min_scale : float, optional
        Smallest block scale. 2**-9 is the smallest e4m3 value; torchao uses
        2**-6; with 0 a block scale may become 0.
    layout : {"blocked", "linear"}, optional
        Order of the block scales: tiles of 128 rows x 4 groups as tensor cores
        read them, or rows.

    Returns
    -------
    NVFP4
        Codes, block scales, global scale. In torch: float4_e2m1fn_x2 (uint8
        while ``torch.compile`` traces, and before torch 2.8), float8_e4m3fn.

    Raises
    ------
    TypeError
        `values` is no array, or of another type.
    ValueError
        A wrong shape, scale or layout.

    Examples
    --------
    >>> codes, scales, global_scale = bsmm.quantize_nvfp4(x)
    """
    _expect("layout", layout, _SCALE_LAYOUTS)
    min_scale = _arrays.number(min_scale, "min_scale")
    if not 0 <= min_scale <= 448:
        raise InvalidArgument(
            f"min_scale: expected a number from 0 to 448, got {min_scale}"
        )
    values = _known(values, "values")
    if _by_torch(values):
        torch = sys.modules["torch"]
        numbers = _torch_numbers()
        _check_values(values, "values")
        if global_scale is None:
            scale = numbers.global_scale(values)
        else:
            scale = torch.as_tensor(
                global_scale, dtype=torch.float32, device=values.device
            ).reshape(())
        codes, scales = numbers.quantize_nvfp4(values, scale, float(min_scale))
        codes, scales = _finish_torch(codes, scales, "e2m1", layout)
        return NVFP4(_as_codes(codes, "e2m1"), _as_codes(scales, "ue4m3"), scale)

    if global_scale is None:
        described, _ = _values(values, "values")
        amax = ctypes.c_float()
        check(library().bsmm_largest_magnitude(described, amax))
        number = library().bsmm_nvfp4_global_scale(amax.value)
    else:
        number = ctypes.c_float(_arrays.number(global_scale, "global_scale")).value

    def call(described, codes, scales):
        return library().bsmm_quantize_nvfp4(
            described, number, min_scale, codes, scales
        )

    codes, scales = _quantize_on_host(values, "e2m1", 16, layout, call)
    if _arrays.is_torch(values):
        torch = sys.modules["torch"]
        scalar = torch.tensor(number, dtype=torch.float32)
    else:
        scalar = _require_numpy().float32(number)
    return NVFP4(_as_codes(codes, "e2m1"), _as_codes(scales, "ue4m3"), scalar)


def quantize_mx(
    values: Any,
    element: str = "e4m3",
    *,
    rule: str = "floor",
    vector: int = 32,
    layout: str = "blocked",
) -> MX:
    """Quantises rows to an MX format: codes and one power of two for 32 values.

    ``value = code * 2**(scale - 127)``; codes are rounded to nearest even and
    saturate. A group with an infinity or a NaN gets the scale NaN.

    Parameters
    ----------
    values : array of float32, float16 or bfloat16, shape (..., rows, columns)
        Two dimensions, or three with the batch first.
    element : {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"}, optional
        Type of the codes.
    rule : {"floor", "round_up"}, optional
        ``"floor"``: the exponent of the OCP Microscaling specification (6.3);
        values beyond the element type's largest saturate. ``"round_up"``: the
        smallest power of two with which nothing saturates, as cuBLAS does.
    vector : {32, 16}, optional
        Values that share a scale. 16 exists for e2m1 only.
    layout : {"blocked", "linear"}, optional
        Order of the block scales.

    Returns
    -------
    MX
        Codes and block scales. In torch: the type of the codes, or uint8 where
        torch or its compiler has none; float8_e8m0fnu, uint8 while
        ``torch.compile`` traces.

    Raises
    ------
    TypeError
        `values` is no array, or of another type.
    ValueError
        A wrong shape, element, rule, vector or layout.
    """
    _expect("element", element, _MX_ELEMENTS)
    _expect("rule", rule, _RULES)
    _expect("layout", layout, _SCALE_LAYOUTS)
    _expect("vector", vector, (16, 32) if element == "e2m1" else (32,))
    values = _known(values, "values")
    if _by_torch(values):
        _check_values(values, "values")
        codes, scales = _torch_numbers().quantize_mx(
            values, element, rule == "round_up", vector
        )
        codes, scales = _finish_torch(codes, scales, element, layout)
        return MX(_as_codes(codes, element), _as_codes(scales, "ue8m0"))

    def call(described, codes, scales):
        return library().bsmm_quantize_mx(
            described, _RULES[rule], vector, codes, scales
        )

    codes, scales = _quantize_on_host(values, element, vector, layout, call)
    return MX(_as_codes(codes, element), _as_codes(scales, "ue8m0"))


def dequantize(
    codes: Any,
    scales: Any,
    *,
    element: str = "e2m1",
    scale_type: Optional[str] = None,
    vector: Optional[int] = None,
    columns: Optional[int] = None,
    layout: str = "blocked",
    global_scale: float = 1.0,
) -> Any:
    """f32 values of quantised rows.

    Parameters
    ----------
    codes, scales : arrays of bytes
        As :func:`quantize_nvfp4` and :func:`quantize_mx` return them.
    element : str, optional
        Type of the codes.
    scale_type : {"ue4m3", "ue8m0"}, optional
        The default is ue4m3 for vectors of 16, else ue8m0.
    vector : {16, 32}, optional
        The default is 16 for e2m1 codes with ue4m3 scales, else 32.
    columns : int, optional
        The default is what the bytes of a row hold.
    layout : {"blocked", "linear"}, optional
        Order of the scales.
    global_scale : float or scalar array, optional
        Factor of all values.

    Returns
    -------
    array of float32, shape (..., rows, columns)
        ``(code * block scale) * global scale``, rounded after each product.
    """
    _expect("element", element, _MX_ELEMENTS)
    _expect("layout", layout, _SCALE_LAYOUTS)
    if vector is not None:
        _expect("vector", vector, (16, 32))
    if scale_type is None:
        scale_type = "ue4m3" if element == "e2m1" and vector != 32 else "ue8m0"
    _expect("scale_type", scale_type, ("ue4m3", "ue8m0"))
    if vector is None:
        vector = 16 if scale_type == "ue4m3" else 32
    codes = _as_bytes(_known(codes, "codes"), "codes")
    scales = _as_bytes(_known(scales, "scales"), "scales")
    batches, rows, row_bytes = _matrix(codes, "codes")
    bits = _abi.ELEMENT_BITS[element]
    most = row_bytes * 8 // bits
    if columns is None:
        columns = most
    if not 0 <= _arrays.integer(columns, "columns") <= most:
        raise InvalidArgument(
            f"columns: expected 0 to the {most} that {row_bytes} bytes hold, got "
            f"{columns}"
        )
    groups = -(-columns // vector)
    leading = tuple(codes.shape[:-2])
    if layout == "blocked":
        count = -(-rows // 128) * -(-groups // 4) * 512
        scales = _reshape_scales(scales, leading, (count,))
    elif tuple(scales.shape) != leading + (rows, groups):
        raise InvalidArgument(
            f"scales: expected shape {list(leading + (rows, groups))}, got "
            f"{list(scales.shape)}"
        )

    if _by_torch(codes):
        torch = sys.modules["torch"]
        numbers = _torch_numbers()
        if layout == "blocked":
            linear = numbers.from_blocked(scales.reshape(batches, -1), rows, groups)
            scales = linear.reshape(leading + (rows, groups))
        if bits < 8:
            codes = numbers.unpack(codes, bits, columns)
        else:
            codes = codes[..., :columns]
        device = codes.device
        values = numbers.value_table(element, device)[codes.int()]
        factors = numbers.value_table(scale_type, device)[scales.int()]
        factors = factors.repeat_interleave(vector, -1)[..., :columns]
        factor = torch.as_tensor(global_scale, dtype=torch.float32, device=device)
        return values * factors * factor

    codes = _contiguous_rows(codes)
    scales = _contiguous_rows(scales)
    out = _zeros(codes, leading + (rows, columns), "float32")
    code_view, scale_view = _arrays.view(codes, "codes"), _arrays.view(scales, "scales")
    pitch, batch_stride = _strides(code_view)
    scale_pitch, scale_batch_stride = 0, 0
    if layout == "linear":
        scale_pitch, scale_batch_stride = _strides(scale_view)
    if pitch * 8 % bits or batch_stride * 8 % bits:
        # Rows of six-bit codes must be whole codes apart.
        raise InvalidArgument(
            f"codes: expected rows a whole number of {bits}-bit codes apart, got "
            f"{pitch} bytes"
        )
    check(
        library().bsmm_dequantize(
            _abi.Codes(
                _abi.ELEMENTS[element],
                code_view.address,
                pitch * 8 // bits,
                batch_stride * 8 // bits,
            ),
            _abi.BlockScales(
                _SCALE_LAYOUTS[layout],
                scale_view.address,
                scale_pitch,
                scale_batch_stride,
                0,
            ),
            _abi.ELEMENTS[scale_type],
            vector,
            float(global_scale),
            _abi.Values(
                _abi.ELEMENTS["f32"],
                _arrays.view(out, "values").address,
                batches,
                rows,
                columns,
                0,
                0,
            ),
        )
    )
    return out


def _reshape_scales(scales: Any, leading: tuple, inner: tuple) -> Any:
    """Blocked scales of any shape with the right number of bytes."""
    wanted = leading + inner
    count = 1
    for size in wanted:
        count *= size
    have = 1
    for size in scales.shape:
        have *= size
    if have != count:
        raise InvalidArgument(
            f"scales: expected {count} bytes of blocked 128x4 scales, got {have} "
            f"(shape {list(scales.shape)})"
        )
    return scales.reshape(wanted)


def to_blocked(scales: Any, *, padding: int = 0) -> Any:
    """Block scales from rows to the order that tensor cores read.

    Parameters
    ----------
    scales : array of bytes, shape (..., rows, groups)
        One scale an item; two dimensions, or three with the batch first.
    padding : int, optional
        Byte for the rows and groups that fill up the last tiles.

    Returns
    -------
    array of the same type, shape (..., bytes)
        Tiles of 128 rows x 4 groups of 512 bytes each; the scale of row r and
        group g of a tile is at ``r % 32 * 16 + r // 32 * 4 + g``.
    """
    if not 0 <= _arrays.integer(padding, "padding") <= 255:
        raise InvalidArgument(f"padding: expected a byte, got {padding}")
    scales = _known(scales, "scales")
    dtype = scales.dtype
    linear = _contiguous_rows(_as_bytes(scales, "scales"))
    batches, rows, groups = _matrix(linear, "scales")
    leading = tuple(linear.shape[:-2])
    if _by_torch(linear):
        blocked = _torch_numbers().to_blocked(
            linear.reshape(batches, rows, groups), padding
        )
        return blocked.reshape(leading + (-1,)).view(dtype)
    count = library().bsmm_blocked_bytes(rows, groups, 1)
    blocked = _zeros(linear, leading + (count,))
    view = _arrays.view(linear, "scales")
    pitch, batch_stride = _strides(view)
    check(
        library().bsmm_scales_to_blocked(
            view.address,
            batches,
            rows,
            groups,
            pitch,
            batch_stride,
            padding,
            _arrays.view(blocked, "blocked").address,
        )
    )
    return blocked.view(dtype)


def from_blocked(scales: Any, rows: int, groups: int) -> Any:
    """Block scales from the order of tensor cores back to rows.

    Parameters
    ----------
    scales : array of bytes
        Any shape with as many bytes as the tiles of one tensor have, or a batch
        of them in the first dimension.
    rows, groups : int
        Extents without padding.

    Returns
    -------
    array of the same type, shape (rows, groups) or (batches, rows, groups)
        The second when `scales` holds more than one tensor.
    """
    scales = _known(scales, "scales")
    for name, size in (("rows", rows), ("groups", groups)):
        if _arrays.integer(size, name) < 0:
            raise InvalidArgument(f"{name}: expected at least 0, got {size}")
    dtype = scales.dtype
    blocked = _as_bytes(scales, "scales")
    count = -(-rows // 128) * -(-groups // 4) * 512
    have = 1
    for size in blocked.shape:
        have *= size
    batches = have // count if count else 1
    if batches * count != have or batches == 0:
        raise InvalidArgument(
            f"scales: expected a multiple of the {count} bytes of {rows} rows and "
            f"{groups} groups, got {have}"
        )
    leading = () if batches == 1 and len(blocked.shape) < 3 else (batches,)
    blocked = blocked.reshape((batches, count))
    if _by_torch(blocked):
        linear = _torch_numbers().from_blocked(blocked, rows, groups)
        return linear.reshape(leading + (rows, groups)).view(dtype)
    blocked = _contiguous_rows(blocked)
    linear = _zeros(blocked, leading + (rows, groups))
    check(
        library().bsmm_scales_from_blocked(
            _arrays.view(blocked, "scales").address,
            batches,
            rows,
            groups,
            0,
            0,
            _arrays.view(linear, "linear").address,
        )
    )
    return linear.view(dtype)


def pack(codes: Any, bits: int = 4) -> Any:
    """Packs rows of codes, one a byte, to 4 or 6 bits each.

    Parameters
    ----------
    codes : array of uint8, shape (..., columns)
        The code is in the low bits; the others are ignored.
    bits : {4, 6}, optional
        Bits of a code.

    Returns
    -------
    array of uint8, shape (..., ceil(columns * bits / 8))
        The earlier code lies in the lower bits.
    """
    _expect("bits", bits, (4, 6))
    codes = _as_bytes(_known(codes, "codes"), "codes")
    if _by_torch(codes):
        return _torch_numbers().pack(codes, bits)
    return _row_by_row(codes, bits, packing=True, columns=codes.shape[-1])


def unpack(packed: Any, bits: int = 4, columns: Optional[int] = None) -> Any:
    """One code a byte of packed rows.

    Parameters
    ----------
    packed : array of bytes, shape (..., bytes)
        Packed codes.
    bits : {4, 6}, optional
        Bits of a code.
    columns : int, optional
        Codes of a row; the default is as many as the bytes hold.

    Returns
    -------
    array of uint8, shape (..., columns)
        The codes.
    """
    _expect("bits", bits, (4, 6))
    packed = _as_bytes(_known(packed, "packed"), "packed")
    most = packed.shape[-1] * 8 // bits
    if columns is None:
        columns = most
    if not 0 <= _arrays.integer(columns, "columns") <= most:
        raise InvalidArgument(
            f"columns: expected 0 to the {most} that {packed.shape[-1]} bytes hold, got "
            f"{columns}"
        )
    if _by_torch(packed):
        return _torch_numbers().unpack(packed, bits, columns)
    return _row_by_row(packed, bits, packing=False, columns=columns)


def _row_by_row(array: Any, bits: int, packing: bool, columns: int) -> Any:
    """Packs or unpacks rows; all at once when no bits are left over."""
    row_bytes = (columns * bits + 7) // 8
    to_width = row_bytes if packing else columns
    from_width = columns if packing else row_bytes
    array = array[..., :from_width]
    if _arrays.is_torch(array):
        array = array.contiguous()
    else:
        array = _require_numpy().ascontiguousarray(array)
    out = _zeros(array, tuple(array.shape[:-1]) + (to_width,))
    rows = 1
    for size in array.shape[:-1]:
        rows *= size
    count = columns
    if columns * bits % 8 == 0:
        rows, count = 1, rows * columns
    function = library().bsmm_pack if packing else library().bsmm_unpack
    source = _arrays.view(array, "codes").address
    target = _arrays.view(out, "packed").address
    for row in range(rows if count else 0):
        check(function(bits, source + row * from_width, count, target + row * to_width))
    return out


def encode(values: Any, element: str) -> Any:
    """Codes of f32, f16 or bf16 values: nearest, ties to even, saturating.

    Parameters
    ----------
    values : array of float32, float16 or bfloat16, shape (..., columns)
        The values.
    element : str
        ``"e2m1"``, ``"e2m3"``, ``"e3m2"``, ``"e4m3"``, ``"e5m2"``, ``"ue4m3"``
        or ``"ue8m0"``.

    Returns
    -------
    array of uint8, shape (..., columns)
        One code a byte; :func:`pack` packs them.
    """
    _expect("element", element, _CODE_ELEMENTS)
    values = _known(values, "values")
    if _by_torch(values) and element != "ue8m0":
        return _torch_numbers().encode_f32(values.float(), element)
    if _by_torch(values):
        raise InvalidArgument(
            "element: expected a type other than 'ue8m0' for tensors on a GPU; "
            "quantize_mx makes such scales"
        )
    if _arrays.is_torch(values):
        values = values.contiguous()
    else:
        values = _require_numpy().ascontiguousarray(values)
    view = _arrays.view(values, "values")
    if view.element not in ("f32", "f16", "bf16", "f64"):
        raise TypeError(
            f"values: expected float32, float16, bfloat16 or float64, got {view.element}"
        )
    bits = _abi.ELEMENT_BITS[element]
    out = _zeros(values, tuple(values.shape))
    packed = out
    if bits < 8:
        packed = _zeros(values, ((view.items * bits + 7) // 8,))
    check(
        library().bsmm_encode(
            _abi.ELEMENTS[element],
            0,
            _abi.ELEMENTS[view.element],
            view.address,
            view.items,
            _arrays.view(packed, "packed").address,
        )
    )
    if bits < 8:
        check(
            library().bsmm_unpack(
                bits,
                _arrays.view(packed, "packed").address,
                view.items,
                _arrays.view(out, "codes").address,
            )
        )
    return out


def decode(codes: Any, element: str) -> Any:
    """f32 values of codes, one a byte.

    Parameters
    ----------
    codes : array of bytes
        The codes; :func:`unpack` unpacks them.
    element : str
        As for :func:`encode`.

    Returns
    -------
    array of float32, of the same shape
        The values, which are exact.
    """
    _expect("element", element, _CODE_ELEMENTS)
    codes = _as_bytes(_known(codes, "codes"), "codes")
    if _by_torch(codes):
        return _torch_numbers().value_table(element, codes.device)[codes.int()]
    if _arrays.is_torch(codes):
        codes = codes.contiguous()
    else:
        codes = _require_numpy().ascontiguousarray(codes)
    count = _arrays.view(codes, "codes").items
    bits = _abi.ELEMENT_BITS[element]
    packed = codes
    if bits < 8:
        packed = _zeros(codes, ((count * bits + 7) // 8,))
        check(
            library().bsmm_pack(
                bits,
                _arrays.view(codes, "codes").address,
                count,
                _arrays.view(packed, "packed").address,
            )
        )
    out = _zeros(codes, tuple(codes.shape), "float32")
    check(
        library().bsmm_decode(
            _abi.ELEMENTS[element],
            _arrays.view(packed, "packed").address,
            count,
            _arrays.view(out, "values").address,
        )
    )
    return out

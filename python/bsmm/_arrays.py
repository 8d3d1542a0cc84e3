"""Addresses, shapes and types of other people's arrays, without copies.

Understood are torch tensors, numpy arrays, and every object with
``__cuda_array_interface__`` or ``__dlpack__``. Neither torch nor numpy is
imported here: an array of theirs can only exist when somebody else has done so.
"""

from __future__ import annotations

import ctypes
import numbers
import sys
from typing import Any, NamedTuple, Optional

from ._errors import InvalidArgument


def integer(value: Any, argument: str) -> Any:
    """`value`, when it is a whole number."""
    # A size that torch.compile does not know is an integer all the same.
    if isinstance(value, numbers.Integral) or type(value).__name__ == "SymInt":
        return value
    raise TypeError(f"{argument}: expected an integer, got {type(value).__name__}")


def number(value: Any, argument: str) -> float:
    """A number, or the one item of an array."""
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError, RuntimeError):
        pass
    raise TypeError(f"{argument}: expected a number, got {type(value).__name__}")



class View(NamedTuple):
    """Where an array lies and how it looks.

    Attributes
    ----------
    owner
        What keeps the memory alive.
    address : int
        Of the first item.
    element : str
        Element type as in ``docs/abi.md``. ``"u8"`` may be bytes of anything.
    packed : bool
        Items are bytes that hold several values, e.g. two e2m1 codes.
    itemsize : int
        Bytes of an item.
    shape, strides : tuple of int
        In items; ``strides`` is always filled in.
    device : int
        Ordinal of the CUDA device, -1 for memory of the host.
    stream : int or None
        CUDA stream on which the producer works, when it says so.
    writable : bool
        Whether the producer lets others write to it.
    """

    owner: Any
    address: int
    element: str
    packed: bool
    itemsize: int
    shape: tuple
    strides: tuple
    device: int
    stream: Optional[int] = None
    writable: bool = True

    @property
    def items(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def is_contiguous(self) -> bool:
        expected = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides)):
            if size != 1 and stride != expected:
                return self.items == 0
            expected *= size
        return True

    @property
    def footprint(self) -> int:
        """Bytes from the first to the end of the last item."""
        if self.items == 0:
            return 0
        last = sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        return (last + 1) * self.itemsize


def contiguous_strides(shape: tuple) -> tuple:
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


# Names as numpy, ml_dtypes and torch spell them.
_DTYPES = {
    "float16": ("f16", False),
    "bfloat16": ("bf16", False),
    "float32": ("f32", False),
    "float64": ("f64", False),
    "int8": ("s8", False),
    "uint8": ("u8", False),
    "uint16": ("u16", False),
    "int32": ("s32", False),
    "float8_e4m3fn": ("e4m3", False),
    "float8_e5m2": ("e5m2", False),
    "float8_e8m0fnu": ("ue8m0", False),
    "float4_e2m1fn_x2": ("e2m1", True),
}


def _element(name: str, argument: str) -> tuple[str, bool]:
    found = _DTYPES.get(name)
    if found is not None:
        return found
    hint = ""
    if name in ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"):
        # ml_dtypes keeps one code a byte.
        hint = "; pack the codes with bsmm.pack and pass the bytes as uint8"
    raise TypeError(
        f"{argument}: expected one of {', '.join(_DTYPES)}, got {name}{hint}"
    )


def _torch():
    return sys.modules.get("torch")


def is_torch(array: Any) -> bool:
    torch = _torch()
    return torch is not None and isinstance(array, torch.Tensor)


def is_numpy(array: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(array, numpy.ndarray)


def _view_torch(tensor: Any, argument: str) -> View:
    torch = _torch()
    device = tensor.device
    if device.type not in ("cpu", "cuda"):
        raise TypeError(f"{argument}: expected a CPU or CUDA tensor, got {device}")
    if tensor.layout is not torch.strided:
        raise TypeError(f"{argument}: expected a dense tensor, got {tensor.layout}")
    if tensor.is_conj() or tensor.is_neg():
        raise TypeError(
            f"{argument}: expected a tensor without a pending conjugation or "
            "negation, call resolve_conj() or resolve_neg()"
        )
    element, packed = _element(str(tensor.dtype).replace("torch.", ""), argument)
    return View(
        tensor,
        tensor.data_ptr(),
        element,
        packed,
        tensor.element_size(),
        tuple(tensor.shape),
        tuple(tensor.stride()),
        device.index if device.type == "cuda" else -1,
    )


def _item_strides(
    strides: Optional[tuple], shape: tuple, itemsize: int, argument: str
) -> tuple:
    if strides is None:
        return contiguous_strides(shape)
    if any(stride % itemsize for stride in strides):
        raise TypeError(
            f"{argument}: expected strides of whole items of {itemsize} bytes, got "
            f"{tuple(strides)} bytes"
        )
    return tuple(stride // itemsize for stride in strides)


def _view_numpy(array: Any, argument: str) -> View:
    element, packed = _element(array.dtype.name, argument)
    if not array.dtype.isnative:
        raise TypeError(
            f"{argument}: expected native byte order, got {array.dtype.byteorder!r}"
        )
    itemsize = array.dtype.itemsize
    return View(
        array,
        array.__array_interface__["data"][0],
        element,
        packed,
        itemsize,
        tuple(array.shape),
        _item_strides(array.strides, array.shape, itemsize, argument),
        -1,
        writable=bool(array.flags.writeable),
    )


_TYPE_STRINGS = {
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "i1": "int8",
    "u1": "uint8",
    "u2": "uint16",
    "i4": "int32",
}


def _view_cuda_array_interface(array: Any, argument: str) -> View:
    """CUDA Array Interface, versions 2 and 3 (numba documentation)."""
    interface = array.__cuda_array_interface__
    type_string = interface["typestr"]
    name = _TYPE_STRINGS.get(type_string[1:])
    if name is None or type_string[0] == ">":
        raise TypeError(
            f"{argument}: expected a type string among "
            f"{', '.join('<' + known for known in _TYPE_STRINGS)}, got {type_string!r}"
        )
    if interface.get("mask") is not None:
        raise TypeError(f"{argument}: expected an array without a mask")
    element, packed = _element(name, argument)
    itemsize = int(type_string[2:])
    shape = tuple(interface["shape"])
    address, read_only = interface["data"]
    return View(
        array,
        address or 0,
        element,
        packed,
        itemsize,
        shape,
        _item_strides(interface.get("strides"), shape, itemsize, argument),
        _ordinal_of(array, argument),
        interface.get("stream"),
        not read_only,
    )


def _ordinal_of(array: Any, argument: str) -> int:
    """CUDA device of an object that has the CUDA Array Interface."""
    if hasattr(array, "__dlpack_device__"):
        kind, ordinal = array.__dlpack_device__()
        if int(kind) == _DLPACK_CUDA:
            return int(ordinal)
    device = getattr(array, "device", None)
    ordinal = getattr(device, "id", device)
    if isinstance(ordinal, int):
        return ordinal
    # The interface does not name the device; there is only one choice then.
    return 0


# dlpack.h of DLPack 1.1.
_DLPACK_CPU, _DLPACK_CUDA, _DLPACK_CUDA_HOST, _DLPACK_CUDA_MANAGED = 1, 2, 3, 13
_DLPACK_TYPES = {
    (0, 8): "int8",
    (0, 32): "int32",
    (1, 8): "uint8",
    (1, 16): "uint16",
    (2, 16): "float16",
    (2, 32): "float32",
    (2, 64): "float64",
    (4, 16): "bfloat16",
    (10, 8): "float8_e4m3fn",
    (12, 8): "float8_e5m2",
    (14, 8): "float8_e8m0fnu",
}
_DLPACK_FLOAT4 = 17
# Of the flags of version 1.
_DLPACK_READ_ONLY = 1


class _DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _DLDataType(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", _DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLManagedTensor(ctypes.Structure):
    _fields_ = [
        ("dl_tensor", _DLTensor),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class _DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("dl_tensor", _DLTensor),
    ]


_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype = ctypes.c_char_p
_capsule_name.argtypes = [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _view_dlpack(array: Any, argument: str, stream: Optional[int]) -> View:
    kind, ordinal = (int(part) for part in array.__dlpack_device__())
    on_gpu = kind in (_DLPACK_CUDA, _DLPACK_CUDA_MANAGED)
    if not on_gpu and kind not in (_DLPACK_CPU, _DLPACK_CUDA_HOST):
        raise TypeError(
            f"{argument}: expected memory of the CPU or a CUDA device, got DLPack "
            f"device type {kind}"
        )
    # The producer makes `stream` wait for its work; 1 is the default stream.
    capsule = array.__dlpack__(stream=stream or 1) if on_gpu else array.__dlpack__()
    name = _capsule_name(capsule)
    writable = True
    if name == b"dltensor":
        pointer = _capsule_pointer(capsule, name)
        tensor = _DLManagedTensor.from_address(pointer).dl_tensor
    elif name == b"dltensor_versioned":
        pointer = _capsule_pointer(capsule, name)
        versioned = _DLManagedTensorVersioned.from_address(pointer)
        if versioned.major != 1:
            raise TypeError(
                f"{argument}: expected DLPack version 1, got {versioned.major}"
            )
        tensor = versioned.dl_tensor
        writable = not versioned.flags & _DLPACK_READ_ONLY
    else:
        raise TypeError(f"{argument}: expected a DLPack capsule, got {name!r}")
    dtype = tensor.dtype
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = contiguous_strides(shape)
    if tensor.strides:
        strides = tuple(tensor.strides[i] for i in range(tensor.ndim))
    if dtype.code == _DLPACK_FLOAT4 and dtype.bits == 4 and dtype.lanes == 2:
        element, packed, itemsize = "e2m1", True, 1
    elif dtype.lanes == 1 and (dtype.code, dtype.bits) in _DLPACK_TYPES:
        element, packed = _element(_DLPACK_TYPES[dtype.code, dtype.bits], argument)
        itemsize = dtype.bits // 8
    else:
        raise TypeError(
            f"{argument}: expected one of {', '.join(_DTYPES)}, got DLPack type code "
            f"{dtype.code} with {dtype.bits} bits and {dtype.lanes} lanes"
        )
    # The capsule was not renamed: its own destructor frees the tensor, when the
    # view is dropped.
    return View(
        (array, capsule),
        (tensor.data or 0) + tensor.byte_offset,
        element,
        packed,
        itemsize,
        shape,
        strides,
        ordinal if on_gpu else -1,
        writable=writable,
    )


def view(array: Any, argument: str, stream: Optional[int] = None) -> View:
    """The memory of an array.

    Parameters
    ----------
    array
        A torch tensor, a numpy array, or an object with
        ``__cuda_array_interface__`` or ``__dlpack__``.
    argument
        Name of the argument, for errors.
    stream
        CUDA stream that a DLPack producer is to synchronise with.

    Raises
    ------
    TypeError
        `array` is something else, or of a type that bsmm has no use for.
    """
    if is_torch(array):
        return _view_torch(array, argument)
    if is_numpy(array):
        return _view_numpy(array, argument)
    if hasattr(array, "__cuda_array_interface__"):
        return _view_cuda_array_interface(array, argument)
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        return _view_dlpack(array, argument, stream)
    raise TypeError(
        f"{argument}: expected a torch tensor, a numpy array, or an object with "
        f"__dlpack__ or __cuda_array_interface__, got {type(array).__name__}"
    )


def device_name(device: int) -> str:
    return "the CPU" if device < 0 else f"CUDA device {device}"


def require_same_device(views: dict[str, View]) -> int:
    """The device that all arrays lie on."""
    first: Optional[tuple[str, int]] = None
    for name, array in views.items():
        if first is None:
            first = (name, array.device)
        elif array.device != first[1]:
            raise InvalidArgument(
                f"{name}: expected an array on {device_name(first[1])}, as {first[0]} "
                f"is, got one on {device_name(array.device)}"
            )
    assert first is not None
    return first[1]

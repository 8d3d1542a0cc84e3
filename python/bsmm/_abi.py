"""Structures and prototypes of ``bsmm_runtime.h`` and ``bsmm_numbers.h``.

A test compares sizes and offsets with what a C compiler makes of the headers.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)

#: 1000 * major + minor of the header that this file mirrors.
VERSION = 1000

OK = 0

ELEMENTS = {
    "none": 0,
    "e2m1": 1,
    "e2m3": 2,
    "e3m2": 3,
    "e4m3": 4,
    "e5m2": 5,
    "ue8m0": 6,
    "ue4m3": 7,
    "f16": 8,
    "bf16": 9,
    "tf32": 10,
    "f32": 11,
    "f64": 12,
    "s8": 13,
    "u8": 14,
    "s32": 15,
}
ELEMENT_NAMES = {number: name for name, number in ELEMENTS.items()}
ELEMENT_BITS = {
    "e2m1": 4,
    "e2m3": 6,
    "e3m2": 6,
    "e4m3": 8,
    "e5m2": 8,
    "ue8m0": 8,
    "ue4m3": 8,
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    "f32": 32,
    "f64": 64,
    "s8": 8,
    "u8": 8,
    "s32": 32,
}

ROLES = ("a", "b", "sfa", "sfb", "c", "d", "sa", "sb", "bias", "workspace")

LAYOUT_UNSPECIFIED = 0
LAYOUT_ROWS = 1
LAYOUT_BLOCKED = 2
LAYOUT_VECTOR = 3
LAYOUT_COLUMN_MAJOR = 5

BACKEND_EMULATOR = 0
BACKEND_CUDA = 1

LAUNCH_REPACK = 1
LAUNCH_PRECISE_SUMS = 2

LogCallback = CFUNCTYPE(None, c_void_p, c_int32, c_char_p)
ProgressCallback = CFUNCTYPE(c_int32, c_void_p, c_int32, c_int32)


class _Sized(ctypes.Structure):
    """A structure whose first member is its own size."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.struct_size = ctypes.sizeof(self)


class ArtifactEntry(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("manifest", c_char_p),
        ("ptx", c_char_p),
        ("cubin", c_char_p),
        ("cubin_bytes", c_size_t),
    ]


class SizeRange(ctypes.Structure):
    _fields_ = [("min", c_int64), ("max", c_int64), ("multiple_of", c_int64)]


class KernelInfo(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("entry", c_char_p),
        ("target", c_char_p),
        ("manifest", c_char_p),
        ("ptx_bytes", c_size_t),
        ("cubin_bytes", c_size_t),
        ("block", c_uint32 * 3),
        ("cluster", c_uint32 * 3),
        ("dynamic_shared_bytes", c_uint32),
        ("parameter_count", c_uint32),
        ("tile", c_int64 * 3),
        ("sizes", SizeRange * 4),
        ("a", c_int32),
        ("b", c_int32),
        ("out", c_int32),
        ("c", c_int32),
        ("scale_type", c_int32),
        ("scale_vector", c_int32),
        ("scale_layout", c_int32),
        ("bias", c_int32),
        ("row_scales", c_char_p),
        ("activation", c_char_p),
        ("grid_rule", c_char_p),
        ("order_dependent", c_int32),
        ("workspace_bytes", c_int64),
        ("workspace_tile_bytes", c_int64),
        ("has_precise_sums", c_int32),
        ("scale_layout_b", c_int32),
        ("scale_rows_b", c_int32),
    ]


class OperandInfo(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("element", c_int32),
        ("layout", c_int32),
        ("row_size", ctypes.c_char),
        ("column_size", ctypes.c_char),
        ("is_output", c_int32),
        ("is_tensor_map", c_int32),
        ("address_multiple", c_uint32),
        ("pitch_multiple", c_int64),
        ("inner_multiple", c_int64),
    ]


class Operand(ctypes.Structure):
    _fields_ = [
        ("role", c_int32),
        ("element", c_int32),
        ("layout", c_int32),
        ("reserved", c_int32),
        ("data", c_void_p),
        ("bytes", c_uint64),
        ("pitch", c_int64),
        ("batch_stride", c_int64),
    ]


class Arguments(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("l", c_int64),
        ("alpha", c_float),
        ("beta", c_float),
        ("out_scale", c_float),
        ("sm_count", c_int32),
        ("operands", POINTER(Operand)),
        ("operand_count", c_size_t),
        ("flags", c_uint64),
    ]


class OperandShape(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("element", c_int32),
        ("layout", c_int32),
        ("rows", c_int64),
        ("columns", c_int64),
        ("pitch", c_int64),
        ("batch_stride", c_int64),
        ("bytes", c_int64),
    ]


class LaunchShape(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("cluster", c_uint32 * 3),
        ("dynamic_shared_bytes", c_uint32),
        ("workspace_bytes", c_int64),
    ]


class Prediction(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("is_known", c_int32),
        ("waves", c_double),
        ("steps_of_tile", c_double),
        ("cycles_of_step", c_double),
        ("cycles_of_tile", c_double),
        ("cycles", c_double),
    ]


class EmulatorOptions(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("target", c_char_p),
        ("mode", c_char_p),
        ("arithmetic", c_char_p),
        ("strict", c_int32),
        ("sm_count", c_int32),
        ("max_instructions", c_uint64),
    ]


class DeviceInfo(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("backend", c_int32),
        ("ordinal", c_int32),
        ("name", c_char_p),
        ("target", c_char_p),
        ("sm_count", c_int32),
        ("driver_version", c_int32),
        ("l2_bytes", c_int64),
        ("memory_bytes", c_int64),
    ]


class KernelResources(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("is_cubin", c_int32),
        ("registers", c_int32),
        ("local_bytes", c_int32),
        ("static_shared_bytes", c_int32),
        ("max_threads", c_int32),
    ]


class MeasureOptions(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("warmup", c_int32),
        ("repetitions", c_int32),
        ("flush_l2", c_int32),
        ("progress", ProgressCallback),
        ("user", c_void_p),
    ]


class Values(ctypes.Structure):
    _fields_ = [
        ("type", c_int32),
        ("data", c_void_p),
        ("batches", c_int64),
        ("rows", c_int64),
        ("columns", c_int64),
        ("pitch", c_int64),
        ("batch_stride", c_int64),
    ]


class Codes(ctypes.Structure):
    _fields_ = [
        ("type", c_int32),
        ("data", c_void_p),
        ("pitch", c_int64),
        ("batch_stride", c_int64),
    ]


class BlockScales(ctypes.Structure):
    _fields_ = [
        ("layout", c_int32),
        ("data", c_void_p),
        ("pitch", c_int64),
        ("batch_stride", c_int64),
        ("padding", c_uint8),
    ]


#: C name of each structure, for the test of their layout.
STRUCTURES = {
    "bsmm_artifact_entry": ArtifactEntry,
    "bsmm_size_range": SizeRange,
    "bsmm_kernel_info": KernelInfo,
    "bsmm_operand_info": OperandInfo,
    "bsmm_operand": Operand,
    "bsmm_arguments": Arguments,
    "bsmm_operand_shape": OperandShape,
    "bsmm_launch_shape": LaunchShape,
    "bsmm_prediction": Prediction,
    "bsmm_emulator_options": EmulatorOptions,
    "bsmm_device_info": DeviceInfo,
    "bsmm_kernel_resources": KernelResources,
    "bsmm_measure_options": MeasureOptions,
    "bsmm_values": Values,
    "bsmm_codes": Codes,
    "bsmm_block_scales": BlockScales,
}

_status = c_int32
_handle = c_void_p

#: Result and arguments of every function that the package calls. Addresses of
#: arrays are c_void_p.
PROTOTYPES = {
    "bsmm_runtime_version": (c_uint32, []),
    "bsmm_last_error": (c_char_p, []),
    "bsmm_set_log": (None, [LogCallback, c_void_p]),
    "bsmm_artifact_open": (_status, [c_char_p, POINTER(_handle)]),
    "bsmm_artifact_open_memory": (_status, [c_char_p, c_size_t, POINTER(_handle)]),
    "bsmm_artifact_close": (None, [_handle]),
    "bsmm_artifact_write": (_status, [c_char_p, POINTER(ArtifactEntry), c_size_t]),
    "bsmm_artifact_kernel_count": (c_size_t, [_handle]),
    "bsmm_artifact_kernel_info": (_status, [_handle, c_size_t, POINTER(KernelInfo)]),
    "bsmm_artifact_operand_info": (
        _status,
        [_handle, c_size_t, c_int32, POINTER(OperandInfo)],
    ),
    "bsmm_artifact_describe": (c_char_p, [_handle]),
    "bsmm_artifact_operand_shape": (
        _status,
        [_handle, c_size_t, POINTER(Arguments), c_int32, POINTER(OperandShape)],
    ),
    "bsmm_artifact_launch_shape": (
        _status,
        [_handle, c_size_t, POINTER(Arguments), POINTER(LaunchShape)],
    ),
    "bsmm_artifact_predict": (
        _status,
        [_handle, c_size_t, POINTER(Arguments), POINTER(Prediction)],
    ),
    "bsmm_artifact_select": (
        _status,
        [_handle, c_char_p, c_char_p, POINTER(Arguments), POINTER(c_size_t)],
    ),
    "bsmm_cuda_device_count": (_status, [POINTER(c_int32)]),
    "bsmm_device_open_cuda": (_status, [c_int32, POINTER(_handle)]),
    "bsmm_device_open_emulator": (
        _status,
        [POINTER(EmulatorOptions), POINTER(_handle)],
    ),
    "bsmm_device_close": (None, [_handle]),
    "bsmm_device_info_get": (_status, [_handle, POINTER(DeviceInfo)]),
    "bsmm_device_synchronize": (_status, [_handle, c_void_p]),
    "bsmm_kernel_load": (_status, [_handle, _handle, c_size_t, POINTER(_handle)]),
    "bsmm_kernel_unload": (None, [_handle]),
    "bsmm_kernel_resources_get": (_status, [_handle, POINTER(KernelResources)]),
    "bsmm_kernel_launch": (_status, [_handle, POINTER(Arguments), c_void_p]),
    "bsmm_kernel_measure": (
        _status,
        [
            _handle,
            POINTER(Arguments),
            POINTER(MeasureOptions),
            c_void_p,
            POINTER(c_double),
            POINTER(c_int32),
        ],
    ),
    "bsmm_packed_bytes": (c_int64, [c_int32, c_int64]),
    "bsmm_padded_pitch": (c_int64, [c_int32, c_int64]),
    "bsmm_scale_groups": (c_int64, [c_int64, c_int64]),
    "bsmm_blocked_bytes": (c_int64, [c_int64, c_int64, c_int64]),
    "bsmm_encode": (_status, [c_int32, c_int32, c_int32, c_void_p, c_int64, c_void_p]),
    "bsmm_decode": (_status, [c_int32, c_void_p, c_int64, c_void_p]),
    "bsmm_pack": (_status, [c_int, c_void_p, c_int64, c_void_p]),
    "bsmm_unpack": (_status, [c_int, c_void_p, c_int64, c_void_p]),
    "bsmm_largest_magnitude": (_status, [POINTER(Values), POINTER(c_float)]),
    "bsmm_nvfp4_global_scale": (c_float, [c_float]),
    "bsmm_quantize_nvfp4": (
        _status,
        [POINTER(Values), c_float, c_float, POINTER(Codes), POINTER(BlockScales)],
    ),
    "bsmm_quantize_mx": (
        _status,
        [POINTER(Values), c_int32, c_int64, POINTER(Codes), POINTER(BlockScales)],
    ),
    "bsmm_dequantize": (
        _status,
        [
            POINTER(Codes),
            POINTER(BlockScales),
            c_int32,
            c_int64,
            c_float,
            POINTER(Values),
        ],
    ),
    "bsmm_scales_to_blocked": (
        _status,
        [
            c_void_p,
            c_int64,
            c_int64,
            c_int64,
            c_int64,
            c_int64,
            c_uint8,
            c_void_p,
        ],
    ),
    "bsmm_scales_from_blocked": (
        _status,
        [c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64, c_void_p],
    ),
}

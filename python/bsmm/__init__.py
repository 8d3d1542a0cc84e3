"""bsmm: block-scaled matrix multiplication.

Load a compiled kernel and call it with torch tensors, numpy arrays or anything
with DLPack; quantise to NVFP4 and the MX formats::

    import bsmm

    gemm = bsmm.load("nvfp4_gemm.bsmm")
    a, sfa, ga = bsmm.quantize_nvfp4(x)
    b, sfb, gb = bsmm.quantize_nvfp4(weight)
    out = gemm(a, sfa, b, sfb, alpha=float(ga * gb))

Arrays on a GPU run there, in torch's current stream; arrays on the host run in
the emulator. Neither torch nor numpy is needed to import the package, and
neither is imported by it unless a function needs it. The operators
``torch.ops.bsmm`` are there when torch was imported first, else from the first
use of :func:`scaled_mm` with tensors.
"""

import sys as _sys

from ._errors import (
    DriverError,
    Error,
    FileError,
    InvalidArgument,
    InvalidArtifact,
    KernelFault,
    LibraryNotFound,
    NoDevice,
    NotFound,
    OutOfMemory,
    UnsupportedProblem,
    UnsupportedVersion,
)
from ._numbers import (
    MX,
    NVFP4,
    decode,
    dequantize,
    encode,
    from_blocked,
    pack,
    quantize_mx,
    quantize_nvfp4,
    to_blocked,
    unpack,
)
from ._runtime import (
    Artifact,
    Device,
    DeviceInfo,
    Kernel,
    KernelInfo,
    cuda_device_count,
    load,
    set_log,
    write_artifact,
)
from ._scaled_mm import clear_kernels, register_kernels, scaled_mm
from ._version import __version__

if "torch" in _sys.modules:
    from . import _torch_ops  # noqa: F401

__all__ = [
    "Artifact",
    "Device",
    "DeviceInfo",
    "DriverError",
    "Error",
    "FileError",
    "InvalidArgument",
    "InvalidArtifact",
    "Kernel",
    "KernelFault",
    "KernelInfo",
    "LibraryNotFound",
    "MX",
    "NVFP4",
    "NoDevice",
    "NotFound",
    "OutOfMemory",
    "UnsupportedProblem",
    "UnsupportedVersion",
    "__version__",
    "clear_kernels",
    "cuda_device_count",
    "decode",
    "dequantize",
    "encode",
    "from_blocked",
    "load",
    "pack",
    "quantize_mx",
    "quantize_nvfp4",
    "register_kernels",
    "scaled_mm",
    "set_log",
    "to_blocked",
    "unpack",
    "write_artifact",
]

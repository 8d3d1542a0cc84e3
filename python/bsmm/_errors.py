"""Exceptions, one for each kind of error of the runtime."""

from __future__ import annotations


class Error(RuntimeError):
    """Base of all errors that the runtime reports.

    Attributes
    ----------
    status : str
        Name of the runtime's status code, e.g. ``"BSMM_NOT_FOUND"``.
    """

    status = "BSMM_INTERNAL_ERROR"


class InvalidArgument(Error, ValueError):
    """An argument is out of range or of the wrong kind."""

    status = "BSMM_INVALID_ARGUMENT"


class FileError(Error, OSError):
    """A file cannot be read or written."""

    status = "BSMM_IO_ERROR"


class InvalidArtifact(Error, ValueError):
    """An artifact is damaged or malformed."""

    status = "BSMM_INVALID_ARTIFACT"


class UnsupportedVersion(Error, ValueError):
    """An artifact, or this package, is of another version than the runtime."""

    status = "BSMM_UNSUPPORTED_VERSION"


class NotFound(Error, LookupError):
    """There is no kernel of that name, target or kind."""

    status = "BSMM_NOT_FOUND"


class UnsupportedProblem(Error, ValueError):
    """Sizes, pitches, types or addresses that a kernel does not take."""

    status = "BSMM_UNSUPPORTED_PROBLEM"


class NoDevice(Error):
    """There is no CUDA driver, or no such device."""

    status = "BSMM_NO_DEVICE"


class DriverError(Error):
    """The CUDA driver refused a call."""

    status = "BSMM_DRIVER_ERROR"


class KernelFault(Error):
    """The emulator found a fault in a kernel."""

    status = "BSMM_KERNEL_FAULT"


class OutOfMemory(Error, MemoryError):
    """Memory of the host or of a device is used up."""

    status = "BSMM_OUT_OF_MEMORY"


class LibraryNotFound(Error, ImportError):
    """The shared library of the runtime cannot be found or loaded."""


#: Exception of each status code of ``bsmm_runtime.h``.
BY_STATUS: dict[int, type[Error]] = {
    1: InvalidArgument,
    2: FileError,
    3: InvalidArtifact,
    4: UnsupportedVersion,
    5: NotFound,
    6: UnsupportedProblem,
    7: NoDevice,
    8: DriverError,
    9: KernelFault,
    10: OutOfMemory,
    11: Error,
}

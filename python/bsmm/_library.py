"""Finds and loads the shared library of the runtime."""

from __future__ import annotations

import ctypes
import os
import threading

from . import _abi
from ._errors import BY_STATUS, Error, LibraryNotFound

_FILE_NAME = "libbsmm_runtime.so"
_lock = threading.Lock()
_library: ctypes.CDLL | None = None


def _candidates() -> list[str]:
    """Files that may be the library, the most explicit first."""
    chosen = os.environ.get("BSMM_RUNTIME_LIBRARY")
    if chosen:
        # What was asked for is used or refused, never replaced.
        return [os.path.join(chosen, _FILE_NAME) if os.path.isdir(chosen) else chosen]
    package = os.path.dirname(os.path.abspath(__file__))
    checkout = os.path.dirname(os.path.dirname(package))
    return [
        os.path.join(package, _FILE_NAME),
        os.path.join(checkout, "build", "lib", _FILE_NAME),
        os.path.join(checkout, "build-runtime", "lib", _FILE_NAME),
    ]


def _load() -> ctypes.CDLL:
    candidates = _candidates()
    path = next((file for file in candidates if os.path.exists(file)), None)
    if path is None:
        places = "\n  ".join(candidates)
        raise LibraryNotFound(
            f"expected the runtime's library in one of\n  {places}\nbut there is "
            "none; build it with 'cmake -S . -B build -DBSMM_RUNTIME_ONLY=ON && "
            "cmake --build build --target bsmm_runtime' in bsmm's source tree, or "
            "set BSMM_RUNTIME_LIBRARY to its file"
        )
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise LibraryNotFound(f"{path} cannot be loaded: {error}") from error
    for name, (result, arguments) in _abi.PROTOTYPES.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryNotFound(
                f"{path} has no function {name}: expected the library of runtime "
                f"version {_abi.VERSION / 1000}; build it anew"
            ) from None
        function.restype = result
        function.argtypes = arguments
    version = library.bsmm_runtime_version()
    if version // 1000 != _abi.VERSION // 1000 or version < _abi.VERSION:
        raise LibraryNotFound(
            f"{path}: expected runtime version {_abi.VERSION / 1000} or a later "
            f"one of the same major version, got {version / 1000}"
        )
    return library


def library() -> ctypes.CDLL:
    """The library, loaded by the first call."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = _load()
    return _library


def check(status: int, context: str = "") -> None:
    """Raises the exception of a status that is not ``BSMM_OK``.

    Parameters
    ----------
    status
        Result of a function of the runtime, called by this thread.
    context
        What was done, put before the runtime's text.
    """
    if status == _abi.OK:
        return
    text = library().bsmm_last_error().decode("utf-8", "replace")
    kind = BY_STATUS.get(status, Error)
    error = kind(f"{context}: {text}" if context else text)
    raise error

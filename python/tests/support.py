"""What the tests share: optional libraries, and formats by their definitions."""

import importlib
import os
import sys
import unittest

_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(_HERE))


def optional(name):
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


numpy = optional("numpy")
# A torch that cannot be imported is as good as none.
torch = optional("torch") if os.environ.get("BSMM_TEST_WITHOUT_TORCH") != "1" else None

needs_numpy = unittest.skipIf(numpy is None, "needs numpy")
needs_torch = unittest.skipIf(torch is None, "needs torch")
needs_cuda = unittest.skipIf(
    torch is None or not torch.cuda.is_available(), "needs torch and a GPU"
)

# Exponent bits, mantissa bits, bias, signed (OCP MX v1.0, 5.3; OFP8 v1.0).
FORMATS = {
    "e2m1": (2, 1, 1, True),
    "e2m3": (2, 3, 1, True),
    "e3m2": (3, 2, 3, True),
    "e4m3": (4, 3, 7, True),
    "e5m2": (5, 2, 15, True),
    "ue4m3": (4, 3, 7, False),
}
BITS = {"e2m1": 4, "e2m3": 6, "e3m2": 6, "e4m3": 8, "e5m2": 8, "ue4m3": 8, "ue8m0": 8}


def value_of(element, code):
    """float64 value of a code, by the definition of its format."""
    if element == "ue8m0":
        return float("nan") if code == 255 else 2.0 ** (code - 127)
    exponent_bits, mantissa_bits, bias, signed = FORMATS[element]
    magnitude = code % (1 << (exponent_bits + mantissa_bits))
    sign = -1.0 if signed and code >> (exponent_bits + mantissa_bits) else 1.0
    exponent, fraction = divmod(magnitude, 1 << mantissa_bits)
    if element == "e5m2" and exponent == 31:
        return sign * float("inf") if fraction == 0 else float("nan")
    if element in ("e4m3", "ue4m3") and magnitude == 0x7F:
        return float("nan")
    fraction /= 1 << mantissa_bits
    if exponent == 0:
        return sign * 2.0 ** (1 - bias) * fraction
    return sign * 2.0 ** (exponent - bias) * (1 + fraction)


def values(element):
    """All values of a format as a float64 array, by code."""
    return numpy.array([value_of(element, code) for code in range(1 << BITS[element])])


def nearest(element, numbers):
    """Nearest codes of finite float64 numbers, ties to even, saturating."""
    table = values(element)
    half = len(table) // 2 if element != "ue4m3" else 128
    table = table[:half]
    table = table[numpy.isfinite(table)]
    middles = (table[:-1] + table[1:]) / 2
    magnitude = numpy.abs(numbers)
    code = numpy.searchsorted(middles, magnitude, side="left")
    # On a tie the left search took the lower code: an odd one gives way.
    tie = (code < len(middles)) & (
        magnitude == middles[numpy.minimum(code, len(middles) - 1)]
    )
    code = numpy.where(tie & (code % 2 == 1), code + 1, code)
    if element != "ue4m3":
        code = numpy.where(numpy.signbit(numbers), code | half, code)
    return code.astype(numpy.uint8)


def random_rows(seed, shape, special=False):
    """float32 rows of very different size, with zeros of both signs."""
    generator = numpy.random.default_rng(seed)
    size = numpy.exp2(generator.integers(-20, 20, shape[:-1] + (-(-shape[-1] // 16),)))
    size = numpy.repeat(size, 16, axis=-1)[..., : shape[-1]]
    rows = generator.uniform(-1, 1, shape) * size
    rows[generator.random(shape) < 0.05] = 0.0
    rows[generator.random(shape) < 0.05] = -0.0
    if special:
        rows[generator.random(shape) < 0.004] = numpy.nan
        rows[generator.random(shape) < 0.004] = numpy.inf
    return rows.astype(numpy.float32)


def library_path():
    """File of the runtime's library that the tests use."""
    from bsmm import _library

    return next(file for file in _library._candidates() if os.path.exists(file))

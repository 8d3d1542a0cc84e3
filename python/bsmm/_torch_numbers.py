"""Codes and quantisation as torch operations, for tensors on a GPU and for
``torch.compile``. Every function gives the bytes that the C functions of
``bsmm_numbers.h`` give; a test compares the two.
"""

from __future__ import annotations

import torch

from . import _abi

# Mantissa bits, exponent of the smallest normal value, code of the largest
# magnitude, code of NaN, sign bit.
FORMATS = {
    "e2m1": (1, 0, 0x7, 0x7, 0x8),
    "e2m3": (3, 0, 0x1F, 0x1F, 0x20),
    "e3m2": (2, -2, 0x1F, 0x1F, 0x20),
    "e4m3": (3, -6, 0x7E, 0x7F, 0x80),
    "e5m2": (2, -14, 0x7B, 0x7F, 0x80),
    "ue4m3": (3, -6, 0x7E, 0x7F, 0),
}

# Exponent and 24-bit mantissa of the largest value of the element types of MX.
_LARGEST = {
    "e2m1": (2, 0xC00000),
    "e2m3": (2, 0xF00000),
    "e3m2": (4, 0xE00000),
    "e4m3": (8, 0xE00000),
    "e5m2": (15, 0xE00000),
}

_INFINITY = 0x7F800000


def _bits(values: torch.Tensor) -> torch.Tensor:
    return values.view(torch.int32)


def encode_f32(values: torch.Tensor, element: str) -> torch.Tensor:
    """One code a byte of f32 values: nearest, ties to even, saturating."""
    mantissa_bits, smallest, largest, nan_code, sign_bit = FORMATS[element]
    bits = _bits(values)
    magnitude = bits & 0x7FFFFFFF
    exponent = magnitude >> 23
    mantissa = (magnitude & 0x7FFFFF) | 0x800000
    unit = exponent.clamp(min=smallest + 127)
    # Below a quarter of the smallest value everything is zero; so are the
    # subnormals of f32, whose mantissa has no hidden bit.
    shift = (unit - exponent + (23 - mantissa_bits)).clamp(max=25)
    # Half a unit, less a little when the last bit is even.
    odd = (mantissa >> shift) & 1
    units = (mantissa + odd + (torch.ones_like(shift) << (shift - 1)) - 1) >> shift
    code = ((unit - (smallest + 127)) << mantissa_bits) + units
    code = torch.where(exponent == 0, torch.zeros_like(code), code)
    code = code.clamp(max=largest)
    code = torch.where(bits < 0, code | sign_bit, code)
    code = torch.where(magnitude > _INFINITY, torch.full_like(code, nan_code), code)
    return code.to(torch.uint8)


def value_table(element: str, device: torch.device) -> torch.Tensor:
    """The f32 value of each of the 256 bytes."""
    bits = _abi.ELEMENT_BITS[element]
    codes = torch.arange(256, dtype=torch.int32, device=device) & ((1 << bits) - 1)
    if element == "ue8m0":
        # 2^-127 is subnormal in f32.
        pattern = torch.where(codes == 0, torch.full_like(codes, 0x400000), codes << 23)
        pattern = torch.where(codes == 255, torch.full_like(codes, 0x7FC00000), pattern)
        return pattern.view(torch.float32)
    mantissa_bits, smallest, largest, _, sign_bit = FORMATS[element]
    magnitude = codes & ((1 << (bits - 1)) - 1)
    exponent = magnitude >> mantissa_bits
    fraction = magnitude & ((1 << mantissa_bits) - 1)
    fraction = torch.where(exponent > 0, fraction | (1 << mantissa_bits), fraction)
    power = exponent.clamp(min=1) - 1 + smallest - mantissa_bits
    values = fraction.to(torch.float32) * ((power + 127) << 23).view(torch.float32)
    nan = torch.full_like(values, float("nan"))
    if element == "e5m2":
        infinity = torch.full_like(values, float("inf"))
        values = torch.where(magnitude == largest + 1, infinity, values)
        values = torch.where(magnitude > largest + 1, nan, values)
    elif element in ("e4m3", "ue4m3"):
        values = torch.where(magnitude > largest, nan, values)
    return torch.where((codes & sign_bit) != 0, -values, values)


def pack(codes: torch.Tensor, bits: int) -> torch.Tensor:
    """Packs the last dimension of one code a byte."""
    step = {4: 2, 6: 4}[bits]
    columns = codes.shape[-1]
    count = (columns * bits + 7) // 8
    codes = torch.nn.functional.pad(codes & ((1 << bits) - 1), (0, -columns % step))
    codes = codes.unflatten(-1, (-1, step))
    if bits == 4:
        return codes[..., 0] | (codes[..., 1] << 4)
    # Shifts of bytes drop what leaves the byte.
    first, second, third, fourth = codes.unbind(-1)
    packed = torch.stack(
        (
            first | (second << 6),
            (second >> 2) | (third << 4),
            (third >> 4) | (fourth << 2),
        ),
        -1,
    )
    return packed.flatten(-2)[..., :count]


def unpack(packed: torch.Tensor, bits: int, columns: int) -> torch.Tensor:
    """One code a byte of the last dimension of packed codes."""
    if bits == 4:
        codes = torch.stack((packed & 0xF, packed >> 4), -1)
    else:
        packed = torch.nn.functional.pad(packed, (0, -packed.shape[-1] % 3))
        first, second, third = packed.unflatten(-1, (-1, 3)).unbind(-1)
        codes = torch.stack(
            (
                first & 0x3F,
                (first >> 6) | ((second & 0xF) << 2),
                (second >> 4) | ((third & 0x3) << 4),
                third >> 2,
            ),
            -1,
        )
    return codes.flatten(-2)[..., :columns]


def to_blocked(scales: torch.Tensor, padding: int) -> torch.Tensor:
    """[batches, rows, groups] bytes to [batches, bytes]."""
    rows, groups = scales.shape[-2:]
    scales = torch.nn.functional.pad(
        scales, (0, -groups % 4, 0, -rows % 128), value=padding
    )
    tiles = scales.reshape(-1, (rows + 127) // 128, 4, 32, (groups + 3) // 4, 4)
    return tiles.permute(0, 1, 4, 3, 2, 5).reshape(scales.shape[0], -1)


def from_blocked(blocked: torch.Tensor, rows: int, groups: int) -> torch.Tensor:
    """[batches, bytes] to [batches, rows, groups]."""
    tiles_m, tiles_k = (rows + 127) // 128, (groups + 3) // 4
    tiles = blocked.reshape(-1, tiles_m, tiles_k, 32, 4, 4)
    scales = tiles.permute(0, 1, 4, 3, 2, 5).reshape(-1, tiles_m * 128, tiles_k * 4)
    return scales[:, :rows, :groups]


def _divide(numerator: torch.Tensor, denominator) -> torch.Tensor:
    """The correctly rounded f32 quotient.

    Compilers of GPU kernels replace f32 division by an approximation. That of
    f64 is exact to the last bit, and rounding its result to f32 gives the f32
    quotient, because 53 bits are more than twice 24 (Figueroa, "When is double
    rounding innocuous?").
    """
    if isinstance(denominator, torch.Tensor):
        denominator = denominator.double()
    return (numerator.double() / denominator).float()


def _grouped(values: torch.Tensor, vector: int) -> torch.Tensor:
    """f32 values as [..., groups, vector], with zeros behind the last one."""
    columns = values.shape[-1]
    padded = torch.nn.functional.pad(values.float(), (0, -columns % vector))
    return padded.unflatten(-1, (-1, vector))


def global_scale(values: torch.Tensor) -> torch.Tensor:
    """NVFP4's scale of a whole tensor, without waiting for the device."""
    magnitude = values.float().abs()
    finite = torch.where(magnitude.isfinite(), magnitude, torch.zeros_like(magnitude))
    amax = finite.amax() if values.numel() else finite.sum()
    scale = _divide(amax, 2688.0).clamp(min=2.0**-126)
    return torch.where(amax == 0, torch.ones_like(scale), scale)


def quantize_nvfp4(
    values: torch.Tensor, scale: torch.Tensor, min_scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Codes, one a byte, and linear block scales."""
    groups = _grouped(values, 16)
    amax = groups.abs().amax(-1)
    finite = amax.isfinite()
    block = _divide(_divide(amax, 6.0), scale).clamp(min=min_scale)
    scales = encode_f32(block, "ue4m3")
    table = value_table("ue4m3", values.device)
    total = (scale * table[scales.int()]).unsqueeze(-1)
    signs = torch.where(_bits(groups) < 0, 8, 0).to(torch.uint8)
    codes = torch.where(total == 0, signs, encode_f32(_divide(groups, total), "e2m1"))
    codes = torch.where(finite.unsqueeze(-1), codes, torch.zeros_like(codes))
    scales = torch.where(finite, scales, torch.full_like(scales, 0x7F))
    return codes.flatten(-2)[..., : values.shape[-1]], scales


def quantize_mx(
    values: torch.Tensor, element: str, round_up: bool, vector: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Codes, one a byte, and linear block scales."""
    groups = _grouped(values, vector)
    amax = groups.abs().amax(-1)
    finite = amax.isfinite()
    bits = _bits(amax)
    largest_exponent, largest_mantissa = _LARGEST[element]
    # Subnormals of f32 are below every scale: they land at the lowest one.
    exponent = (bits >> 23) - 127 - largest_exponent
    if round_up:
        mantissa = (bits & 0x7FFFFF) | 0x800000
        exponent = exponent + (mantissa > largest_mantissa).to(torch.int32)
    exponent = exponent.clamp(-127, 127)
    scales = (exponent + 127).to(torch.uint8)
    # 2^-exponent as two factors, both of which are normal f32 numbers.
    first = -exponent >> 1
    second = -exponent - first
    scaled = groups
    for power in (first, second):
        scaled = scaled * ((power + 127) << 23).view(torch.float32).unsqueeze(-1)
    codes = encode_f32(scaled, element)
    codes = torch.where(finite.unsqueeze(-1), codes, torch.zeros_like(codes))
    scales = torch.where(finite, scales, torch.full_like(scales, 0xFF))
    return codes.flatten(-2)[..., : values.shape[-1]], scales

"""scaled_mm with f32 scales of 1x128 and 128x128 blocks, in the emulator."""

import sys

import numpy as np

import bsmm

bsmm.register_kernels(sys.argv[1])
kernel = bsmm.load(sys.argv[1])["gemm"]
info = kernel.infos[0]
print("info:", info.scale_type, info.scale_vector, info.scale_layout,
      info.scale_layout_b, info.scale_rows_b)

random = np.random.default_rng(1)


def operands(m, n, k):
    """Codes of -1, 0 and 1, and powers of two: every partial sum is exact."""
    groups, blocks = -(-k // 128), -(-n // 128)
    values = [random.integers(-1, 2, (rows, k)) for rows in (m, n)]
    codes = [np.array([0xB8, 0x00, 0x38], np.uint8)[v + 1] for v in values]
    sa = np.asfortranarray(np.exp2(random.integers(-2, 3, (m, groups))), np.float32)
    sb = np.exp2(random.integers(-2, 3, (blocks, groups))).astype(np.float32)
    a = values[0] * np.repeat(sa, 128, axis=1)[:, :k]
    b = values[1] * np.repeat(np.repeat(sb, 128, axis=0)[:n], 128, axis=1)[:, :k]
    return codes, (sa, sb), a @ b.T


for m, n, k in ((130, 264, 304), (3, 136, 128), (70, 8, 400)):
    (a, b), (sa, sb), expected = operands(m, n, k)
    # Column-major scales of A and K-major ones of B, as torch._scaled_mm has them.
    out = bsmm.scaled_mm(a, b.T, sa, sb.T, out_dtype="float32")
    print(m, n, k, "wrong:", np.count_nonzero(out != expected))
    out = kernel(a, sa, b, sb)
    print(m, n, k, "wrong:", np.count_nonzero(out != expected))

(a, b), (sa, sb), expected = operands(130, 264, 304)
for text, scales in (
    ("row-major", (np.ascontiguousarray(sa), sb.T)),
    ("of blocks and rows", (sa, np.ones((1, 264), np.float32))),
    ("too few", (sa, sb[:2].T)),
):
    try:
        bsmm.scaled_mm(a, b.T, *scales, out_dtype="float32")
    except bsmm.InvalidArgument as error:
        print(f"{text}: {error}")
try:
    bsmm.scaled_mm(a, b.T, sa, sb.T, out_dtype="bfloat16")
except bsmm.NotFound as error:
    print(f"NotFound: {error}")

"""scaled_mm with compiled FP8 kernels in the emulator.

    scaled_mm_fp8.py fast.bsmm slow.bsmm
"""

import sys

import numpy

import bsmm

fast, slow = (bsmm.load(path) for path in sys.argv[1:3])
print("precise:", [info.has_precise_sums for info in fast.infos + slow.infos])

# 65536 first and then 511 ones. The tensor core keeps 13 bits below the largest
# term: ones get lost beside 65536, and stay where a group of 128 has ones alone.
m, n, k = 70, 136, 512
a = numpy.ones((m, k), "float32")
a[:, 0] = 256
rows = (2.0 ** (numpy.arange(m) % 4)).astype("float32")
columns = (2.0 ** -(numpy.arange(n) % 5)).astype("float32")
a = bsmm.encode(a, "e4m3")
b = bsmm.encode(numpy.ones((n, k), "float32"), "e4m3")
b[:, 0] = bsmm.encode(numpy.float32([256]), "e4m3")


def multiply(**options):
    out = bsmm.scaled_mm(
        a, b.T, rows[:, None], columns[None], out_dtype="float32", **options
    )
    sums = out / rows[:, None] / columns
    assert (sums == sums[0, 0]).all(), sums
    return int(sums[0, 0])


bsmm.register_kernels(fast)
print("fast:", multiply(use_fast_accum=True))
for options in ({}, {"use_fast_accum": False}, {"kernel": fast["fp8_gemm"]}):
    try:
        multiply(**options)
        print("expected a refusal")
    except (LookupError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
bsmm.register_kernels(slow)
print("slow:", multiply(), multiply(use_fast_accum=False))
print("fast again:", multiply(use_fast_accum=True))

"""Operands of cutlass #3596: ones, scales of two values along each dimension.

    make_block_scales.py PREFIX
"""

import struct
import sys


def save(path, kind, data):
    shape = (len(data) // (4 if kind == "<f4" else 1),)
    header = str({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


prefix = sys.argv[1]
one = b"\x38"  # of e4m3
save(f"{prefix}.a.npy", "|u1", one * (256 * 128))
save(f"{prefix}.b.npy", "|u1", one * (256 * 128))
# One group of K: a scale for each row of A, 2 of the first 128 and 4 of the others.
save(f"{prefix}.sfa.npy", "<f4", struct.pack("<256f", *[2] * 128, *[4] * 128))
# A scale for 128 rows of B, 1 and 2, in rows of 16 bytes; the padding is NaN.
nan = float("nan")
save(f"{prefix}.sfb.npy", "<f4", struct.pack("<8f", 1, nan, nan, nan, 2, nan, nan, nan))

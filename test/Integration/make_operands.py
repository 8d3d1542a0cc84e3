#!/usr/bin/env python3
"""C, row scales and a bias as .npy files.

usage: make_operands.py PREFIX --m M --n N --pitch P

Writes PREFIX.c.npy (codes of bf16, u2, [1, M, P]), PREFIX.sa.npy (M values of
f32), PREFIX.sb.npy and PREFIX.bias.npy (N values of f32). Needs no NumPy.
"""

import argparse
import struct


def write(name, descr, shape, data):
    header = str({"descr": descr, "fortran_order": False, "shape": shape})
    # Magic, version and length take 10 bytes; the data starts at a multiple of
    # 64 (numpy.lib.format).
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode("latin1") + data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prefix")
    parser.add_argument("--m", type=int, required=True)
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--pitch", type=int, required=True)
    arguments = parser.parse_args()
    m, n, pitch = arguments.m, arguments.n, arguments.pitch
    # bf16 of 1, 1.0078125, ... and NaN in the padding.
    codes = [0x3F80 + (7 * row + column) % 128 if column < n else 0xFFFF
             for row in range(m) for column in range(pitch)]
    write(arguments.prefix + ".c.npy", "<u2", (1, m, pitch),
          struct.pack(f"<{len(codes)}H", *codes))
    for name, count, values in [
        ("sa", m, [0.5 + row for row in range(m)]),
        ("sb", n, [3.0 - column / 4 for column in range(n)]),
        ("bias", n, [100.0 * column for column in range(n)]),
    ]:
        write(f"{arguments.prefix}.{name}.npy", "<f4", (count,),
              struct.pack(f"<{count}f", *values))


if __name__ == "__main__":
    main()

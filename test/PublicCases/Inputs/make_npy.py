#!/usr/bin/env python3
"""Writes a .npy file of bytes: make_npy.py FILE COUNTxBYTE [COUNTxBYTE ...]"""

import sys


def main():
    data = b""
    for piece in sys.argv[2:]:
        count, byte = piece.split("x", 1)
        data += bytes([int(byte, 0)]) * int(count)
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(data)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little"))
        file.write(header.encode() + data)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Prints the values of a .npy file of f16 or f32 as runs: COUNT VALUE a line."""

import struct
import sys


def main():
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    length = int.from_bytes(content[8:10], "little")
    header, data = content[10 : 10 + length].decode(), content[10 + length :]
    kind, size = ("e", 2) if "f2" in header else ("f", 4)
    values = struct.unpack(f"<{len(data) // size}{kind}", data)
    start = 0
    for index in range(1, len(values) + 1):
        if index == len(values) or values[index] != values[start]:
            print(index - start, values[start])
            start = index


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes a launch case of a problem-level function: PTX, operands, launch file
and what the output must be.

usage: make_case.py INPUT.mlir FOLDER -M .. -N .. -K .. [--tile OPTIONS] [--sms N]

The PTX and manifest are bsmm-translate's. The operands are random with few
significant bits, so that every partial sum is exact and the output has one
right value in every bit: the CPU reference's, which bsmm-run compares with its
own float64 product. Parameters follow docs/abi.md, 4.5.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys

# Codes of few significant bits. Operand types: magnitudes; both signs are taken.
OPERANDS = {
    "e2m1": (4, list(range(8))),
    "e4m3": (8, [0] + [e << 3 | m for e in (6, 7, 8) for m in (0, 2, 4, 6)]),
    "e5m2": (8, [0] + [e << 2 | m for e in (14, 15, 16) for m in (0, 2)]),
}
# The same where a tensor core keeps 13 fraction bits of a sum (wgmma with fp8).
COARSE = {"e4m3": (8, [0, 7 << 3, 7 << 3 | 4])}  # 0, 1, 1.5
OUT_SCALE = 0.0625  # of kernels that take it: 8-bit outputs do not saturate
SCALES = {
    "ue4m3": [0x30, 0x34, 0x38, 0x3C, 0x40],  # 0.5, 0.75, 1, 1.5, 2
    "ue8m0": [126, 127, 128],
}


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path}: no .npy file")
    wide = data[6] > 1
    length = struct.unpack("<I" if wide else "<H", data[8 : 12 if wide else 10])[0]
    return data[(12 if wide else 10) + length :]


def write_npy(path, data, kind="|u1"):
    count = len(data) // (4 if kind == "<f4" else 1)
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + data)


def ceil_div(a, b):
    return -(-a // b)


def make_matrix(rng, operand, rows, columns):
    """Packed rows at the smallest legal pitch; the padding is poison."""
    bits, magnitudes = operand
    used = ceil_div(columns * bits, 8)
    pitch = ceil_div(used, 16) * 16
    sign = 1 << (bits - 1)
    data = bytearray()
    for _ in range(rows):
        codes = [rng.choice(magnitudes) | rng.choice((0, sign)) for _ in range(columns)]
        if bits == 4:
            codes += [0] * (columns % 2)
            codes = [lo | hi << 4 for lo, hi in zip(codes[::2], codes[1::2])]
        data += bytes(codes) + b"\xff" * (pitch - used)
    return bytes(data), pitch


def make_scales(rng, kind, rows, groups):
    """512-byte tiles; rows and groups of padding are NaN codes."""
    tiles_r, tiles_g = ceil_div(rows, 128), ceil_div(groups, 4)
    data = bytearray(b"\xff" * (tiles_r * tiles_g * 512))
    for r in range(rows):
        for g in range(groups):
            tile = r // 128 * tiles_g + g // 4
            byte = r % 32 * 16 + r % 128 // 32 * 4 + g % 4
            data[tile * 512 + byte] = rng.choice(SCALES[kind])
    return bytes(data)


def make_row_scales(rng, rows):
    return struct.pack(f"<{rows}f", *[rng.choice((0.5, 1.0, 1.5, 2.0)) for _ in range(rows)])


def make_sum_scales(rng, rows, columns):
    """f32 in rows of whole 16 bytes; the padding is NaN."""
    pitch = ceil_div(columns, 4) * 4
    data = bytearray()
    for _ in range(rows):
        values = [rng.choice((-2.0, -1.0, 0.5, 1.0, 2.0)) for _ in range(columns)]
        data += struct.pack(f"<{columns}f", *values) + b"\xff" * (4 * (pitch - columns))
    return bytes(data), pitch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input")
    parser.add_argument("folder")
    for name in "MNK":
        parser.add_argument(f"-{name}", type=int, required=True)
    parser.add_argument("--tile", default="")
    parser.add_argument("--chip", default="sm_100a")
    parser.add_argument("--sms", type=int, default=148)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)

    def at(name):
        return os.path.join(a.folder, name)

    def call(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(" ".join(command) + "\n" + done.stdout + done.stderr)

    tile = f"--bsmm-problem-to-tile=chip={a.chip} {a.tile}"
    call("bsmm-opt", tile, a.input, "-o", at("kernel.mlir"))
    call("bsmm-translate", "--bsmm-to-ptx", at("kernel.mlir"), "-o", at("kernel.ptx"))
    call("bsmm-translate", "--bsmm-to-manifest", at("kernel.mlir"), "-o", at("manifest.json"))
    with open(at("manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)

    problem = manifest["problem"]
    rng = random.Random(a.seed)
    scales = problem.get("scale_type", "none")
    blocked = scales in SCALES
    operands = OPERANDS if blocked else COARSE
    files, pitches = {}, {}
    files["a"], pitches["a"] = make_matrix(rng, operands[problem["a"]], a.M, a.K)
    files["b"], pitches["b"] = make_matrix(rng, operands[problem["b"]], a.N, a.K)
    groups = 0
    if blocked:
        groups = ceil_div(a.K, problem["scale_vector"])
        files["sfa"] = make_scales(rng, scales, a.M, groups)
        files["sfb"] = make_scales(rng, scales, a.N, groups)
    elif scales == "f32":
        groups = ceil_div(a.K, problem["scale_vector"])
        layout = problem["scale_layout"]
        for name, rows, layout in (
            ("sfa", a.M, layout),
            ("sfb", ceil_div(a.N, problem["scale_rows_b"]), problem.get("scale_layout_b", layout)),
        ):
            shape = (groups, rows) if layout == "column_major" else (rows, groups)
            files[name], pitches[name] = make_sum_scales(rng, *shape)
    if problem.get("row_scales") == "f32":
        files["sa"] = make_row_scales(rng, a.M)
        files["sb"] = make_row_scales(rng, a.N)
    for name, data in files.items():
        with open(at(name + ".bin"), "wb") as file:
            file.write(data)
    out_bytes = {"f32": 4, "f16": 2, "bf16": 2, "e4m3": 1, "e5m2": 1}[problem["out"]]
    pitches["d"] = ceil_div(a.N * out_bytes, 16) * 16

    command = ["bsmm-run", at("kernel.mlir"), "--backend=reference", f"--output={at('d.npy')}"]
    command += [f"-{name}={getattr(a, name)}" for name in "MNK"]
    command.append(f"--pitch-d={pitches['d'] // out_bytes}")
    if {"f32": "out_scale"} in manifest["params"]:
        command.append(f"--out-scale={OUT_SCALE}")
    for name, data in files.items():
        is_float = name in ("sa", "sb") or (scales == "f32" and name in ("sfa", "sfb"))
        write_npy(at(name + ".npy"), data, "<f4" if is_float else "|u1")
        command.append(f"--{name}={at(name + '.npy')}")
    call(*command)
    with open(at("d_expected.bin"), "wb") as file:
        file.write(read_npy(at("d.npy")))

    types = {"e2m1": 4, "e4m3": 8, "e5m2": 8, "f32": 32, "f16": 16, "bf16": 16}
    elements = {"u8": 8, "u16": 16, "f32": 32, "f16": 16, "bf16": 16}

    def tensor_map(entry):
        role, element = entry["role"], entry["element"]
        rows = {"a": a.M, "b": a.N, "d": a.M, "sfa": a.M, "sfb": a.N}[role]
        if entry["view"] == "matrix":
            columns = a.N if role == "d" else a.K
            kind = problem["out"] if role == "d" else problem[role]
            dims = [columns * types[kind] // elements[element], rows, 1]
            strides = [pitches[role], rows * pitches[role]]
        else:
            row_tiles, group_tiles = ceil_div(rows, 128), ceil_div(groups, 4)
            dims = [256, 2, group_tiles, row_tiles, 1]
            strides = [256, 512, 512 * group_tiles, 512 * group_tiles * row_tiles]
        return {"tensor_map": {
            "data": "d" if role == "d" else role + ".bin", "element": element,
            "dims": dims[: len(entry["box"])], "strides_bytes": strides[: len(entry["box"]) - 1],
            "box": entry["box"], "swizzle": entry["swizzle"]}}

    params = []
    for parameter in manifest["params"]:
        if "tensor_map" in parameter:
            params.append(tensor_map(parameter["tensor_map"]))
        elif "pointer" in parameter:
            params.append({"pointer": parameter["pointer"] + ".bin"})
        elif "i32" in parameter:
            name = parameter["i32"]
            params.append({"i32": 1 if name == "L" else getattr(a, name)})
        elif "i64" in parameter:
            # The stride of the only batch is not used.
            params.append({"i64": pitches.get(parameter["i64"].get("pitch"), 0)})
        elif parameter.get("f32") == "out_scale":
            params.append({"f32": OUT_SCALE})
        else:
            sys.exit(f"no rule for the parameter {parameter}")
    # docs/abi.md, 4.1
    rule = manifest["grid"]
    tiles = ceil_div(a.M, manifest["tile"]["m"]) * ceil_div(a.N, manifest["tile"]["n"])
    ctas = tiles * rule.get("split_k", 1) * rule.get("ctas_per_tile", 1)
    cluster = manifest["cluster"][0]
    ctas = ceil_div(ctas, cluster) * cluster
    if rule["rule"] == "persistent":
        ctas = min(ctas, a.sms // cluster * cluster)
    elif rule["rule"] != "tile":
        sys.exit(f"no rule for the grid {rule}")
    d = {"bytes": a.M * pitches["d"], "fill": "0xFF", "expected": "d_expected.bin",
         "element": problem["out"], "compare": {"rule": "exact"},
         "live": {"rows": a.M, "columns": a.N, "pitch_bytes": pitches["d"]}}
    if manifest.get("adds_to_output"):
        # Whoever launches it zeroes the elements, and not what is between rows.
        row = bytes(a.N * out_bytes) + b"\xff" * (pitches["d"] - a.N * out_bytes)
        with open(at("d_before.bin"), "wb") as file:
            file.write(row * a.M)
        d["file"] = "d_before.bin"
    launch = {
        "ptx": "kernel.ptx", "target": manifest["target"], "entry": manifest["entry"],
        "grid": [ctas, 1, 1], "block": manifest["block"], "cluster": manifest["cluster"],
        "dynamic_smem": manifest["dynamic_smem"], "params": params,
        "buffers": {"d": d},
    }
    with open(at("launch.json"), "w", encoding="utf-8") as file:
        json.dump(launch, file, indent=1)


if __name__ == "__main__":
    main()

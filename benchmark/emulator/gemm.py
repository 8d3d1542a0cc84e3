#!/usr/bin/env python3
"""Time of a whole GEMM in the emulator: ours, from IR to result.

Compiles examples/nvfp4_gemm.mlir (or --kernel, with the same arguments),
resolves its manifest for the sizes asked for, makes random operands, runs the
PTX with bsmm-emu, and recomputes some outputs in float64, so that a fast wrong
answer is noticed. A benchmark, never a test; prints a table and, with --json,
writes it.

  benchmark/emulator/gemm.py --bin build/bin --shape 2048x2048x4096
  benchmark/emulator/gemm.py --case vectors/seed_nvfp4_plain   # any launch file
"""

import argparse
import json
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
E2M1 += [-value for value in E2M1]


def ue4m3(code):
    exponent, fraction = code >> 3 & 15, code & 7
    if exponent == 0:
        return fraction * 2.0**-9
    return (8 + fraction) * 2.0 ** (exponent - 10)


def tool(name, folders):
    for folder in folders:
        path = Path(folder) / name
        if path.exists():
            return str(path)
    return name


def random_bytes(generator, count):
    return generator.getrandbits(8 * count).to_bytes(count, "little")


def round_up(value, step):
    return (value + step - 1) // step * step


def write_case(folder, manifest, m, n, k, sms):
    """The launch file of docs/abi.md for an NVFP4 product with L = 1."""
    generator = random.Random(0)
    rows = {"a": m, "b": n, "sfa": m, "sfb": n, "d": m}
    groups = -(-k // 16)
    pitch = round_up(k // 2, 16)
    params = []
    for param in manifest["params"]:
        if "i32" in param:
            params.append({"i32": {"M": m, "N": n, "K": k, "L": 1}[param["i32"]]})
            continue
        entry = param["tensor_map"]
        role = entry["role"]
        result = {
            "data": role + ".bin" if role != "d" else "d",
            "element": entry["element"],
            "box": entry["box"],
            "swizzle": entry["swizzle"],
        }
        if entry["view"] == "scale_tiles":
            tiles = -(-rows[role] // 128)
            tile_groups = -(-groups // 4)
            result["dims"] = [256, 2, tile_groups, tiles, 1]
            result["strides_bytes"] = [
                256, 512, 512 * tile_groups, 512 * tile_groups * tiles]
            # Every finite ue4m3 up to 2, so that outputs stay finite.
            scales = bytes(byte % 65 for byte in
                           random_bytes(generator, 512 * tile_groups * tiles))
            (folder / f"{role}.bin").write_bytes(scales)
        elif role == "d":
            result["dims"] = [n, m, 1]
            result["strides_bytes"] = [2 * n, 2 * n * m]
        else:
            result["dims"] = [k // 2, rows[role], 1]
            result["strides_bytes"] = [pitch, pitch * rows[role]]
            (folder / f"{role}.bin").write_bytes(
                random_bytes(generator, pitch * rows[role]))
        params.append({"tensor_map": result})
    tile = manifest["tile"]
    tiles = -(-m // tile["m"]) * -(-n // tile["n"])
    persistent = manifest["grid"]["rule"] == "persistent"
    launch = {
        "schema": "bsmm.launch/1",
        "document": "launch",
        "ptx": "kernel.ptx",
        "target": manifest["target"],
        "entry": manifest["entry"],
        "grid": [min(tiles, sms) if persistent else tiles, 1, 1],
        "block": manifest["block"],
        "cluster": manifest["cluster"],
        "dynamic_smem": manifest["dynamic_smem"],
        "params": params,
        "buffers": {"d": {"bytes": 2 * n * m, "element": "f16"}},
    }
    (folder / "launch.json").write_text(json.dumps(launch, indent=1))


def check(folder, m, n, k, output):
    """Some outputs against float64; the bound is that of 35 fraction bits."""
    data = {name: (folder / f"{name}.bin").read_bytes()
            for name in ("a", "b", "sfa", "sfb")}
    pitch = round_up(k // 2, 16)
    tile_groups = -(-(-(-k // 16)) // 4)

    def scale(name, row, group):
        tile = row // 128 * tile_groups + group // 4
        return ue4m3(data[name][tile * 512 + row % 32 * 16
                                + row // 32 % 4 * 4 + group % 4])

    def row_of(name, scales, row):
        values = []
        for index in range(k):
            byte = data[name][row * pitch + index // 2]
            code = byte >> 4 if index % 2 else byte & 15
            values.append(E2M1[code] * scale(scales, row, index // 16))
        return values

    generator = random.Random(1)
    worst = 0.0
    for _ in range(32):
        i, j = generator.randrange(m), generator.randrange(n)
        products = [x * y for x, y in zip(row_of("a", "sfa", i),
                                          row_of("b", "sfb", j))]
        exact = sum(products)
        got = struct.unpack_from("<e", output, 2 * (i * n + j))[0]
        magnitude = sum(abs(p) for p in products)
        bound = abs(exact) * 2.0**-11 + magnitude * 2.0**-22 + 2.0**-25
        if not abs(got - exact) <= bound:
            sys.exit(f"error: element ({i}, {j}) is {got}, expected {exact}")
        worst = max(worst, abs(got - exact) / bound)
    return worst


def run(emulator, launch, arguments, repeat):
    times, report = [], None
    for _ in range(repeat):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            begin = time.monotonic()
            subprocess.run([emulator, "run", str(launch), "--quiet",
                            f"--json={file.name}"] + arguments, check=True)
            times.append(time.monotonic() - begin)
            report = json.loads(Path(file.name).read_text())
    return times, report


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", action="append", default=[],
                        help="folder of the programs; may be repeated")
    parser.add_argument("--kernel", default=ROOT / "examples/nvfp4_gemm.mlir")
    parser.add_argument("--shape", default="2048x2048x4096", help="MxNxK")
    parser.add_argument("--case", action="append", default=[],
                        help="folder with a launch.json, instead of a GEMM")
    parser.add_argument("--sms", type=int, default=148)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--json", help="write the results here")
    parser.add_argument("options", nargs="*",
                        help="for bsmm-emu, after --, e.g. -- --mode=lazy")
    args = parser.parse_args()
    folders = args.bin or [ROOT / "build/bin"]
    emulator = tool("bsmm-emu", folders)
    rows = []

    def add(name, times, report):
        seconds = statistics.median(times)
        macs = report["statistics"]["multiply_adds"]
        rows.append({"name": name, "seconds": seconds,
                     "spread": [min(times), max(times)],
                     "multiply_adds": macs,
                     "giga_multiply_adds_per_second": macs / seconds / 1e9,
                     "warp_instructions":
                         report["statistics"]["warp_instructions"]})

    for case in args.case:
        folder = Path(case)
        check_option = ["--check"] if "expected" in (
            folder / "launch.json").read_text() else []
        times, report = run(emulator, folder / "launch.json",
                            check_option + args.options, args.repeat)
        add(folder.name, times, report)
    if not args.case:
        m, n, k = (int(part) for part in args.shape.split("x"))
        if k % 2 or n % 8 or min(m, n, k) < 1:
            sys.exit("error: expected positive sizes, an even K and N a "
                     "multiple of 8")
        translate = tool("bsmm-translate", folders)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for flag, to in (("--bsmm-to-ptx", "kernel.ptx"),
                             ("--bsmm-to-manifest", "manifest.json")):
                subprocess.run([translate, flag, str(args.kernel), "-o",
                                str(folder / to)], check=True)
            manifest = json.loads((folder / "manifest.json").read_text())
            write_case(folder, manifest, m, n, k, args.sms)
            output = folder / "d.out"
            times, report = run(
                emulator, folder / "launch.json",
                [f"--output=d:{output}"] + args.options, args.repeat)
            worst = check(folder, m, n, k, output.read_bytes())
            print(f"32 elements checked, at most {worst:.2f} of the bound")
            add(f"{Path(args.kernel).stem} {args.shape}", times, report)
    print(f"{'case':36} {'seconds':>9} {'G MAC/s':>9} {'warp instr.':>12}   "
          f"({os.cpu_count()} host cores)")
    for row in rows:
        print(f"{row['name']:36} {row['seconds']:9.3f} "
              f"{row['giga_multiply_adds_per_second']:9.3f} "
              f"{row['warp_instructions']:12}")
    if args.json:
        Path(args.json).write_text(json.dumps(
            {"schema": "bsmm.benchmark.emulator/1", "cases": rows}, indent=1))


if __name__ == "__main__":
    main()

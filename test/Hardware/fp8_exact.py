#!/usr/bin/env python3
"""Compares Hopper kernels with the emulator byte for byte.

Sums of the tensor core are inexact here: operands have every finite code, so a
wrong order or a wrong number of bits shows. In two parts, because the machine
with the compiler need not be the one with the GPU:

    test/Hardware/fp8_exact.py make FOLDER --tools build/bin
    test/Hardware/fp8_exact.py run FOLDER

`make` needs bsmm-opt, bsmm-translate, bsmm-launch and bsmm-emu; with ptxas it
assembles the kernels. Each form becomes a launch file (docs/abi.md) with its
operands and with the bytes that the emulator writes, which must be the same in
every mode of asynchrony. `run` needs an sm_90 GPU and the CUDA driver, nothing
else. It launches every form twice on the same memory, and compares all bytes of
all buffers after each launch: results, padding, operands and guards around them.
The exit code is 0 when none differs; the last line counts.

`make --list` prints the forms; --only TEXT takes those whose name has the text.
BSMM_CUDA_DRIVER names another library than libcuda.so.1.
"""

import argparse
import ctypes
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

GUARD = 1024
GUARD_BYTE = 0xC3

#: M, N, K of a form, and rows and columns of its operands with padding.
Sizes = namedtuple("Sizes", "m n k pitches odd_pitches")


def sizes_of(m, n, k):
    """Pitches with padding: those of 16 bytes, and odd ones where TMA is not used."""
    whole = -(-k // 16) * 16
    pitches = {"a": whole, "b": whole, "c": n + 5, "d": -(-n // 16) * 16 + 16}
    return Sizes(m, n, k, pitches, dict(pitches, d=n + 3))


#: Extents that are no multiple of any tile.
USUAL = sizes_of(200, 272, 700)

Form = namedtuple("Form", "name a b out epilogue options sms sizes", defaults=[USUAL])

#: Epilogues: none; rows and columns scaled; all steps; sums promoted; f32 scales of
#: blocks of 128; outputs of 8 bits; block scales of 8 bits; and sums that are exact
#: in any order, of operands -1, 0 and 1.

#: Name, operands, output, epilogue, options of bsmm-problem-to-tile beside
#: block-k=128 where none is given, SMs of persistent kernels (0: one tile a CTA), and
#: sizes. The options of a tile-level kernel are its file and what NN stands for.
FORMS = [
    Form("rows", "e4m3", "e4m3", "bf16", "rows", "block-n=256", 3),
    Form("rows-mixed", "e4m3", "e5m2", "f16", "rows", "block-n=224", 3),
    Form("rows-256", "e4m3", "e5m2", "f32", "none", "block-m=256 block-n=128", 3),
    Form("columns", "e4m3", "e4m3", "f32", "none", "block-m=192 block-n=192", 3),
    Form("one-warpgroup", "e4m3", "e4m3", "f32", "none", "block-m=64 block-n=128", 3),
    Form("tile", "e5m2", "e5m2", "bf16", "rows", "block-n=128 persistent=false", 0),
    # One tile a CTA: the output is staged where the operands were.
    Form("tile-96", "e4m3", "e4m3", "bf16", "rows", "block-n=96 persistent=false", 0),
    Form("tile-224", "e4m3", "e5m2", "f16", "all", "block-n=224 persistent=false", 0),
    Form("tile-f32", "e5m2", "e4m3", "f32", "none",
         "block-n=128 stages=2 persistent=false", 0),
    Form("tile-one-slot", "e4m3", "e4m3", "bf16", "all",
         "block-n=128 stages=1 persistent=false", 0),
    Form("tile-promoted", "e4m3", "e4m3", "f32", "promoted",
         "block-n=96 persistent=false", 0),
    Form("tile-promoted-224", "e4m3", "e4m3", "f32", "promoted",
         "block-n=224 persistent=false", 0),
    Form("tile-blocks", "e4m3", "e4m3", "bf16", "blocks",
         "block-n=96 persistent=false", 0),
    Form("tile-split", "e4m3", "e5m2", "bf16", "all",
         "block-n=96 persistent=false split-k=2", 0),
    Form("epilogue", "e5m2", "e4m3", "bf16", "all", "block-n=192", 3),
    Form("predicated", "e4m3", "e4m3", "bf16", "all",
         "block-n=160 predicated-store=true", 3),
    Form("split-2", "e4m3", "e4m3", "f32", "none",
         "block-n=192 persistent=false split-k=2", 0),
    Form("split-4", "e5m2", "e4m3", "f32", "none",
         "block-n=256 stages=2 persistent=false split-k=4", 0),
    Form("promoted", "e4m3", "e4m3", "f32", "promoted", "block-n=128", 3),
    Form("promoted-deep", "e5m2", "e4m3", "f32", "promoted",
         "block-n=128 block-k=256", 3),
    Form("promoted-columns", "e4m3", "e4m3", "f32", "promoted", "block-n=224", 3),
    Form("promoted-rows", "e4m3", "e4m3", "f32", "promoted",
         "block-m=192 block-n=144", 3),
    Form("promoted-rows-tile", "e4m3", "e5m2", "f32", "promoted",
         "block-m=192 block-n=112 persistent=false", 0),
    Form("promoted-both", "e4m3", "e4m3", "f32", "promoted",
         "block-n=144 block-k=256", 3),
    Form("promoted-split", "e4m3", "e5m2", "f32", "promoted",
         "block-n=128 persistent=false split-k=2", 0),
    Form("ping-pong", "e4m3", "e4m3", "bf16", "rows", "block-n=128 ping-pong=true", 2),
    Form("ping-pong-wide", "e4m3", "e4m3", "f32", "none",
         "block-m=64 block-n=256 ping-pong=true", 2),
    Form("ping-pong-144", "e5m2", "e4m3", "f16", "all",
         "block-n=144 ping-pong=true", 2),
    Form("ping-pong-promoted", "e4m3", "e4m3", "f32", "promoted",
         "block-m=64 block-n=128 ping-pong=true", 3),
    Form("cluster", "e4m3", "e4m3", "bf16", "rows", "block-n=192 cluster-m=2", 4),
    Form("cluster-tile", "e4m3", "e4m3", "bf16", "all",
         "block-n=128 cluster-m=2 persistent=false", 0),
    Form("cluster-tile-4", "e5m2", "e4m3", "f32", "promoted",
         "block-m=64 block-n=96 cluster-m=4 persistent=false", 0),
    Form("cluster-4", "e4m3", "e5m2", "f32", "none",
         "block-m=64 block-n=96 cluster-m=4", 4),
    Form("cluster-ping-pong", "e4m3", "e4m3", "bf16", "rows",
         "block-n=144 ping-pong=true cluster-m=2", 4),
    Form("cluster-ping-pong-64", "e5m2", "e5m2", "f32", "none",
         "block-m=64 block-n=128 ping-pong=true cluster-m=2", 2),
    Form("blocks", "e4m3", "e4m3", "bf16", "blocks", "block-n=128", 3),
    Form("blocks-192", "e4m3", "e5m2", "f32", "blocks", "block-n=192", 3),
    Form("blocks-256", "e5m2", "e4m3", "f32", "blocks", "block-m=256 block-n=96", 2),
    Form("blocks-columns", "e4m3", "e4m3", "f32", "blocks", "block-m=192 block-n=128", 2),
    Form("blocks-cluster", "e4m3", "e4m3", "bf16", "blocks", "block-n=64 cluster-m=2", 4),
    Form("blocks-ping-pong", "e4m3", "e4m3", "f32", "blocks",
         "block-m=64 block-n=96 ping-pong=true", 2),
    Form("out-e4m3", "e4m3", "e4m3", "e4m3", "narrow", "block-n=256", 3),
    Form("out-e5m2", "e5m2", "e4m3", "e5m2", "narrow",
         "block-m=64 block-n=128 ping-pong=true", 2),
    Form("nvfp4", "e2m1", "e2m1", "f32", "nvfp4", "block-n=128", 3),
    Form("mxfp8", "e4m3", "e5m2", "bf16", "mx", "block-n=192", 3),
    Form("added-splits", "e4m3", "e4m3", "f32", "exact",
         "block-n=128 split-k=3 add-splits=true", 5),
]


def public(name, sizes, options, out="bf16", epilogue="rows", sms=3):
    return Form(f"public-{name}", "e4m3", "e4m3", out, epilogue, options, sms,
                sizes_of(*sizes))


#: Sizes and tiles of public bug reports that an H200 can run (docs/public-cases.md).
FORMS += [
    # ThunderKittens #88: row scales in the wrong lanes.
    public("lanes", (128, 128, 128), "block-n=128"),
    # pytorch #133334: row scales of a last tile that is not full.
    public("last-rows", (160, 200, 128), "block-n=256"),
    public("last-rows-256", (288, 136, 4096), "block-m=256 block-n=64"),
    # pytorch #190449: the output scale.
    public("out-scale", (16, 16, 32), "block-k=32", "bf16", "all"),
    public("out-scale-e4m3", (16, 16, 32), "block-k=32", "e4m3", "narrow"),
    # pytorch #159940: a tiny shape.
    public("tiny", (16, 32, 32), "block-n=128"),
    # pytorch/ao #4209: K / 128 that is no multiple of 4.
    public("long-k", (16, 16, 128128), "block-m=64 block-n=16 block-k=512", "f32",
           "none"),
    # vllm #40016: few rows. vllm #47990, DeepGEMM #10 and #25: columns.
    public("rows-1", (1, 576, 1024), "block-n=192"),
    public("rows-2", (2, 576, 1024), "block-n=192 ping-pong=true"),
    public("rows-3", (3, 2112, 1024), "block-m=64 block-n=112"),
    public("rows-5", (5, 2112, 1152), "block-n=112 persistent=false"),
    public("columns-7168", (5, 7168, 1152), "block-m=64 block-n=256"),
    # triton #11583: nothing changes behind the last column.
    *(public(f"last-columns-{out}", (64, 466, 64), "block-n=128 predicated-store=true",
             out, epilogue)
      for out, epilogue in (("f32", "none"), ("bf16", "none"), ("e4m3", "narrow"))),
    # tilelang #2566: loops of one iteration.
    *(public(f"one-step-{stages}", (64, 48, 128), f"block-n=48 stages={stages}")
      for stages in (1, 2, 3, 4)),
    # cutlass #3596: block scales of a tile of 256 rows.
    public("blocks", (256, 128, 128), "block-m=256 block-n=96", "f32", "blocks", 2),
    # tilelang #2593: wgmma with N = 8 mod 16.
    *(public(f"narrow-{columns}", (70, 160, 96),
             f"test/PublicCases/Inputs/narrow.mlir {columns}", "bf16", "none", 0)
      for columns in (24, 40, 56, 72)),
]

MLIR_TYPES = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e2m1": "f4E2M1FN"}
#: Codes of infinities and NaNs.
SPECIAL = {
    "e4m3": {0x7F, 0xFF},
    "e5m2": {0x7C, 0x7D, 0x7E, 0x7F, 0xFC, 0xFD, 0xFE, 0xFF},
}
OUT_BYTES = {"bf16": 2, "f16": 2, "f32": 4, "e4m3": 1, "e5m2": 1}
#: Type, elements of K a scale, and encodings of the scales of A and of B.
SCALES = {
    "blocks": ("f32", 128, "column_major, vec = 128", "linear, vec = 128, rows = 128"),
    "nvfp4": ("f8E4M3FN", 16, *["blocked_128x4, vec = 16"] * 2),
    "mx": ("f8E8M0FNU", 32, *["blocked_128x4, vec = 32"] * 2),
}


# What the forms compute.


def source(form):
    """The problem-level function of a form."""
    matrix = lambda element: f"tensor<?x?x{element}>"
    a, b = (matrix(MLIR_TYPES[t]) for t in (form.a, form.b))
    d, vector = matrix(MLIR_TYPES.get(form.out, form.out)), "tensor<?xf32>"
    arguments = [f"%a: {a}", f"%b: {b}", f"%d: {d}"]
    inputs = f"%a, %b : {a}, {b}"
    clauses = attributes = ""
    if form.epilogue in SCALES:
        element, _, *encodings = SCALES[form.epilogue]
        sfa, sfb = (f"tensor<?x?x{element}, #bsmm.scales<{e}>>" for e in encodings)
        arguments += [f"%sfa: {sfa}", f"%sfb: {sfb}"]
        inputs = f"%a scales %sfa, %b scales %sfb : {a}, {sfa}, {b}, {sfb}"
    if form.epilogue in ("rows", "all", "narrow"):
        arguments += [f"%sa: {vector}", f"%sb: {vector}"]
        clauses += f" row_scale_a(%sa : {vector}) row_scale_b(%sb : {vector})"
    if form.epilogue == "all":
        arguments += ["%alpha: f32", "%beta: f32", f"%bias: {vector}", "%scale: f32"]
        clauses += f" alpha(%alpha) beta(%beta) bias(%bias : {vector})"
        clauses += " out_scale(%scale)"
    if form.epilogue == "narrow":
        arguments += ["%scale: f32"]
        clauses += " out_scale(%scale)"
        attributes = " {numerics = #bsmm.numerics<accumulate = f32,"
        attributes += " overflow = saturate>}"
    if form.epilogue == "promoted":
        attributes = " {numerics = #bsmm.numerics<accumulate = f32,"
        attributes += " promote_every = 128>}"
    return (
        'module attributes {bsmm.target = #bsmm.target<"sm_90a">} {\n'
        f"  func.func @gemm({', '.join(arguments)}) -> {d} {{\n"
        f"    %0 = bsmm.scaled_matmul ins({inputs}) outs(%d : {d})"
        f"{clauses}{attributes} -> {d}\n"
        f"    return %0 : {d}\n  }}\n}}\n"
    )


def random_codes(generator, element, rows, columns, pitch):
    """Rows of finite codes; the padding is NaN, or 0xFF of e2m1, two a byte."""
    if element == "e2m1":
        columns, pitch = columns // 2, pitch // 2
    codes = [c for c in range(256) if c not in SPECIAL.get(element, ())]
    return b"".join(
        bytes(generator.choices(codes, k=columns)) + b"\xff" * (pitch - columns)
        for _ in range(rows)
    )


def random_floats(generator, count, largest):
    """f32 of both signs, with random bits."""
    values = [generator.uniform(-largest, largest) for _ in range(count)]
    return struct.pack(f"<{count}f", *values)


def scale_tiles(generator, element, rows, groups):
    """Blocked scales of moderate codes; those of padding are NaN."""
    codes = range(0x20, 0x48) if element == "f8E4M3FN" else range(119, 133)
    tiles = -(-groups // 4)
    data = bytearray(b"\xff" * (-(-rows // 128) * tiles * 512))
    for row in range(rows):
        for group in range(groups):
            tile = row // 128 * tiles + group // 4
            place = row % 32 * 16 + row // 32 % 4 * 4 + group % 4
            data[tile * 512 + place] = generator.choice(codes)
    return bytes(data)


def scales(role, form, generator):
    """(name, bytes) of block scales."""
    element, vector, *_ = SCALES[form.epilogue]
    groups = -(-form.sizes.k // vector)
    rows = form.sizes.m if role == "sfa" else form.sizes.n
    if element != "f32":
        return (f"{role}-{form.epilogue}",
                scale_tiles(generator, element, rows, groups))
    # Column-major of A, and a row of groups for 128 rows of B.
    lines, width = (groups, rows) if role == "sfa" else (-(-rows // 128), groups)
    padding = b"\xff" * 4 * (-width % 4)
    return f"{role}-f32", b"".join(
        random_floats(generator, width, 2.0) + padding for _ in range(lines))


def random_c(generator, out, rows, columns, pitch):
    """C in the output's type: values up to 2; the padding is NaN."""
    data = bytearray(b"\xff" * (rows * pitch * OUT_BYTES[out]))
    for row in range(rows):
        for column in range(columns):
            value = generator.uniform(-2, 2)
            bits = struct.pack("<e", value)
            if out != "f16":
                bits = struct.pack("<f", value)[4 - OUT_BYTES[out]:]
            start = (row * pitch + column) * OUT_BYTES[out]
            data[start:start + len(bits)] = bits
    return bytes(data)


def contents(role, form, generator, pitch):
    """(name, bytes) of an operand; operands of a name are shared by forms."""
    m, n, k = form.sizes[:3]
    if role in ("a", "b"):
        element = form.a if role == "a" else form.b
        rows = m if role == "a" else n
        name = f"{role}-{element}"
        if form.epilogue == "exact":
            codes = b"\xb8\x00\x38"
            return f"{name}-exact", b"".join(
                bytes(generator.choices(codes, k=k)) + b"\xff" * (pitch - k)
                for _ in range(rows))
        return name, random_codes(generator, element, rows, k, pitch)
    if role in ("sa", "sb"):
        # Outputs of f16 stay finite.
        return role, random_floats(generator, m if role == "sa" else n, 2.0 ** -7)
    if role in ("sfa", "sfb"):
        return scales(role, form, generator)
    if role == "bias":
        return role, random_floats(generator, n, 100.0)
    return f"c-{form.out}", random_c(generator, form.out, m, n, pitch)


SCALARS = {"alpha": 0.37, "beta": -1.5, "out_scale": 3.5}


# The part with the compiler.


class Maker:
    def __init__(self, folder, tools, ptxas, modes):
        self.folder, self.ptxas, self.modes = folder, ptxas, modes
        self.tools = tools

    def tool(self, name, *arguments):
        program = os.path.join(self.tools, name) if self.tools else name
        done = subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"error: {name} {' '.join(map(str, arguments))}:\n"
                     f"{done.stdout[-3000:]}")
        return done.stdout

    def compile(self, form, folder):
        passes = ["--canonicalize"]
        if ".mlir " in form.options:
            file, columns = form.options.split()
            text = (ROOT / file).read_text().replace("NN", columns)
        else:
            text, options = source(form), form.options
            if "block-k" not in options:
                options += " block-k=128"
            passes.insert(0, f"--bsmm-problem-to-tile={options}")
        (folder / "gemm.mlir").write_text(text)
        self.tool("bsmm-opt", *passes, folder / "gemm.mlir",
                  "-o", folder / "kernel.mlir")
        self.tool("bsmm-translate", "--bsmm-to-manifest", folder / "kernel.mlir",
                  "-o", folder / "kernel.json")
        self.tool("bsmm-translate", "--bsmm-to-ptx", folder / "kernel.mlir",
                  "-o", folder / "kernel.ptx")
        self.tool("bsmm-launch", "pack", "-o", folder / "kernel.bsmm",
                  folder / "kernel.json")
        manifest = json.loads((folder / "kernel.json").read_text())
        m, n, k, pitches, odd_pitches = form.sizes
        sizes = ["-M", m, "-N", n, "-K", k]
        sizes += [f"--sms={form.sms}"] if form.sms else []
        uses_map = any(p.get("tensor_map", {}).get("role") == "d"
                       for p in manifest["params"])
        for role, pitch in (pitches if uses_map else odd_pitches).items():
            if {"i64": {"pitch": role}} in manifest["params"] or any(
                    p.get("tensor_map", {}).get("role") == role
                    for p in manifest["params"]):
                sizes.append(f"--pitch-{role}={pitch}")
        self.tool("bsmm-launch", "export", folder / "kernel.bsmm", "-o", folder, *sizes)
        return manifest, json.loads((folder / "launch.json").read_text())

    def make(self, form):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            manifest, launch = self.compile(form, folder)
            launch["ptx"] = f"{form.name}.ptx"
            shutil.copy(folder / "kernel.ptx", self.folder / launch["ptx"])
            notes = self.assemble(form, folder, launch)
        self.fill(form, manifest, launch)
        path = self.folder / f"{form.name}.json"
        outputs = set()
        for mode in self.modes:
            path.write_text(json.dumps(launch, indent=1))
            result = self.folder / f"{form.name}.out"
            self.tool("bsmm-emu", "run", path, "--strict", "--quiet",
                      f"--mode={mode}", f"--output=d:{result}")
            outputs.add(result.read_bytes())
        if len(outputs) != 1:
            sys.exit(f"error: {form.name}: modes {', '.join(self.modes)} differ")
        launch["buffers"]["d"]["expected"] = result.name
        path.write_text(json.dumps(launch, indent=1))
        data = outputs.pop()
        print(f"{form.name}: {len(data)} bytes expected, "
              f"{len(set(data))} different ones{notes}", flush=True)

    def assemble(self, form, folder, launch):
        """Returns what ptxas has to say."""
        if not self.ptxas:
            return ""
        cubin = self.folder / f"{form.name}.cubin"
        done = subprocess.run(
            [self.ptxas, "-arch=sm_90a", "-O3", "-v", folder / "kernel.ptx", "-o", cubin],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"error: {form.name}: ptxas: {done.stdout}")
        # Keys that begin with x- are skipped by readers of launch files.
        launch["x-cubin"] = cubin.name
        quiet = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
        words = ("warning", "spill", "Potential", "ignored")
        notes = [line.strip() for line in done.stdout.splitlines()
                 if quiet not in line and any(word in line for word in words)]
        return f", ptxas: {'; '.join(notes)}" if notes else ""

    def fill(self, form, manifest, launch):
        """Gives the launch its operands and scalars."""
        m, n, _, pitches, _ = form.sizes
        for given, param in zip(manifest["params"], launch["params"]):
            if "f32" in given:
                param["f32"] = SCALARS[given["f32"]]
                if form.epilogue == "narrow":
                    param["f32"] = 1.0
        for role, buffer in launch["buffers"].items():
            buffer["fill"] = "0xFF"
            if role == "d" and manifest.get("adds_to_output"):
                # Zeros before each launch, but for the padding.
                row = bytes(n * OUT_BYTES[form.out])
                row += b"\xff" * (pitches["d"] * OUT_BYTES[form.out] - len(row))
                (self.folder / "zeros.bin").write_bytes((row * m)[:buffer["bytes"]])
                buffer["file"] = "zeros.bin"
                launch["x-zeroed"] = True
            if role in ("d", "workspace"):
                continue
            rows = {"a": m, "b": n, "c": m}.get(role, 1)
            width = OUT_BYTES[form.out] if role == "c" else 1
            # One seed for an operand, whichever form comes first.
            name, data = contents(role, form, random.Random(role), pitches.get(role))
            if form.sizes != USUAL:
                name = f"{form.name}-{name}"
            # The last row ends with its last element.
            data = data[:buffer["bytes"]]
            if len(data) != buffer["bytes"]:
                sys.exit(f"error: {form.name}: expected {buffer['bytes']} bytes for "
                         f"{role}, made {len(data)}")
            path = self.folder / f"{name}.bin"
            if path.exists() and path.read_bytes() != data:
                sys.exit(f"error: {form.name}: {path} holds other data")
            path.write_bytes(data)
            buffer["file"] = path.name


def make(args):
    forms = [form for form in FORMS if args.only in form.name]
    if args.list:
        for form in forms:
            print(*form[:-1], *form.sizes[:3])
        return 0
    if args.folder is None:
        sys.exit("error: expected a folder")
    folder = Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    maker = Maker(folder, args.tools, args.ptxas, args.modes.split(","))
    for form in forms:
        maker.make(form)
    names = [form.name for form in forms]
    (folder / "forms.json").write_text(json.dumps(names) + "\n")
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{len(forms)} forms, {size / 2 ** 20:.1f} MiB in {folder}")
    return 0


# The part with the GPU.

MAP_ELEMENTS = {"u8": 0, "u16": 1, "f16": 6, "f32": 7, "bf16": 9}
MAP_SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
MAXIMUM_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
NON_PORTABLE_CLUSTER = 14  # CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig; the entry's directive says the cluster."""

    _fields_ = [
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint),
    ]


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute: an id, and a union of 64 bytes."""

    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_int),
                ("value", ctypes.c_uint * 16)]


CLUSTER_DIMENSION = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION


class Gpu:
    """The few driver calls that a launch needs."""

    def __init__(self):
        self.cuda = ctypes.CDLL(os.environ.get("BSMM_CUDA_DRIVER") or "libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, device)
        print(name.value.decode())

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def allocate(self, data):
        """Device memory with a guard on both sides; its first address."""
        pointer = ctypes.c_uint64()
        guard = bytes([GUARD_BYTE]) * GUARD
        self.call("cuMemAlloc_v2", ctypes.byref(pointer),
                  ctypes.c_size_t(len(data) + 2 * GUARD))
        self.call("cuMemcpyHtoDAsync_v2", pointer, guard + data + guard,
                  ctypes.c_size_t(len(data) + 2 * GUARD), None)
        self.call("cuStreamSynchronize", None)
        return pointer

    def write(self, pointer, data):
        """Between the guards."""
        self.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(pointer.value + GUARD), data,
                  ctypes.c_size_t(len(data)), None)
        self.call("cuStreamSynchronize", None)

    def read(self, pointer, size):
        """Memory with its guards."""
        data = ctypes.create_string_buffer(size + 2 * GUARD)
        self.call("cuMemcpyDtoHAsync_v2", data, pointer,
                  ctypes.c_size_t(len(data)), None)
        self.call("cuStreamSynchronize", None)
        return data.raw

    def function(self, image, entry, shared):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadDataEx", ctypes.byref(module), image, 0, None, None)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
        self.call("cuFuncSetAttribute", function, MAXIMUM_DYNAMIC_SHARED, shared)
        return module, function

    def launch(self, function, launch, parameters):
        cluster = launch.get("cluster", [1, 1, 1])
        attribute = LaunchAttribute(CLUSTER_DIMENSION, 0, (ctypes.c_uint * 16)(*cluster))
        config = LaunchConfig(
            (ctypes.c_uint * 3)(*launch["grid"]), (ctypes.c_uint * 3)(*launch["block"]),
            launch["dynamic_smem"], None,
            ctypes.cast(ctypes.pointer(attribute), ctypes.c_void_p), 1)
        places = (ctypes.c_void_p * len(parameters))(
            *[ctypes.cast(p, ctypes.c_void_p) for p in parameters])
        self.call("cuLaunchKernelEx", ctypes.byref(config), function, places, None)
        self.call("cuStreamSynchronize", None)

    def tensor_map(self, map, address):
        """128 bytes, aligned to 128, as a ctypes array."""
        memory = (ctypes.c_uint8 * 256)()
        start = -ctypes.addressof(memory) % 128
        result = (ctypes.c_uint8 * 128).from_buffer(memory, start)
        rank = len(map["dims"])
        strides = map["strides_bytes"] or [0]
        self.call(
            "cuTensorMapEncodeTiled", result, MAP_ELEMENTS[map["element"]], rank,
            ctypes.c_void_p(address), (ctypes.c_uint64 * rank)(*map["dims"]),
            (ctypes.c_uint64 * len(strides))(*strides),
            (ctypes.c_uint32 * rank)(*map["box"]), (ctypes.c_uint32 * rank)(*[1] * rank),
            0, MAP_SWIZZLES[map["swizzle"]], 2, 1 if map.get("fill") == "nan" else 0)
        return result


def first_contents(folder, buffer):
    fill = int(buffer.get("fill", "0xFF"), 16)
    data = (folder / buffer["file"]).read_bytes() if "file" in buffer else b""
    return data + bytes([fill]) * (buffer["bytes"] - len(data))


def parameter(gpu, param, memory):
    """One parameter as a ctypes object."""
    if "tensor_map" in param:
        map = param["tensor_map"]
        address = memory[map["data"]].value + GUARD + map.get("offset", 0)
        return gpu.tensor_map(map, address)
    if "pointer" in param:
        place = param["pointer"]
        name, offset = (place["data"], place.get("offset", 0)) \
            if isinstance(place, dict) else (place, 0)
        return ctypes.c_uint64(memory[name].value + GUARD + offset)
    if "null" in param:
        return ctypes.c_uint64(0)
    if "i32" in param:
        return ctypes.c_int32(param["i32"])
    if "i64" in param:
        return ctypes.c_int64(param["i64"])
    value = param["f32"]
    if isinstance(value, str):
        value = struct.unpack("<f", struct.pack("<I", int(value, 16)))[0]
    return ctypes.c_float(value)


def run_form(gpu, folder, name):
    """Bytes that differ, bytes compared, and where the first one is."""
    launch = json.loads((folder / f"{name}.json").read_text())
    memory, expected = {}, {}
    guard = bytes([GUARD_BYTE]) * GUARD
    for key, buffer in launch["buffers"].items():
        data = first_contents(folder, buffer)
        memory[key] = gpu.allocate(data)
        if "expected" in buffer:
            data = (folder / buffer["expected"]).read_bytes()
        expected[key] = guard + data + guard
    # A driver whose GPU is the emulator takes PTX only.
    cubin = launch.get("x-cubin")
    if cubin and not os.environ.get("BSMM_CUDA_DRIVER"):
        image = (folder / cubin).read_bytes()
    else:
        image = (folder / launch["ptx"]).read_bytes() + b"\0"
    module, function = gpu.function(image, launch["entry"], launch["dynamic_smem"])
    objects = [parameter(gpu, p, memory) for p in launch["params"]]
    places = [ctypes.pointer(o) for o in objects]
    different = compared = 0
    first = ""
    for number in (1, 2):
        if launch.get("x-zeroed"):
            gpu.write(memory["d"], first_contents(folder, launch["buffers"]["d"]))
        gpu.launch(function, launch, places)
        for key, wanted in expected.items():
            got = gpu.read(memory[key], len(wanted) - 2 * GUARD)
            compared += len(wanted)
            if got == wanted:
                continue
            wrong = [i for i in range(len(wanted)) if got[i] != wanted[i]]
            different += len(wrong)
            first = first or (f"; launch {number}, buffer {key}, byte "
                              f"{wrong[0] - GUARD}: {got[wrong[0]]:#04x} instead of "
                              f"{wanted[wrong[0]]:#04x}")
    for pointer in memory.values():
        gpu.call("cuMemFree_v2", pointer)
    gpu.call("cuModuleUnload", module)
    return different, compared, first


def run(args):
    folder = Path(args.folder)
    names = [name for name in json.loads((folder / "forms.json").read_text())
             if args.only in name]
    gpu = Gpu()
    wrong = 0
    results = []
    for name in names:
        different, compared, first = run_form(gpu, folder, name)
        wrong += different != 0
        results.append({"form": name, "different": different, "compared": compared})
        print(f"{name}: {different} of {compared} bytes differ{first}", flush=True)
    if args.json:
        Path(args.json).write_text(json.dumps(results, indent=1) + "\n")
    print(f"{len(names) - wrong} of {len(names)} forms write the emulator's bytes")
    return 1 if wrong or not names else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="on a machine with the compiler")
    making.add_argument("folder", nargs="?")
    making.add_argument("--tools", default="", help="folder of bsmm's programs")
    making.add_argument("--ptxas", default=shutil.which("ptxas") or "",
                        help="program, or '' for none (default: in PATH)")
    making.add_argument("--modes", default="eager,lazy,random:1,random:2")
    making.add_argument("--list", action="store_true", help="print the forms")
    running = commands.add_parser("run", help="on a machine with the GPU")
    running.add_argument("folder")
    running.add_argument("--json", help="write the counts")
    for command in (making, running):
        command.add_argument("--only", default="", help="part of the forms' names")
    args = parser.parse_args()
    return make(args) if args.command == "make" else run(args)


if __name__ == "__main__":
    sys.exit(main())

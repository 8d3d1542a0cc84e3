#!/usr/bin/env python3
"""Compiles FP8 products for sm_90a and looks for spills.

usage: ptxas_spills.py TOOLS PTXAS [--kind KIND] [--widths FIRST LAST STEP]

Goes through tiles of 64, 128, 192 and 256 rows, of 16 to 256 columns, with
outputs of bf16 and f32: sums of 128 elements of K that are added in f32, alone
and with row scales, and that block scales multiply; and with all that an
epilogue may have, in turns, in clusters and with one tile a CTA. A tile is
refused by
bsmm-problem-to-tile or bsmm-tile-to-pipeline, for its registers or its memory,
or ptxas compiles it without a stack and spills and without a note. Prints what
does not.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

# Sums of a product of e4m3 by kind, as problems.
TYPES = "#rows = #bsmm.scales<column_major, vec = 128>\n" \
        "#blocks = #bsmm.scales<linear, vec = 128, rows = 128>\n"
OPERAND = "tensor<?x?x?xf8E4M3FN>"
PROMOTE = "{numerics = #bsmm.numerics<accumulate = f32, promote_every = 128>}"
KINDS = {
    "promoted": ("", f"ins(%a, %b : {OPERAND}, {OPERAND})", "", PROMOTE),
    "row-scales": (
        ", %ra: tensor<?xf32>, %rb: tensor<?xf32>",
        f"ins(%a, %b : {OPERAND}, {OPERAND})",
        "row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>)",
        PROMOTE),
    "block-scales": (
        ", %sa: tensor<?x?x?xf32, #rows>, %sb: tensor<?x?x?xf32, #blocks>",
        f"ins(%a scales %sa, %b scales %sb : {OPERAND}, "
        f"tensor<?x?x?xf32, #rows>, {OPERAND}, tensor<?x?x?xf32, #blocks>)",
        "", ""),
}
for activation in ("relu", "silu"):
    KINDS[activation] = (
        ", %ra: tensor<?xf32>, %rb: tensor<?xf32>, %bias: tensor<?xf32>, "
        "%alpha: f32, %beta: f32",
        f"ins(%a, %b : {OPERAND}, {OPERAND})",
        "row_scale_a(%ra : tensor<?xf32>) row_scale_b(%rb : tensor<?xf32>) "
        "alpha(%alpha) beta(%beta) bias(%bias : tensor<?xf32>)",
        f"{{activation = #bsmm.activation<{activation}>}}")
# Options of bsmm-problem-to-tile for each kind, beside the tile.
FORMS = {kind: [""] for kind in KINDS}
FORMS["relu"] = FORMS["silu"] = [
    "", "ping-pong=true", "ping-pong=true cluster-m=2", "cluster-m=2",
    "persistent=false"]
FORMS["promoted"] = ["", "persistent=false"]
# Accumulators of fewer columns leave an epilogue what it needs.
LEAST = {"relu": 144, "silu": 144}
# What ptxas says that is no complaint.
FACT = re.compile(
    r"ptxas info    : (\d+ bytes gmem.*|Compiling entry function .*|"
    r"Function properties for .*|Used \d+ registers.*|Compile time = .*)|"
    r" *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")


def problem(kind, out):
    parameters, operands, scales, attributes = KINDS[kind]
    result = f"tensor<?x?x?x{out}>"
    return (f"{TYPES}func.func @gemm(%a: {OPERAND}, %b: {OPERAND}, "
            f"%d: {result}{parameters}) -> {result} {{\n"
            f"  %0 = bsmm.scaled_matmul {operands}\n"
            f"      outs(%d : {result}) {scales} {attributes} -> {result}\n"
            f"  return %0 : {result}\n}}\n")


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def check(arguments, folder, kind, form, out, m, n):
    """None for a tile that is refused, else the complaints."""
    name = f"{kind}-{form}-{out}-{m}x{n}".replace(" ", "-").replace("=", "-")
    name = os.path.join(folder, name)
    with open(name + ".mlir", "w") as file:
        file.write(problem(kind, out))
    done = run([os.path.join(arguments.tools, "bsmm-opt"), name + ".mlir",
                f"--bsmm-problem-to-tile=chip=sm_90a block-m={m} block-n={n} "
                f"block-k=128 {form}", "--bsmm-tile-to-pipeline-level",
                "-o", name + ".pipeline.mlir"])
    if done.returncode != 0:
        first = done.stdout.splitlines()[0]
        return None if re.search(r"error: .*, got ", first) else [first]
    done = run([os.path.join(arguments.tools, "bsmm-translate"),
                "--bsmm-to-ptx", name + ".pipeline.mlir", "-o", name + ".ptx"])
    if done.returncode != 0:
        return done.stdout.splitlines()[:1]
    done = run([arguments.ptxas, "-arch=sm_90a", "-v", name + ".ptx",
                "-o", name + ".cubin"])
    lines = done.stdout.splitlines()
    complaints = [line for line in lines if not FACT.fullmatch(line)]
    if done.returncode != 0 and not complaints:
        complaints = [f"ptxas ended with {done.returncode}"]
    return complaints


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("ptxas")
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--widths", nargs=3, type=int, default=(16, 256, 16))
    arguments = parser.parse_args()
    first, last, step = arguments.widths
    cases = [(kind, form, out, m, n)
             for kind in arguments.kind or KINDS for form in FORMS[kind]
             for out in ("bf16", "f32")
             for m in (64, 128, 192, 256) for n in range(first, last + 1, step)
             if n >= LEAST.get(kind, 0)]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(
            lambda case: check(arguments, folder, *case), cases))
    compiled = failed = 0
    for (kind, form, out, m, n), complaints in zip(cases, results):
        compiled += complaints is not None
        failed += bool(complaints)
        if complaints:
            print(f"{kind}{', ' if form else ''}{form}, output {out}, "
                  f"tile {m}x{n}:")
            print("\n".join(complaints))
    print(f"{len(cases)} tiles, {len(cases) - compiled} refused, "
          f"{failed} with complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compiles NVFP4 problems with fixed extents to SASS, without a complaint.

usage: ptxas_shapes.py TOOLS PTXAS CHIP [--all] CONFIGURATION ...

Every problem (with --all: and its transpose) goes through bsmm-opt and
bsmm-translate from the folder TOOLS with each configuration, options of
bsmm-problem-to-tile, and then through ptxas, which must say of each kernel that
it has no stack frame and no spills, and nothing else than facts. Prints the
registers of the kernels of each configuration.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "benchmark"))
from nvfp4_timeline import SCALES, product

# M, N, K of decoder layers: what the kernels are for.
SHAPES = [
    (128, 7168, 16384), (128, 4096, 7168), (128, 7168, 2048),
    (128, 256, 256), (128, 1536, 7168), (128, 3072, 1536),
    (256, 7168, 256), (256, 7168, 2048), (2304, 4608, 7168),
    (384, 7168, 2304), (512, 512, 7168), (512, 4096, 512),
    (512, 1536, 7168),
]

FACTS = [
    r"ptxas info    : \d+ bytes gmem.*",
    r"ptxas info    : Compiling entry function '\w+' for '\w+'",
    r"ptxas info    : Function properties for \w+",
    r" *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads",
    r"ptxas info    : Used \d+ registers, .*",
    r"ptxas info    : Compile time = .*",
]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("ptxas")
    parser.add_argument("chip")
    parser.add_argument("configurations", nargs="+")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    shapes = SHAPES[:3]
    if arguments.all:
        shapes = sorted(set(SHAPES + [(n, m, k) for m, n, k in SHAPES]))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name)
                 for name in ("problem.mlir", "tile.mlir", "k.ptx", "k.cubin")]
        with open(paths[0], "w") as file:
            file.write(SCALES)
            for m, n, k in shapes:
                file.write(product(f"gemm_{m}x{n}x{k}", m, n, k))
        for configuration in arguments.configurations:
            run([os.path.join(arguments.tools, "bsmm-opt"), paths[0],
                 "--bsmm-problem-to-tile="
                 f"chip={arguments.chip} {configuration}", "-o", paths[1]])
            run([os.path.join(arguments.tools, "bsmm-translate"),
                 "--bsmm-to-ptx", paths[1], "-o", paths[2]])
            output = run([arguments.ptxas, f"-arch={arguments.chip}", "-v",
                          paths[2], "-o", paths[3]])
            lines = output.splitlines()
            complaints = [line for line in lines
                          if not any(re.fullmatch(fact, line)
                                     for fact in FACTS)]
            clean = sum(bool(re.fullmatch(FACTS[3], line)) for line in lines)
            registers = sorted(set(re.findall(r"Used (\d+) registers", output)))
            print(f"{arguments.chip} {configuration}: {clean} of {len(shapes)} "
                  f"kernels without stack and spills, registers {registers}")
            if complaints or clean != len(shapes):
                failed = True
                print("\n".join(complaints))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

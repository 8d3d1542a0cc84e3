#!/usr/bin/env python3
"""How long the way from the tile level to PTX takes.

usage: compile_time.py TOOLS [FILE.mlir ...] [--runs N] [--json FILE]

Runs `bsmm-translate --bsmm-to-ptx` from the folder TOOLS on each file: a kernel
of the tile level, or a problem-level function, which bsmm-opt lowers first
(not measured). Prints wall clock and processor time in milliseconds, process
start included: median of the runs, and the fastest. The first row is the
process alone (`--version`). Measure a Release build on an idle machine: a
processor time well below the wall clock says that it was not.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
EXAMPLES = ["nvfp4_gemm.mlir", "fp8_gemm.mlir"]


def measure(command, runs):
    """Wall clock and processor time of each run, in milliseconds."""
    samples = []
    for _ in range(runs + 1):
        before = os.times()
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - start
        after = os.times()
        used = (after.children_user - before.children_user
                + after.children_system - before.children_system)
        samples.append((1e3 * wall, 1e3 * used))
    # The first run also reads the libraries from the disk.
    walls, used = zip(*samples[1:])
    return {
        "wall_median_ms": statistics.median(walls),
        "wall_min_ms": min(walls),
        "cpu_median_ms": statistics.median(used),
    }


def lower(tools, path, folder):
    """The file at the tile level."""
    with open(path) as file:
        if "bsmm.scaled_matmul" not in file.read():
            return path
    lowered = os.path.join(folder, os.path.basename(path))
    subprocess.run([os.path.join(tools, "bsmm-opt"), path,
                    "--bsmm-problem-to-tile", "-o", lowered], check=True)
    return lowered


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error(f"expected at least one run, got {arguments.runs}")
    files = arguments.files or [
        os.path.join(ROOT, "examples", name) for name in EXAMPLES]
    tool = os.path.join(arguments.tools, "bsmm-translate")
    results = {"process": measure([tool, "--version"], arguments.runs)}
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            command = [tool, "--bsmm-to-ptx",
                       lower(arguments.tools, path, folder),
                       "-o", os.path.join(folder, "kernel.ptx")]
            results[os.path.basename(path)] = measure(command, arguments.runs)
    print(f"{'':32} {'wall ms':>8} {'fastest':>8} {'cpu ms':>8}")
    for name, row in results.items():
        print(f"{name:32} {row['wall_median_ms']:8.1f} "
              f"{row['wall_min_ms']:8.1f} {row['cpu_median_ms']:8.1f}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=2)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

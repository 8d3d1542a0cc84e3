#!/usr/bin/env python3
"""Moves operations of a kernel at the pipeline level, and asks the emulator what
bsmm-verify-channels thinks of it.

usage: move_operations.py INPUT.mlir FOLDER --tile OPTIONS --chip CHIP
           -M .. -N .. -K .. --move TEXT [--move TEXT]

Each operation whose line has one of the texts is taken out, and put before every
other line in turn. What the verifiers accept must run without a finding, with
the right result, in eager, lazy and random mode. The exit code is 1 when a run
fails; the last line counts.
"""

import argparse
import json
import os
import subprocess
import sys

MODES = ["eager", "lazy", "random:1"]


def run(*command, check=True):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if check and done.returncode:
        sys.exit(f"error: {' '.join(command)}:\n{done.stdout[-2000:]}")
    return done


def prepare(args):
    """The lines of the kernel, and a launch file for it in the folder."""
    run(sys.executable, os.path.join(os.path.dirname(__file__), "make_case.py"),
        args.input, args.folder, "-M", args.M, "-N", args.N, "-K", args.K,
        "--chip", args.chip, "--tile", args.tile)
    path = lambda name: os.path.join(args.folder, name)
    run("bsmm-opt", f"--bsmm-problem-to-tile=chip={args.chip} {args.tile}",
        "--canonicalize", args.input, "-o", path("tile.mlir"))
    run("bsmm-opt", "--bsmm-tile-to-pipeline-level", path("tile.mlir"), "-o",
        path("pipeline.mlir"))
    with open(path("launch.json")) as file:
        launch = json.load(file)
    launch["ptx"] = "moved.ptx"
    with open(path("moved.json"), "w") as file:
        json.dump(launch, file)
    with open(path("pipeline.mlir")) as file:
        return file.read().splitlines()


def findings(folder):
    """What the emulator has to say; empty when all is right."""
    for mode in MODES:
        done = run("bsmm-emu", "run", os.path.join(folder, "moved.json"), "--strict",
                   "--check", "--quiet", f"--mode={mode}",
                   "--max-instructions=2000000", check=False)
        if done.returncode:
            return f"{mode}: {done.stdout[:600]}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input")
    parser.add_argument("folder")
    for name in ("--tile", "--chip", "-M", "-N", "-K"):
        parser.add_argument(name, required=True)
    parser.add_argument("--move", action="append", required=True)
    args = parser.parse_args()
    lines = prepare(args)
    moved = os.path.join(args.folder, "moved.mlir")
    ptx = os.path.join(args.folder, "moved.ptx")
    operations = [i for i, line in enumerate(lines)
                  if any(text in line for text in args.move)]
    accepted = refused = failed = 0
    for number in operations:
        rest = lines[:number] + lines[number + 1:]
        # The module and the kernel around the operations are lines as well.
        for place in range(len(rest)):
            with open(moved, "w") as file:
                file.write("\n".join(rest[:place] + [lines[number]] + rest[place:]))
            if run("bsmm-translate", "--bsmm-to-ptx", moved, "-o", ptx,
                   check=False).returncode:
                refused += 1
                continue
            accepted += 1
            wrong = findings(args.folder)
            if wrong:
                failed += 1
                print(f"line {number + 1}, {lines[number].strip()}, before "
                      f"{rest[place].strip()}: {wrong}")
    print(f"{len(operations)} operations, {accepted} places accepted, {refused} "
          f"refused, {failed} failed")
    return 1 if failed or not operations else 0


if __name__ == "__main__":
    sys.exit(main())

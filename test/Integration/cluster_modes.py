#!/usr/bin/env python3
"""Clusters that load together, with accumulators in tensor memory, in all modes.

usage: cluster_modes.py TOOL INPUTS

Runs each case through bsmm-run eager, lazy and with 20 random seeds. A run that
fails is printed as the command that repeats it. The exit code is 1 when one does.
"""

import sys

from sweep import passes

# Function, extents and device, tile.
CASES = [
    ("nvfp4", "-M 300 -N 200 -K 700 --sms=4", "block-n=64 cluster-m=2"),
    ("nvfp4", "-M 1 -N 8 -K 2 --sms=8", "block-n=64 block-k=64 cluster-n=2"),
    ("nvfp4", "-M 130 -N 72 -K 194 --sms=2",
     "block-n=64 block-k=64 stages=3 cluster-m=2"),
    ("nvfp4", "-M 130 -N 136 -K 600 --sms=2",
     "block-n=128 block-k=128 stages=1 cluster-n=2"),
    ("nvfp4", "-M 300 -N 520 -K 600 --sms=4",
     "block-n=256 block-k=128 cluster-m=4"),
    ("nvfp4-ue8m0", "-M 140 -N 400 -K 330 --sms=2",
     "block-n=192 block-k=128 cluster-m=2"),
    ("mxfp8-mixed", "-M 260 -N 200 -K 300 -L 2 --sms=4",
     "block-n=64 block-k=128 epilogue-warps=8 cluster-m=2"),
    ("nvfp4", "-M 40 -N 520 -K 300 --sms=2",
     "block-m=64 block-k=128 swap-operands=true cluster-n=2"),
    ("nvfp4-full", "-M 130 -N 75 -K 300 -L 2 --alpha=0.5 --beta=3.25 "
     "--out-scale=2 --pitch-c=81 --sms=2",
     "block-n=64 block-k=64 predicated-store=true cluster-m=2"),
    ("nvfp4", "-M 300 -N 200 -K 530 --sms=2",
     "block-n=64 block-k=128 stages=2 cluster-m=2 tile-stages=3"),
    ("nvfp4", "-M 300 -N 200 -K 1300",
     "block-n=128 persistent=false stages=4 cluster-m=2"),
    ("nvfp4", "-M 130 -N 264 -K 250 -L 2 --full-range",
     "block-n=128 persistent=false epilogue-warps=8 cluster-m=2"),
    ("nvfp4-ue8m0", "-M 140 -N 200 -K 194",
     "block-n=64 block-k=64 stages=2 persistent=false cluster-n=4"),
]
MODES = ["eager", "lazy"] + [f"random:{seed}" for seed in range(20)]


def main():
    tool, inputs = sys.argv[1:]
    failures = 0
    for name, problem, tile in CASES:
        for number, mode in enumerate(MODES):
            command = [tool, f"{inputs}/{name}.mlir", "--chip=sm_100a",
                       *problem.split(), f"--tile={tile}", f"--mode={mode}",
                       f"--seed={number}"]
            failures += not passes(command)
    print(f"{len(CASES) * len(MODES)} runs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

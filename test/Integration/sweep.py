#!/usr/bin/env python3
"""Random problems, configurations and modes through bsmm-run.

usage: sweep.py TOOL INPUTS --cases N --seed S

Every case is a problem-level function with random extents, pitches, batch, tile,
stages, walk, padding and asynchrony mode. A case that fails is printed as the
command that repeats it. The exit code is 1 when a case fails.
"""

import argparse
import random
import subprocess
import sys

# File of INPUTS, elements of K of a smallest step, bytes of an output element.
KERNELS = [
    ("nvfp4", 64, 2),
    ("nvfp4-bf16", 64, 2),
    ("nvfp4-f32", 64, 4),
    ("nvfp4-ue8m0", 64, 2),
    ("mxfp4", 128, 2),
    ("mxfp8", 128, 2),
    ("mxfp8-mixed", 128, 4),
]


def pick_extent(rng, limit, multiple):
    """Small, just around a tile, or anything."""
    kind = rng.randrange(4)
    if kind == 0:
        value = rng.randint(1, 40)
    elif kind == 1:
        value = rng.choice([64, 128, 192, 256, 384]) + rng.randint(-2, 2)
    else:
        value = rng.randint(1, limit)
    return max(multiple, value // multiple * multiple)


def make_case(rng, tool, inputs):
    name, step, _ = rng.choice(KERNELS)
    m = pick_extent(rng, 420, 1)
    n = pick_extent(rng, 420, 1)
    k = pick_extent(rng, 1200, 2)
    batch = rng.choice([1, 1, 1, 2, 3])
    block_n = rng.choice([64, 128, 192, 256])
    block_k = step * rng.choice([1, 2, 4])
    if name.startswith("mxfp8"):
        block_k = min(block_k, 256)
    # What shared memory holds: 232448 bytes with one output tile of f32.
    bits = 8 if name.startswith("mxfp8") else 4
    output = 128 * block_n * 4
    most = 0
    while most == 0:
        slot = (128 + block_n) * block_k * bits // 8 + 4096 * block_k // step
        most = min(8, (232448 - 8192 - output) // slot)
        if most == 0:
            block_k //= 2
    tile = [
        f"block-n={block_n}",
        f"block-k={block_k}",
        f"stages={rng.randint(1, most)}",
        f"group={rng.randint(1, 5)}",
        f"persistent={rng.choice(['true', 'true', 'false'])}",
    ]
    if rng.random() < 0.2:
        tile.append("predicated-store=true")
    mode = rng.choice(["eager", "lazy"] + [f"random:{rng.randrange(10**6)}"] * 4)
    command = [
        tool,
        f"{inputs}/{name}.mlir",
        "-M", str(m), "-N", str(n), "-K", str(k), "-L", str(batch),
        "--tile=" + " ".join(tile),
        f"--mode={mode}",
        f"--seed={rng.randrange(2**32)}",
        f"--poison={rng.choice([255, 127, 0, 1, 128])}",
        f"--sms={rng.randint(1, 6)}",
    ]
    if rng.random() < 0.3:
        command.append("--full-range")
    if rng.random() < 0.3:
        unit = 128 // bits
        pitch = (k + unit - 1) // unit * unit + unit * rng.randint(0, 3)
        command += [f"--pitch-a={pitch}", f"--pitch-b={pitch}"]
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("inputs")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    failures = 0
    for number in range(arguments.cases):
        command = make_case(rng, arguments.tool, arguments.inputs)
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            failures += 1
            words = [f'"{w}"' if " " in w else w for w in command]
            print("failed:", " ".join(words))
            print(run.stderr.strip()[-800:])
        if (number + 1) % 50 == 0:
            print(f"{number + 1} of {arguments.cases} cases, {failures} failed",
                  flush=True)
    print(f"{arguments.cases} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

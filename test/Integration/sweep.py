#!/usr/bin/env python3
"""Random problems, configurations and modes through bsmm-run.

usage: sweep.py TOOL INPUTS --cases N --seed S
       sweep.py TOOL INPUTS --forms [--filter TEXT]

Every case is a problem-level function with random extents, pitches, batch, tile,
stages, walk, padding and asynchrony mode. A case that fails is printed as the
command that repeats it. The exit code is 1 when a case fails.

With --forms every form of a kernel runs in eager, lazy and 20 random modes, with
operands and scales of every finite code and NaN codes in all padding. Each run
must be right, and all must write the same bits.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

# Kernels with block scales, for Blackwell: file of INPUTS, elements of K of a
# smallest step, bits of an operand's element.
SCALED = [
    ("nvfp4", 64, 4),
    ("nvfp4-bf16", 64, 4),
    ("nvfp4-f32", 64, 4),
    ("nvfp4-ue8m0", 64, 4),
    ("nvfp4-full", 64, 4),
    ("nvfp4-beta", 64, 4),
    ("nvfp4-silu", 64, 4),
    ("mxfp4", 128, 4),
    ("mxfp8", 128, 8),
    ("mxfp8-mixed", 128, 8),
    ("mxfp8-rows", 128, 8),
]

# Kernels without, for Hopper.
DENSE = [
    ("fp8", 32, 8),
    ("fp8-e5m2", 32, 8),
    ("fp8-mixed", 32, 8),
    ("fp8-rows", 32, 8),
    ("fp8-rows", 32, 8),
    ("fp8-promoted", 128, 8),
    ("fp8-epilogue", 32, 8),
    ("fp8-beta", 32, 8),
    ("fp8-silu", 32, 8),
    ("f16", 16, 16),
    ("bf16", 16, 16),
]

# Scalars that kernels take.
SCALARS = {
    "nvfp4-full": ["alpha", "beta", "out-scale"],
    "nvfp4-beta": ["beta"],
    "nvfp4-silu": ["alpha"],
    "fp8-silu": ["alpha", "out-scale"],
    "mxfp8-rows": ["beta"],
    "fp8-epilogue": ["alpha", "beta", "out-scale"],
    "fp8-beta": ["beta"],
}

SHARED_BYTES = 232448


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


def pick_scaled_tile(rng, name, step, bits):
    """Options of a tile that Blackwell's memory holds, with two pieces of an
    output tile for each of two warpgroups that drain."""
    block_n = 16 * rng.choice([1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 12,
                               13, 14, 15, 16, 16])
    # Tiles of odd multiples of 16 are multiplied with 16 columns more.
    loaded = (block_n + 16) // 32 * 32
    block_k = step * rng.choice([1, 2, 4])
    if name.startswith("mxfp8"):
        block_k = min(block_k, 256)
    # Bytes of a row of a piece: narrow ones leave room for most stages.
    output = 4 * 128 * rng.choice([32, 128])
    most = 0
    while most == 0:
        # Scales of 128 rows and of at most 384.
        slot = (128 + loaded) * block_k * bits // 8
        slot += 4 * 2048 * block_k // step // 4
        slot = (slot + 1023) // 1024 * 1024
        most = min(8, (SHARED_BYTES - 512 - output) // slot)
        if most == 0:
            block_k //= 2
    return [f"block-n={block_n}", f"block-k={block_k}"], most


def pick_dense_tile(rng, name, step, bits):
    """Options of a tile that Hopper's registers and memory hold, with the pieces
    of an output tile."""
    promotes = name == "fp8-promoted"
    while True:
        block_m = rng.choice([64, 128, 128, 192, 256])
        block_n = 16 * rng.choice([1, 2, 3, 4, 5, 7, 8, 8, 10, 12, 15, 16, 16])
        block_k = step * rng.choice([1, 1, 2, 4, 8])
        if promotes:
            block_k = 128 * rng.choice([1, 1, 2, 3])
        warpgroups = 1 if block_m == 64 else 2
        registers = block_m // 64 * (block_n // 2) // warpgroups
        if promotes:
            # Sums of the tensor core beside the main ones: of all columns, or
            # two of a quarter.
            quarters = block_m != 192 and block_n % 32 == 0 and block_n >= 192
            if not (quarters and registers * 3 // 2 <= 176):
                registers *= 2
        # Two warpgroups share the columns of 192 rows.
        if block_m == 192 and block_n % 32 != 0:
            continue
        slot = (block_m + block_n) * block_k * bits // 8
        # With columns of their own each warpgroup has two pieces.
        pieces = 4 if block_m == 192 else 3
        most = min(8, (SHARED_BYTES - 2048 - pieces * block_m * 128) // slot)
        if registers <= 192 and most > 0:
            return [f"block-m={block_m}", f"block-n={block_n}",
                    f"block-k={block_k}"], most


def pick_split(rng, tile, bits):
    """CTAs that share the steps of a tile: each stores whole 16 columns, and has
    places for what the others add. The stages are what remains."""
    options = dict(option.split("=") for option in tile)
    m, n, k = (int(options[f"block-{name}"]) for name in "mnk")
    room = SHARED_BYTES - 2048 - 3 * m * 128 - (m + n) * k * bits // 8
    splits = [s for s in range(1, 9)
              if n % (16 * s) == 0 and (s - 1) * m * n // s * 4 <= room]
    return ["stages=0", f"split-k={rng.choice(splits)}"]


def pick_small_m(rng, tile, persistent):
    """For some tiles of at most 128 columns: swapped operands, and CTAs that
    share the steps of a tile. The stages are what remains."""
    options = dict(option.split("=") for option in tile)
    columns = int(options["block-n"])
    if columns > 128:
        return tile
    if rng.random() < 0.4:
        options.update({"block-m": columns, "block-n": 128,
                        "swap-operands": "true", "stages": 0})
    if persistent == "false" and rng.random() < 0.7:
        splits = [s for s in range(2, 9) if columns % (8 * s) == 0]
        options.update({"split-k": rng.choice(splits), "stages": 0})
    return [f"{name}={value}" for name, value in options.items()]


def pick_loops(rng, name, tile, persistent):
    """Which loop is shared out over roles, whether loads run ahead over the
    border of tiles, and how many accumulators there are where tensor memory
    holds two in any form."""
    forms = ["k-loop", "none"] + ["tile-loop"] * (persistent == "true")
    options = [f"specialize={rng.choice(forms)}"]
    if persistent == "false":
        return options
    options.append(f"flatten={rng.choice(['true', 'false'])}")
    most = most_accumulators(name, tile)
    if most >= 2:
        options.append(f"tile-stages={rng.randint(0, most)}")
    return options


def most_accumulators(name, tile):
    """Accumulators of a block-scaled tile that tensor memory holds apart in any
    form, six at most, beside the scales of as many rows as a step may have."""
    sizes = dict(option.split("=") for option in tile)
    m, n = int(sizes.get("block-m", 128)), int(sizes["block-n"])
    columns = ((m if "swap-operands" in sizes else n) + 31) // 32 * 32
    vector = 32 if name.startswith("mx") else 16
    scales = 4 * int(sizes["block-k"]) // vector
    return min((512 - scales) // columns, 6)


def can_take_turns(name, tile):
    """Whether a warpgroup holds a whole output tile of a ping-pong kernel."""
    options = dict(option.split("=") for option in tile)
    m, n = int(options["block-m"]), int(options["block-n"])
    registers = m // 64 * (n // 2)
    # Exponentials need some where CTAs of a cluster load together.
    most = 168 if name == "fp8-silu" else 192
    return registers * (2 if name == "fp8-promoted" else 1) <= most


def pick_cluster(rng, tile, bits, is_dense):
    """CTAs that load B or A together: whole 8 rows of each, in one panel."""
    options = dict(option.split("=") for option in tile)
    name = rng.choice(["cluster-m", "cluster-n"])
    rows = int(options.get("block-n" if name == "cluster-m" else "block-m", 128))
    # Odd multiples of 16 are loaded with 16 rows more.
    if not is_dense and rows % 32 == 16:
        rows += 16
    k = int(options["block-k"])
    sizes = [s for s in range(2, 9) if rows % (8 * s) == 0]
    if not sizes or k * bits // 8 not in (32, 64, 128):
        return []
    return [f"{name}={rng.choice(sizes)}"]


def make_case(rng, tool, inputs):
    is_dense = rng.random() < 0.5
    name, step, bits = rng.choice(DENSE if is_dense else SCALED)
    m = pick_extent(rng, 420, 1)
    n = pick_extent(rng, 420, 1)
    k = pick_extent(rng, 1200, 2 if bits == 4 else 1)
    batch = rng.choice([1, 1, 1, 2, 3])
    pick_tile = pick_dense_tile if is_dense else pick_scaled_tile
    tile, most = pick_tile(rng, name, step, bits)
    persistent = rng.choice(["true", "true", "false"])
    tile += [
        f"stages={rng.randint(1, most)}",
        f"group={rng.randint(1, 5)}",
        f"persistent={persistent}",
    ]
    # Two warpgroups with a tile each; one slot does not suffice for both.
    if (is_dense and persistent == "true" and most > 1
            and can_take_turns(name, tile[:3]) and rng.random() < 0.8):
        tile[3] = f"stages={rng.randint(2, most)}"
        tile.append("ping-pong=true")
    if not is_dense:
        tile = pick_small_m(rng, tile, persistent)
    sizes = dict(option.split("=") for option in tile)
    is_swapped = "swap-operands" in sizes
    columns = int(sizes["block-m" if is_swapped else "block-n"])
    split = int(sizes.get("split-k", 1))
    if (not is_dense and (split == 1 or columns % (16 * split) == 0)
            and rng.random() < 0.4):
        tile.append("epilogue-warps=8")
        # Half of an odd multiple of 16 columns passes in one piece.
        if not is_swapped and columns % 32 != 0:
            tile = [o for o in tile if not o.startswith("stages")]
            tile.append("stages=0")
    # CTAs that load together have roles which walk over tiles.
    clusters = []
    if persistent == "true" and rng.random() < 0.4:
        clusters = pick_cluster(rng, tile, bits, is_dense)
    if not is_dense and not clusters and rng.random() < 0.6:
        tile += pick_loops(rng, name, tile, persistent)
    elif clusters and not is_dense and rng.random() < 0.5:
        most = most_accumulators(name, tile)
        tile.append(f"tile-stages={rng.randint(1, max(most, 1))}")
    tile += clusters
    if rng.random() < 0.2:
        tile.append("predicated-store=true")
    if (is_dense and persistent == "false" and "block-m=192" not in tile
            and rng.random() < 0.6):
        tile = [o for o in tile if not o.startswith("stages")]
        tile += pick_split(rng, tile, bits)
    mode = rng.choice(["eager", "lazy"] + [f"random:{rng.randrange(10**6)}"] * 4)
    command = [
        tool,
        f"{inputs}/{name}.mlir",
        f"--chip={'sm_90a' if is_dense else rng.choice(['sm_100a', 'sm_103a'])}",
        "-M", str(m), "-N", str(n), "-K", str(k), "-L", str(batch),
        "--tile=" + " ".join(tile),
        f"--mode={mode}",
        f"--seed={rng.randrange(2**32)}",
        f"--poison={rng.choice([255, 127, 0, 1, 128])}",
        f"--sms={rng.randint(1, 6)}",
    ]
    for scalar in SCALARS.get(name, []):
        value = rng.choice([0, 1, -1, 0.5, 3.25, -0.37])
        # An output of zeros would hide everything.
        if scalar != "beta" and value == 0:
            value = 2
        command.append(f"--{scalar}={value}")
        if scalar == "beta" and rng.random() < 0.5:
            command.append(f"--pitch-c={n + rng.randint(0, 9)}")
    if rng.random() < 0.3:
        command.append("--full-range")
    if rng.random() < 0.3:
        unit = 128 // bits
        pitch = (k + unit - 1) // unit * unit + unit * rng.randint(0, 3)
        command += [f"--pitch-a={pitch}", f"--pitch-b={pitch}"]
    return command


# Forms of kernels with a reduced size each: file of INPUTS, target, extents and
# scalars, tile. All have tails, and more tiles than CTAs where CTAs walk.
FORMS = [
    ("nvfp4", "sm_100a", "-M 129 -N 136 -K 336 -L 2",
     "block-n=128 block-k=64 stages=2 persistent=false"),
    ("nvfp4-f32", "sm_100a", "-M 129 -N 136 -K 272",
     "block-n=128 stages=2 persistent=false"),
    ("nvfp4", "sm_103a", "-M 40 -N 72 -K 272",
     "block-n=64 block-k=128 stages=1 persistent=false specialize=none"),
    ("nvfp4", "sm_100a", "-M 200 -N 264 -K 784 --sms=2", "block-n=128 stages=3"),
    ("nvfp4", "sm_103a", "-M 130 -N 200 -K 272 --sms=1",
     "block-n=192 block-k=128 stages=1 group=1"),
    ("nvfp4", "sm_100a", "-M 72 -N 776 -K 272 --sms=1",
     "block-n=256 block-k=128 stages=2"),
    ("nvfp4", "sm_100a", "-M 136 -N 200 -K 528 --sms=1",
     "block-n=128 stages=2 epilogue-warps=8"),
    ("nvfp4", "sm_100a", "-M 72 -N 520 -K 272 --sms=1",
     "block-n=256 block-k=128 stages=2 epilogue-warps=8"),
    ("nvfp4", "sm_100a", "-M 72 -N 136 -K 1296",
     "block-n=64 persistent=false split-k=2"),
    ("nvfp4", "sm_103a", "-M 40 -N 72 -K 1040 -L 2",
     "block-n=64 block-k=64 persistent=false split-k=4"),
    ("nvfp4", "sm_100a", "-M 72 -N 136 -K 1296",
     "block-n=64 persistent=false split-k=2 epilogue-warps=8"),
    ("nvfp4", "sm_100a", "-M 72 -N 264 -K 528 --sms=2",
     "block-m=64 block-n=128 stages=2 swap-operands=true"),
    ("nvfp4", "sm_100a", "-M 50 -N 136 -K 1040",
     "block-m=64 block-k=64 persistent=false split-k=4 swap-operands=true"),
    ("nvfp4", "sm_100a", "-M 72 -N 264 -K 528 --sms=1",
     "block-m=48 stages=2 swap-operands=true epilogue-warps=8"),
    ("nvfp4", "sm_100a", "-M 50 -N 136 -K 1040",
     "block-m=64 block-k=64 persistent=false split-k=2 swap-operands=true "
     "epilogue-warps=8"),
    ("nvfp4", "sm_100a", "-M 136 -N 200 -K 528 --sms=1",
     "block-n=128 stages=2 tile-stages=2 specialize=none flatten=true"),
    ("nvfp4", "sm_100a", "-M 136 -N 200 -K 528 --sms=1",
     "block-n=192 block-k=128 stages=2 specialize=none"),
    ("nvfp4", "sm_100a", "-M 136 -N 264 -K 528 --sms=1",
     "block-n=64 stages=2 tile-stages=3 specialize=none flatten=true"),
    ("nvfp4", "sm_100a", "-M 136 -N 264 -K 528 --sms=1",
     "block-n=64 stages=2 tile-stages=5 specialize=k-loop epilogue-warps=8"),
    ("nvfp4", "sm_100a", "-M 136 -N 264 -K 528 --sms=1",
     "block-n=48 stages=2 tile-stages=3"),
    ("nvfp4", "sm_103a", "-M 136 -N 200 -K 528 --sms=1",
     "block-n=128 stages=2 specialize=k-loop flatten=true"),
    ("nvfp4", "sm_100a", "-M 136 -N 200 -K 272 --sms=2",
     "block-n=48 block-k=128 stages=2"),
    ("nvfp4", "sm_100a", "-M 72 -N 136 -K 272 --sms=2",
     "block-n=32 stages=2 dependent-launch=true"),
    ("nvfp4", "sm_103a", "-M 72 -N 136 -K 528",
     "block-n=48 block-k=64 persistent=false split-k=2"),
    ("nvfp4", "sm_100a", "-M 40 -N 136 -K 272 --sms=1",
     "block-m=16 block-k=64 swap-operands=true"),
    ("nvfp4-f32", "sm_100a", "-M 136 -N 136 -K 528 --sms=1",
     "block-n=128 stages=2"),
    ("nvfp4-f32", "sm_100a", "-M 33 -N 135 -K 320 --pitch-d=137 --sms=1",
     "block-n=128 block-k=64 predicated-store=true"),
    ("nvfp4-full", "sm_100a",
     "-M 140 -N 75 -K 300 --alpha=0.5 --beta=3.25 --out-scale=2 --pitch-c=81 --sms=1",
     "block-n=64 block-k=64"),
    ("nvfp4-out", "sm_100a", "-M 130 -N 144 -K 272 --out-scale=0.3 --sms=1",
     "block-n=128 block-k=128"),
    ("mxfp4", "sm_100a", "-M 129 -N 264 -K 544 --sms=1",
     "block-n=256 block-k=256 stages=2"),
    ("mxfp8-mixed", "sm_100a", "-M 200 -N 136 -K 416 --sms=1",
     "block-n=64 block-k=128 stages=2"),
    ("fp8-rows", "sm_90a", "-M 200 -N 136 -K 208 --sms=1",
     "block-m=128 block-n=128 block-k=64 stages=2"),
    ("fp8-rows", "sm_90a", "-M 200 -N 136 -K 208",
     "block-m=128 block-n=128 block-k=64 stages=2 persistent=false"),
    ("fp8-rows", "sm_90a", "-M 72 -N 104 -K 120",
     "block-m=128 block-n=96 block-k=128 stages=1 persistent=false"),
    ("fp8-promoted", "sm_90a", "-M 130 -N 72 -K 400",
     "block-m=128 block-n=64 block-k=128 persistent=false"),
    ("fp8", "sm_90a", "-M 72 -N 136 -K 400",
     "block-m=64 block-n=128 block-k=64 stages=2 split-k=2 persistent=false"),
    ("fp8-rows", "sm_90a", "-M 136 -N 72 -K 208 --sms=1",
     "block-m=64 block-n=64 block-k=64 stages=3 ping-pong=true"),
    ("fp8-rows", "sm_90a", "-M 200 -N 136 -K 144 --sms=2",
     "block-m=64 block-n=64 block-k=64 stages=2 cluster-m=2"),
    ("fp8-rows", "sm_90a", "-M 300 -N 72 -K 144 --sms=2",
     "block-m=64 block-n=64 block-k=64 stages=3 cluster-m=2 ping-pong=true"),
    ("fp8-blocks", "sm_90a", "-M 136 -N 200 -K 272 --sms=1",
     "block-m=128 block-n=96 block-k=128 stages=2"),
    ("fp8-promoted", "sm_90a", "-M 130 -N 72 -K 300 --sms=1",
     "block-m=64 block-n=64 block-k=128 stages=2 ping-pong=true"),
    ("fp8-out", "sm_90a", "-M 136 -N 208 -K 144 --out-scale=0.0001 --sms=1",
     "block-m=128 block-n=96 block-k=64 stages=2"),
    ("nvfp4", "sm_90a", "-M 72 -N 136 -K 272 --sms=1", "block-n=64 block-k=64"),
]


def report(command, error):
    """Prints what failed as the command that repeats it."""
    words = [f'"{w}"' if " " in w else w for w in command]
    print("failed:", " ".join(words))
    print(error)


def passes(command):
    """Whether a run is right; one that is not is reported."""
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        report(command, run.stderr.strip()[-800:])
    return run.returncode == 0


def run_forms(tool, inputs, pattern):
    modes = ["eager", "lazy"] + [f"random:{seed}" for seed in range(1, 21)]
    failures = forms = 0
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "d.npy")
        for name, chip, problem, tile in FORMS:
            if pattern not in f"{name} {chip} {tile}":
                continue
            forms += 1
            first = None
            for mode in modes:
                command = [tool, f"{inputs}/{name}.mlir", f"--chip={chip}"]
                command += problem.split()
                command += [f"--tile={tile}", "--full-range", f"--mode={mode}"]
                run = subprocess.run(command + [f"--output={output}"],
                                     capture_output=True, text=True)
                error = run.stderr.strip()[-800:] if run.returncode != 0 else ""
                if not error:
                    with open(output, "rb") as file:
                        data = file.read()
                    first = first or data
                    if data != first:
                        error = "other bits than in eager mode"
                if error:
                    failures += 1
                    report(command, error)
                    break
            print(f"{name} {chip} {tile}", flush=True)
    print(f"{forms} forms in {len(modes)} modes, {failures} failed")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("inputs")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--forms", action="store_true")
    parser.add_argument("--filter", default="")
    arguments = parser.parse_args()
    if arguments.forms:
        return run_forms(arguments.tool, arguments.inputs, arguments.filter)
    rng = random.Random(arguments.seed)
    failures = 0
    for number in range(arguments.cases):
        command = make_case(rng, arguments.tool, arguments.inputs)
        failures += not passes(command)
        if (number + 1) % 50 == 0:
            print(f"{number + 1} of {arguments.cases} cases, {failures} failed",
                  flush=True)
    print(f"{arguments.cases} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

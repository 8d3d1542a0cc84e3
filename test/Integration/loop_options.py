#!/usr/bin/env python3
"""All combinations of the options of the two loops of an NVFP4 kernel.

usage: loop_options.py INPUTS --cases N --runs R --seed S

Every combination of specialisation, flattening, walk, stages of both loops, tile
and epilogue warps compiles, or is refused with the reason that memory or the
walk gives; which of both is computed here as well. N of them are compiled (0:
all), R of those that compile are executed in the emulator, with shapes that
leave out and cut off tiles, in all modes. The stages that a refusal advises are
compiled, too. Programs are looked up in PATH. The exit code is 1 when a
combination is not what it should be.
"""

import argparse
import itertools
import random
import re
import subprocess
import sys

OPTIONS = {
    "specialize": ["tile-loop", "k-loop", "none"],
    "flatten": ["false", "true"],
    "persistent": ["true", "false"],
    "stages": range(1, 9),
    "tile-stages": [0, 1, 2, 3, 4, 5, 8, 15],
    "block-n": [16, 64, 80, 96, 128, 192, 208, 224, 240, 256],
    "block-k": [128, 256, 512],
    "epilogue-warps": [4, 8],
}

SHARED_BYTES = 232448
COLUMNS = 512


def multiplied(n):
    """Odd multiples of 16 columns are multiplied from a multiple of 32 on."""
    return (n + 31) // 32 * 32


def scale_tiles(n):
    """Tiles of 128 rows of scales that a tile touches at the worst start."""
    starts = range(0, 128 * n, n)
    return max((start // 32 * 32 % 128 + multiplied(n) + 127) // 128
               for start in starts)


def piece_bytes(options):
    """Of the narrowest pieces of an output tile of f16: two for each warpgroup,
    of 32 bytes a row; or all of its columns, where that does not divide them."""
    warpgroups = options["epilogue-warps"] // 4
    row = 2 * options["block-n"] // warpgroups
    return 128 * warpgroups * (min(row, 64) if row % 32 == 0 else row)


def shared_bytes(options):
    """Of slots, the narrowest pieces of an output tile, and barriers."""
    n, k = options["block-n"], options["block-k"]
    rows = 128 * (1 + scale_tiles(n))
    slot = (128 + multiplied(n)) * k // 2 + rows * k // 16
    # Rows of 128 and of 64 bytes.
    alignment = 1024 if k >= 256 else 512
    slot = (slot + alignment - 1) // alignment * alignment
    # Slots and accumulators have two each; whether two accumulators that
    # nobody asked for do decides in no case.
    slots = options["stages"] + max(options["tile-stages"], 1)
    pieces = piece_bytes(options)
    # The only output tile of a CTA lies where the operands were, if it fits.
    if options["persistent"] == "false" and 256 * n <= options["stages"] * slot:
        pieces = 0
    return options["stages"] * slot + pieces + 2 * 8 * slots + 8


def scale_columns(options):
    """Columns of tensor memory that the scales of a step take."""
    return (1 + scale_tiles(options["block-n"])) * options["block-k"] // 64 * 4


def fits_columns(options, accumulators):
    """Whether tensor memory holds so many accumulators and the scales."""
    n = options["block-n"]
    columns = accumulators * multiplied(n) + scale_columns(options)
    missing = max(columns - COLUMNS, 0)
    shared = (missing + 31) // 32 * 32
    # Two of them may have columns in common.
    can_share = (options["specialize"] == "tile-loop" and shared <= n // 2
                 and n % 32 == 0)
    return shared == 0 or (accumulators == 2 and can_share)


def predict(options):
    """Why a combination is refused: a pattern of the message, None for one that
    compiles."""
    if options["persistent"] == "false":
        if options["specialize"] == "tile-loop":
            return ("'bsmm.scaled_matmul' op expected specialize=k-loop or none "
                    "with persistent=false.*got tile-loop")
        if options["flatten"] == "true":
            return ("'bsmm.scaled_matmul' op expected flatten=false with "
                    "persistent=false.*got flatten=true")
        if options["tile-stages"] > 1:
            return ("'bsmm.scaled_matmul' op expected tile-stages=1 with "
                    "persistent=false.*got tile-stages="
                    f"{options['tile-stages']}$")
    wanted, scales = options["tile-stages"], scale_columns(options)
    if wanted > 1 and not fits_columns(options, wanted):
        all_of_them = wanted * multiplied(options["block-n"])
        most = max(number for number in range(1, wanted)
                   if number == 1 or fits_columns(options, number))
        return ("'scf.for' op expected stages of the loop over output tiles that "
                f"tensor memory holds, got {wanted} = {all_of_them} "
                f"\\(accumulators\\) \\+ {scales} \\(scales\\) = "
                f"{all_of_them + scales} of {COLUMNS} columns, .*; use "
                f"{'' if most == 1 else 'at most '}{most}$")
    if shared_bytes(options) > SHARED_BYTES:
        return (f"'bsmm.kernel' op expected at most {SHARED_BYTES} bytes of "
                "shared memory on sm_100a, got .* \\(channel of "
                f"{options['stages']} slots\\) .*; use (at most [1-7] stages? or "
                "a smaller tile|a smaller tile)")
    return None


def text_of(options):
    return " ".join(f"{name}={value}" for name, value in options.items())


def compile_kernel(inputs, options):
    """The error of a combination, None when it compiles to PTX."""
    tile = subprocess.run(
        ["bsmm-opt", f"{inputs}/nvfp4.mlir",
         f"--bsmm-problem-to-tile=chip=sm_100a {text_of(options)}"],
        capture_output=True, text=True)
    if tile.returncode != 0:
        return tile.stderr
    ptx = subprocess.run(["bsmm-translate", "--bsmm-to-ptx", "-"],
                         input=tile.stdout, capture_output=True, text=True)
    return ptx.stderr if ptx.returncode != 0 else None


def check_sum(message):
    """A message's sum is the sum of its parts, and too large."""
    found = re.search(r"got (\d+) = (.*?)(?:; use| of \d+ columns)", message)
    if not found:
        return "no sum"
    if "bytes" not in message:
        return None
    parts = [int(part) for part in re.findall(r"(\d+) \(", found[2])]
    if int(found[1]) - sum(parts) not in range(0, 1024):
        return f"{found[1]} is not the sum of {parts}"
    if int(found[1]) <= SHARED_BYTES:
        return f"{found[1]} bytes fit"
    return None


def check_advice(inputs, options, message):
    """The number of stages that a message advises compiles; the next one does
    not, which is checked by its own prediction. Of accumulators the prediction
    of the message says the number."""
    found = re.search(r"columns, .*; use (?:at most )?(\d+)$", message, re.M)
    if found:
        advised = dict(options, **{"tile-stages": int(found[1])})
        if predict(advised) is not None:
            return None
        error = compile_kernel(inputs, advised)
        return f"the advised {found[1]} accumulators: {error}" if error else None
    found = re.search(r"use at most (\d+) stages?", message)
    if not found:
        return None
    advised = dict(options, stages=int(found[1]))
    if predict(dict(advised, stages=advised["stages"] + 1)) is None:
        return f"{found[1]} stages advised, where one more fits"
    error = compile_kernel(inputs, advised)
    return f"the advised {found[1]} stages: {error}" if error else None


def check_case(inputs, options):
    """What is wrong with a combination; None when nothing is."""
    error = compile_kernel(inputs, options)
    expected = predict(options)
    if expected is None:
        return error
    if error is None:
        return f"compiles; expected: {expected}"
    if not re.search(expected, error, re.M):
        return f"expected: {expected}\ngot: {error}"
    if "persistent=false" in expected:
        return None
    return check_sum(error) or check_advice(inputs, options, error)


def make_run(rng, inputs, options):
    """A run of a combination in the emulator."""
    n, k = options["block-n"], options["block-k"]
    # Tiles cut off or whole, fewer and more than CTAs.
    extent_m = rng.choice([1, 77, 128, 129, 300, 384])
    extent_n = rng.choice([8, n - 8, n, n + 8, 2 * n + 16, 3 * n])
    # No step to the last one cut off, one step, and as many as slots or more.
    extent_k = rng.choice([2, k // 2, k, k + 16, 3 * k - 46, 5 * k])
    name = rng.choice(["nvfp4", "nvfp4", "nvfp4-bf16", "nvfp4-full"])
    tile = dict(options, group=rng.randint(1, 4))
    if rng.random() < 0.2:
        tile["predicated-store"] = "true"
    mode = rng.choice(["eager", "lazy"] + [f"random:{rng.randrange(10**6)}"] * 2)
    command = ["bsmm-run", f"{inputs}/{name}.mlir", "--chip=sm_100a",
               "-M", str(extent_m), "-N", str(extent_n), "-K", str(extent_k),
               "-L", str(rng.choice([1, 1, 2])), f"--tile={text_of(tile)}",
               f"--mode={mode}", f"--seed={rng.randrange(2**32)}",
               f"--poison={rng.choice([255, 127, 0, 128])}",
               f"--sms={rng.randint(1, 5)}"]
    if name == "nvfp4-full":
        command += ["--alpha=0.37", "--beta=-1.5", "--out-scale=2"]
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs")
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    cases = [dict(zip(OPTIONS, values))
             for values in itertools.product(*OPTIONS.values())]
    # Without a loop over output tiles all of several accumulators are refused.
    cases = [options for options in cases
             if options["persistent"] == "true"
             or options["tile-stages"] in (0, 1, 3)]
    rng.shuffle(cases)
    if arguments.cases:
        cases = cases[:arguments.cases]
    failures = 0
    legal = []
    for options in cases:
        wrong = check_case(arguments.inputs, options)
        if wrong:
            failures += 1
            print("failed:", text_of(options))
            print(wrong.strip()[-800:], flush=True)
        elif predict(options) is None:
            legal.append(options)
    runs = 0
    for number in range(arguments.runs):
        command = make_run(rng, arguments.inputs, legal[number % len(legal)])
        run = subprocess.run(command, capture_output=True, text=True)
        runs += 1
        if run.returncode != 0:
            failures += 1
            print("failed:", " ".join(f'"{w}"' if " " in w else w
                                      for w in command))
            print(run.stderr.strip()[-800:], flush=True)
    print(f"{len(cases)} combinations, {len(legal)} of them compile; {runs} "
          f"runs; {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes the artifact that fp8_gemm.py measures.

Needs bsmm-opt and bsmm-translate in PATH (or --tools) and the runtime's shared
library, as docs/python.md says; no GPU. With ptxas the kernels are assembled,
else the driver does it when they are loaded. Each family is one problem in many
configurations of bsmm-problem-to-tile.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))

#: Options of bsmm-problem-to-tile. Where the cost model finds two equal, the
#: first is taken.
CONFIGURATIONS = [
    f"block-m=128 block-n={n} block-k=128 group=8 group-all {form}".strip()
    for form, columns in (
        ("persistent=false", (96, 224)),
        ("", (96, 128, 192, 224)),
        ("ping-pong", (96, 128, 144, 160, 176, 192)),
        ("ping-pong cluster-m=2", (144, 160)),
        ("persistent=false split-k=2", (192,)),
    )
    for n in columns
] + ["block-m=192 block-n=192 block-k=128 group=8 group-all"]

#: Those with registers for sums of the tensor core and of f32.
SLOW_CONFIGURATIONS = [
    f"block-m={m} block-n={n} block-k=128 group=8 group-all {form}".strip()
    for form, tiles in (
        ("persistent=false", ((128, 96), (128, 224), (192, 144))),
        ("", [(128, n) for n in (96, 112, 128, 144, 160, 192, 224)]),
        ("", ((192, 128), (192, 144))),
    )
    for m, n in tiles
] + ["block-m=128 block-n=128 block-k=128 group=8 persistent=false split-k=2"]

#: Configurations of each family, whose source is the file of its name.
FAMILIES = {
    "fp8_rows": CONFIGURATIONS,
    "fp8_tensor": CONFIGURATIONS,
    "fp8_rows_slow": SLOW_CONFIGURATIONS,
    "fp8_tensor_slow": SLOW_CONFIGURATIONS,
}

Built = collections.namedtuple("Built", "family options manifest ptx cubin notes")


def labelled(manifest, options):
    """The manifest with the options that made it, for tables."""
    manifest = json.loads(manifest)
    manifest.setdefault("configuration", {})["options"] = options
    return manifest


def assemble(ptx, target, ptxas, folder):
    """(cubin, what ptxas has to say). Raises with its text when it refuses."""
    source, result = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
    with open(source, "w", encoding="utf-8") as file:
        file.write(ptx)
    done = subprocess.run(
        [ptxas, f"-arch={target}", "-O3", "-v", source, "-o", result],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{ptxas}: {done.stdout.strip()}")
    with open(result, "rb") as file:
        return file.read(), performance_notes(done.stdout)


def performance_notes(text):
    """Lines of ptxas that name a loss: warnings, spills, stack."""
    notes = []
    for line in text.splitlines():
        quiet = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
        if quiet in line:
            continue
        if any(word in line for word in ("warning", "spill", "Potential", "ignored")):
            notes.append(line.strip())
    return notes


def build(family, source, options, ptxas):
    from bsmm import tune

    with tempfile.TemporaryDirectory() as folder:
        manifest, ptx, reason = tune.compile_one(source, options, folder)
        if manifest is None:
            raise RuntimeError(f"{family}, {options}: {reason}")
        manifest = labelled(manifest, options)
        cubin, notes = None, []
        if ptxas:
            cubin, notes = assemble(ptx, manifest["target"], ptxas, folder)
        return Built(family, options, manifest, ptx, cubin, notes)


def parser():
    result = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("-o", "--output", required=True, help="the artifact")
    result.add_argument("--tools", help="folder of bsmm-opt and bsmm-translate")
    result.add_argument(
        "--ptxas", default="ptxas", help="program, or '' for none (default: in PATH)"
    )
    result.add_argument(
        "--family", action="append", metavar="NAME=FILE",
        help=f"a problem-level function; again for more (default: {', '.join(FAMILIES)})",
    )
    result.add_argument(
        "--configuration", action="append", metavar="OPTIONS",
        help="of bsmm-problem-to-tile; again for more (default: those of this file)",
    )
    result.add_argument("--jobs", type=int, default=1)
    return result


def main(arguments=None):
    given = parser().parse_args(arguments)
    if given.tools:
        path = os.environ.get("PATH", "")
        os.environ["PATH"] = os.path.abspath(given.tools) + os.pathsep + path
    sources = {
        name: os.path.join(ROOT, "benchmark", name + ".mlir") for name in FAMILIES
    }
    if given.family:
        if not all("=" in each for each in given.family):
            print(f"--family: expected NAME=FILE, got {given.family}", file=sys.stderr)
            return 1
        sources = dict(each.split("=", 1) for each in given.family)
    ptxas = shutil.which(given.ptxas) if given.ptxas else None
    if given.ptxas and not ptxas:
        print(f"{given.ptxas} was not found: kernels are not assembled")
    import bsmm

    jobs = [
        (family, os.path.abspath(source), options)
        for family, source in sources.items()
        for options in given.configuration or FAMILIES.get(family, CONFIGURATIONS)
    ]
    kernels, failed = [], 0
    with concurrent.futures.ThreadPoolExecutor(max(1, given.jobs)) as pool:
        for job in [pool.submit(build, *each, ptxas) for each in jobs]:
            try:
                built = job.result()
            except RuntimeError as error:
                print(f"failed: {error}", file=sys.stderr)
                failed += 1
                continue
            code = len(built.cubin or built.ptx)
            print(f"{built.family}: {built.options}: {code} bytes", flush=True)
            for note in built.notes:
                print(f"  ptxas: {note}")
            # The emulator and newer GPUs need the PTX, too.
            kernels.append(
                {"name": built.family, "manifest": built.manifest, "ptx": built.ptx}
                | ({"cubin": built.cubin} if built.cubin else {})
            )
    if kernels:
        folder = os.path.dirname(os.path.abspath(given.output))
        os.makedirs(folder, exist_ok=True)
        bsmm.write_artifact(given.output, kernels)
        size = os.path.getsize(given.output)
        print(f"{len(kernels)} kernels, {size} bytes: {given.output}")
    return 1 if failed or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What the timeline predicts for NVFP4 products on Blackwell.

usage: nvfp4_timeline.py TOOLS [--shape MxNxK ...] [--options OPTIONS ...]
                         [--loops] [--json FILE]

Compiles each product for sm_100a with each of OPTIONS, options of
bsmm-problem-to-tile (default: choose-tile=true, the configuration that the cost
model of docs/selection.md chooses), runs `bsmm-emu timeline` on it for 148 SMs,
and prints a row of a Markdown table: the configuration, predicted cycles, the
fixed latency before data arrives and after the last load, how long data streams
between these, the part of the bytes that is asked for before any has arrived, and
the bandwidth used meanwhile. With --loops each of OPTIONS is combined
with options of the two loops, and the columns say what the tensor core does in
the steady state instead. Use a Release build.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# Products of decoder layers with few rows.
SHAPES = [
    "128x7168x16384", "128x4096x7168", "128x7168x2048", "128x256x256",
    "128x1536x7168", "128x3072x1536", "256x7168x256", "256x7168x2048",
    "384x7168x2304", "512x512x7168", "512x4096x512", "512x1536x7168",
]

# Which loop is shared out over roles, and how far loads and multiplications run
# ahead over the border of tiles.
LOOPS = [
    "specialize=tile-loop",
    "specialize=tile-loop tile-stages=1",
    "specialize=k-loop",
    "specialize=k-loop flatten=true",
    "specialize=k-loop tile-stages=2",
    "specialize=k-loop flatten=true tile-stages=2",
    "specialize=none",
    "specialize=none flatten=true",
    "specialize=none tile-stages=2",
    "specialize=none flatten=true tile-stages=2",
    "specialize=none flatten=true epilogue-warps=8",
    "specialize=k-loop persistent=false",
    "specialize=none persistent=false",
]

SCALES = "#scales = #bsmm.scales<blocked_128x4, vec = 16>\n"

FUNCTION = """
func.func @{name}(
    %a: tensor<1x{m}x{k}xf4E2M1FN>, %sfa: tensor<1x{m}x{g}xf8E4M3FN, #scales>,
    %b: tensor<1x{n}x{k}xf4E2M1FN>, %sfb: tensor<1x{n}x{g}xf8E4M3FN, #scales>,
    %out: tensor<1x{m}x{n}xf16>) -> tensor<1x{m}x{n}xf16> {{
  %d = bsmm.scaled_matmul ins(%a scales %sfa, %b scales %sfb
      : tensor<1x{m}x{k}xf4E2M1FN>, tensor<1x{m}x{g}xf8E4M3FN, #scales>,
        tensor<1x{n}x{k}xf4E2M1FN>, tensor<1x{n}x{g}xf8E4M3FN, #scales>)
      outs(%out : tensor<1x{m}x{n}xf16>) -> tensor<1x{m}x{n}xf16>
  return %d : tensor<1x{m}x{n}xf16>
}}
"""


def product(name, m, n, k):
    """An NVFP4 product as a function of that name; SCALES goes before it."""
    return FUNCTION.format(name=name, m=m, n=n, k=k, g=(k + 15) // 16)



def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def describe(tile_level):
    """The configuration of a kernel of the tile level."""
    tile = re.search(r"#bsmm.tile<m = (\d+), n = (\d+), k = (\d+)>",
                     tile_level)
    words = ["x".join(tile.groups())]
    split = re.search(r"bsmm.split = (\d+)", tile_level)
    if split:
        words.append(f"{split.group(1)} CTAs share K")
    cluster = re.search(r"cluster_size = (\d+)", tile_level)
    if cluster and not split:
        # Below each other they divide M together.
        rows = int(cluster.group(1)) * int(tile.group(1))
        size_m = re.search(r"(%\w+): i32 {bsmm.role = #bsmm.role<m>}", tile_level)
        is_below = re.search(
            rf"ceildivui {size_m.group(1)}, %c{rows}_i32", tile_level)
        words.append(f"{cluster.group(1)} CTAs load {'B' if is_below else 'A'}")
    if int(tile.group(1)) != 128:
        words.append("swapped")
    return ", ".join(words)


def measure(tools, shape, options, folder):
    m, n, k = (int(extent) for extent in shape.split("x"))
    problem, tile, artifact, report = (
        os.path.join(folder, name)
        for name in ("problem.mlir", "tile.mlir", "kernel.bsmm", "report.json"))
    with open(problem, "w") as file:
        file.write(SCALES + product("gemm", m, n, k))

    def tool(name, *arguments):
        run(os.path.join(tools, name), *arguments)

    tool("bsmm-opt", problem,
         f"--bsmm-problem-to-tile=chip=sm_100a {options}", "-o", tile)
    tool("bsmm-translate", "--bsmm-to-artifact", tile, "-o", artifact)
    tool("bsmm-launch", "export", artifact, "-M", str(m), "-N", str(n), "-K",
         str(k), "--sms", "148", "-o", folder)
    tool("bsmm-emu", "timeline", os.path.join(folder, "launch.json"),
         f"--json={report}")
    with open(report) as file:
        result = json.load(file)
    with open(tile) as file:
        result["configuration"] = describe(file.read())
    result["shape"], result["options"] = shape, options
    return result


def print_flow(result):
    """Fixed latency and streaming."""
    flow = result["streaming"]
    scale = 1 / result["clock_ghz"] / 1000
    print(f"| {result['shape']} | {result['configuration']} "
          f"| {result['ctas']} | {result['cycles']:.0f} "
          f"| {result['microseconds']:.2f} "
          f"| {flow['cycles_before'] * scale:.2f} "
          f"| {flow['cycles_during'] * scale:.2f} "
          f"| {flow['cycles_after'] * scale:.2f} "
          f"| {100 * flow['share_asked_early']:.1f} % "
          f"| {100 * flow['share_of_dram']:.1f} % "
          f"| {100 * flow['share_of_l2']:.1f} % |", flush=True)


def print_causes(result):
    """What the tensor core does in the steady state."""
    causes = result["steady_state"]["causes"]
    total = sum(causes.values())

    def share(*names):
        return f"{100 * sum(causes.get(n, 0) for n in names) / total:.1f} %"

    print(f"| {result['shape']} | {result['options']} "
          f"| {result['cycles']:.0f} | {share('multiply')} "
          f"| {share('dram', 'l2', 'load_latency')} | {share('epilogue')} "
          f"| {share('barrier', 'issue')} |", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("--shape", nargs="+", default=SHAPES)
    parser.add_argument("--options", nargs="+", default=["choose-tile=true"])
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    results = []
    if arguments.loops:
        print("| M x N x K | options | cycles | multiplies | waits for data "
              "| for the epilogue | own instructions |")
        print("|---|---|---|---|---|---|---|")
    else:
        print("| M x N x K | tile | CTAs | cycles | us | before | streaming "
              "| after | asked early | DRAM | L2 |")
        print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for shape in arguments.shape:
            for options in arguments.options:
                for loops in LOOPS if arguments.loops else [""]:
                    result = measure(arguments.tools, shape,
                                     f"{options} {loops}".strip(), folder)
                    results.append(result)
                    if arguments.loops:
                        print_causes(result)
                    else:
                        print_flow(result)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()

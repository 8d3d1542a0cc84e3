#!/usr/bin/env python3
"""Counts collective instructions in NVVM IR and in the PTX made of it.

usage: count_collectives.py KERNEL.nvvm.mlir KERNEL.ptx

Prints each kind with both numbers. The exit code is 1 when they differ, or when
there are none.
"""

import re
import sys

# In the IR, in PTX. What NVVM lowers to inline assembly stands in the IR as PTX.
KINDS = [
    ("wgmma.mma_async", r"wgmma\.mma_async", r"wgmma\.mma_async"),
    ("wgmma.fence", r"nvvm\.wgmma\.fence", r"wgmma\.fence"),
    ("wgmma.commit_group", r"nvvm\.wgmma\.commit", r"wgmma\.commit_group"),
    ("wgmma.wait_group", r"nvvm\.wgmma\.wait", r"wgmma\.wait_group"),
    ("stmatrix", r"nvvm\.stmatrix|\bstmatrix\.sync", r"stmatrix\.sync"),
    ("setmaxnreg", r"nvvm\.setmaxregister", r"setmaxnreg\."),
    ("elect.sync", r"nvvm\.elect\.sync", r"elect\.sync"),
    ("shfl.sync", r"nvvm\.shfl\.sync", r"shfl\.sync"),
    ("bar.warp.sync", r"nvvm\.bar\.warp\.sync", r"bar\.warp\.sync"),
    ("bar.arrive", r"nvvm\.barrier\.cta\.arrive", r"\bbar\.arrive\b"),
    ("barrier", r"nvvm\.barrier\b(?!\.cta)",
     r"\b(?:bar|barrier(?:\.cta)?)\.sync\b"),
]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        ir = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        # Without comments and names of files.
        ptx = re.sub(r"//.*", "", file.read())
    status, total = 0, 0
    for name, in_ir, in_ptx in KINDS:
        counts = len(re.findall(in_ir, ir)), len(re.findall(in_ptx, ptx))
        print(name, *counts)
        total += counts[0]
        if counts[0] != counts[1]:
            status = 1
    if status == 0 and total != 0:
        print("the IR and the PTX agree")
        return 0
    print("the IR and the PTX differ" if total else "there are none")
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""D = (A B^T) * sa * sb, e4m3 to bf16, with a kernel that was compiled from
examples/fp8_gemm.mlir.

    python3 fp8_gemm.py kernels.bsmm emulator|cuda
"""

import sys

import bsmm

if sys.argv[2] == "cuda":
    import torch

    arange = lambda count: torch.arange(count, device="cuda").float()
else:
    import numpy

    arange = lambda count: numpy.arange(count).astype("float32")

m, n, k = 200, 264, 512
# A row of A has a 1 in every 64th place, B has -1, 0 and 1: eight equal
# products are summed.
rows, columns, places = arange(m)[:, None], arange(n)[:, None], arange(k)[None]
ones = (places % 64 == rows % 64) + 0 * rows  # 0 * rows makes it float32
a = bsmm.encode(ones, "e4m3")
b = bsmm.encode((places % 64 + columns) % 3 - 1, "e4m3")
sa, sb = 2 ** (rows % 4), 2 ** -(columns % 5)
exact = 8 * ((rows % 64 + columns[:, 0]) % 3 - 1) * sa * sb[:, 0]

gemm = bsmm.load(sys.argv[1])["fp8_gemm"]
out = gemm(a, b, sa=sa[:, 0], sb=sb[:, 0])

# numpy has no bfloat16: the codes are the upper halves of f32.
values = out.float() if sys.argv[2] == "cuda" else (out.astype("uint32") << 16).view("f4")
wrong = int((values != exact).sum())
print(f"{wrong} of {m * n} values are wrong")
sys.exit(wrong != 0)

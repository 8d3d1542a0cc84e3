"""Peak memory of bsmm-emu: usage emulator_memory.py FOLDER

Runs a kernel whose CTAs touch 224 KiB of shared memory each with 2 and with
2000 CTAs (438 MiB together), which must take about the same."""

import json
import os
import subprocess
import sys

KERNEL = """.version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, dynamic;
  mov.u32 %r2, 0;
LOOP:
  st.shared.u32 [%r1], 1;
  ld.shared.u32 %r3, [%r1];
  add.u32 %r1, %r1, 4096;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, 56;
  @%p bra LOOP;
  red.global.add.u32 [%rd1], %r3;
  ret;
}
"""


def peak_kib(folder, ctas):
    launch = {"ptx": "k.ptx", "grid": [ctas, 1, 1], "block": [1, 1, 1],
              "dynamic_smem": 229376, "params": [{"pointer": "out"}],
              "buffers": {"out": {"bytes": 4, "fill": "0x00"}}}
    path = os.path.join(folder, f"{ctas}.json")
    out = os.path.join(folder, "out.bin")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(launch, file)
    # With AddressSanitizer, freed memory would be kept for a while.
    process = subprocess.Popen(
        ["bsmm-emu", "run", path, "--quiet", "--threads=2", f"--output=out:{out}"],
        env=dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=1"))
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{ctas} CTAs: bsmm-emu failed")
    with open(out, "rb") as file:
        count = int.from_bytes(file.read(), "little")
    if count != ctas:
        sys.exit(f"{ctas} CTAs: the output counts {count}")
    return usage.ru_maxrss


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "k.ptx"), "w", encoding="utf-8") as ptx:
    ptx.write(KERNEL)
few, many = peak_kib(folder, 2), peak_kib(folder, 2000)
print(f"2 CTAs: {few} KiB, 2000 CTAs: {many} KiB")
if many > few + 32 * 1024:
    sys.exit("error: memory grows with the grid")

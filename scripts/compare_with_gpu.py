#!/usr/bin/env python3
"""Repeats on a Hopper GPU what the emulator's recorded results came from.

Needs an sm_90 GPU and the CUDA driver (libcuda.so.1), nothing else. Runs
  - the kernels of test/Unit/Emulator/Kernels and compares the FNV-1a hashes of
    all bytes they write with the table of HardwareTest.cpp, which the emulator
    must meet;
  - one wgmma or mma.sync for each tile of
    test/Unit/EmulatorUnits/Inputs/hopper_mma.bin, and compares every bit of
    every result with the recorded one.
With --emulator PROGRAM (bsmm-emu) all of it runs there instead, which checks
this script and the emulator without a GPU. The exit code is 0 when all agree.

  scripts/compare_with_gpu.py
  scripts/compare_with_gpu.py --emulator build/bin/bsmm-emu
"""

import argparse
import ctypes
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "test/Unit/Emulator/Kernels"
RECORDS = ROOT / "test/Unit/EmulatorUnits/Inputs/hopper_mma.bin"


class Gpu:
    """The few driver calls that a launch needs."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, device)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        print(f"{name.value.decode()}, compute capability {major.value}."
              f"{minor.value}, driver API {version.value}")
        if major.value != 9:
            sys.exit("error: expected a GPU of compute capability 9.x: the "
                     "recorded results are those of sm_90a")
        self.modules = {}

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            sys.exit(f"error: {name}: {(text.value or b'?').decode()}")

    def run(self, ptx, entry, grid, block, out, data):
        if ptx not in self.modules:
            module = ctypes.c_void_p()
            self.call("cuModuleLoadData", ctypes.byref(module),
                      ptx.encode() + b"\0")
            self.modules[ptx] = module
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function),
                  self.modules[ptx], entry.encode())
        pointers = []
        for content in (bytes(out), data):
            pointer = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(pointer),
                      ctypes.c_size_t(len(content)))
            self.call("cuMemcpyHtoD_v2", pointer, content,
                      ctypes.c_size_t(len(content)))
            pointers.append(pointer)
        arguments = (ctypes.c_void_p * 2)(
            *[ctypes.cast(ctypes.byref(p), ctypes.c_void_p) for p in pointers])
        self.call("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None,
                  arguments, None)
        self.call("cuCtxSynchronize")
        result = ctypes.create_string_buffer(out)
        self.call("cuMemcpyDtoH_v2", result, pointers[0], ctypes.c_size_t(out))
        for pointer in pointers:
            self.call("cuMemFree_v2", pointer)
        return result.raw


class Emulator:
    def __init__(self, program):
        self.program = program

    def run(self, ptx, entry, grid, block, out, data):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "k.ptx").write_text(ptx)
            (folder / "in.bin").write_bytes(data)
            # The driver takes the cluster's size from the entry's directive.
            cluster = re.search(
                r"\.entry %s\([^{]*\.reqnctapercluster (\d+)" % entry, ptx)
            (folder / "launch.json").write_text(json.dumps({
                "ptx": "k.ptx", "entry": entry, "grid": [grid, 1, 1],
                "block": [block, 1, 1],
                "cluster": [int(cluster.group(1)) if cluster else 1, 1, 1],
                "params": [{"pointer": "out"}, {"pointer": "in.bin"}],
                "buffers": {"out": {"bytes": out, "fill": "0x00"}}}))
            subprocess.run([self.program, "run", str(folder / "launch.json"),
                            "--quiet", f"--output=out:{folder / 'out'}"],
                           check=True)
            return (folder / "out").read_bytes()


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def compare_kernels(machine):
    text = (ROOT / "test/Unit/Emulator/HardwareTest.cpp").read_text()
    data = (KERNELS / "input.bin").read_bytes()
    wrong = total = 0
    for table, file, grid, block, out in (
            ("families", "families_sm90a.ptx", 4, 256, 262400),
            ("matrices", "matrix_sm90a.ptx", 1, 128, 65536),
            ("asynchronous", "async_sm90a.ptx", 4, 128, 32768)):
        ptx = (KERNELS / file).read_text()
        body = re.search(r"const Known %s\[\] = \{(.*?)\};" % table, text,
                         re.S).group(1)
        for entry, expected in re.findall(r'"(\w+)",\s*(0x[0-9a-f]+)ull', body):
            got = fnv(machine.run(ptx, entry, grid, block, out, data))
            total += 1
            if got != int(expected, 16):
                wrong += 1
                print(f"{entry}: got {got:#018x}, recorded {expected}")
    print(f"kernels: {total - wrong} of {total} write the recorded bytes")
    return wrong


def mma_ptx(words, k, bytes_k):
    """One instruction: A (64 or 16 rows), B (8 rows) of bytes_k bytes and C
    from `in`, D to `out`, each in the order that the threads need."""
    d_type, a_type = words[1], words[2]
    saturate = words[-1] == "sat"
    b_type = next((w for w in words[3:] if w in TYPES), a_type)
    registers = 2 if d_type == "f16" else 4
    names = [f"%d{i}" for i in range(registers)]
    d = "{" + ", ".join(names) + "}"
    wgmma = words[0] == "wgmma"
    a_bytes = 64 * bytes_k if wgmma else 16 * bytes_k
    b_bytes = 8 * bytes_k
    text = """.version 8.7
.target sm_90a
.address_size 64
.shared .align 1024 .b8 s[4096];
.visible .entry k(.param .u64 out, .param .u64 in) {
.reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<4>; .reg .b32 %d<4>;
.reg .b32 %a<4>; .reg .b32 %b<2>;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
mov.u32 %r1, %tid.x;
"""
    # C and D: registers of a thread side by side, behind A and B.
    text += f"mad.wide.u32 %rd3, %r1, {4 * registers}, %rd2;\n"
    for i, name in enumerate(names):
        text += f"ld.global.u32 {name}, [%rd3+{a_bytes + b_bytes + 4 * i}];\n"
    if wgmma:
        copies = (a_bytes + b_bytes + 2047) // 2048
        text += "mad.wide.u32 %rd4, %r1, 16, %rd2;\n"
        text += "mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 16, %r2;\n"
        for i in range(copies):
            left = (a_bytes + b_bytes - 2048 * i) // 16
            text += f"setp.lt.u32 %p1, %r1, {left};\n"
            text += (f"@%p1 ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, "
                     f"[%rd4+{2048 * i}];\n@%p1 st.shared.v4.u32 "
                     f"[%r2+{2048 * i}], {{%r4, %r5, %r6, %r7}};\n")
        text += f"""fence.proxy.async.shared::cta;
bar.sync 0;
mov.u32 %r3, s; shr.u32 %r3, %r3, 4; cvt.u64.u32 %rd5, %r3;
or.b64 %rd5, %rd5, 0x0000001000080000;
add.u64 %rd6, %rd5, {a_bytes // 16};
setp.eq.u32 %p2, %r1, %r1;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k{k}{".satfinite" if saturate else ""}\
.{d_type}.{a_type}.{b_type} {d}, %rd5, %rd6, %p2"""
        if d_type != "s32":
            text += ", 1, 1"
        if a_type in ("f16", "bf16"):
            text += ", 0, 0"
        text += """;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
"""
    else:
        a_registers = bytes_k * 16 // 128
        a = ", ".join(f"%a{i}" for i in range(a_registers))
        b = ", ".join(f"%b{i}" for i in range(a_registers // 2))
        text += "shr.u32 %r2, %r1, 2; and.b32 %r3, %r1, 3;\n"
        text += f"mul.lo.u32 %r2, %r2, {bytes_k}; mad.lo.u32 %r2, %r3, 4, %r2;\n"
        text += "cvt.u64.u32 %rd4, %r2; add.u64 %rd4, %rd4, %rd2;\n"
        for i in range(a_registers):
            offset = i % 2 * 8 * bytes_k + i // 2 * 16
            text += f"ld.global.u32 %a{i}, [%rd4+{offset}];\n"
        for i in range(a_registers // 2):
            text += f"ld.global.u32 %b{i}, [%rd4+{a_bytes + 16 * i}];\n"
        text += (f"mma.sync.aligned.m16n8k{k}.row.col"
                 f"{'.satfinite' if saturate else ''}.{d_type}.{a_type}."
                 f"{b_type}.{d_type} {d}, {{{a}}}, {{{b}}}, {d};\n")
    text += f"mad.wide.u32 %rd3, %r1, {4 * registers}, %rd1;\n"
    for i, name in enumerate(names):
        text += f"st.global.u32 [%rd3+{4 * i}], {name};\n"
    return text + "ret;\n}\n"


TYPES = {"e4m3": 1, "e5m2": 1, "f16": 2, "bf16": 2, "tf32": 4, "s8": 1, "u8": 1}


def fragment(threads, half):
    """(register, half, row, column) of D and C in the order of threads."""
    for thread in range(threads):
        for e in range(4):
            row = thread // 32 * 16 + thread % 32 // 4 + e // 2 * 8
            column = thread % 4 * 2 + e % 2
            yield thread, (e // 2 if half else e), (e % 2 if half else 0), \
                row, column


def compare_records(machine):
    data = RECORDS.read_bytes()
    position = wrong = total = 0
    while position < len(data):
        name = data[position:position + 32].split(b"\0")[0].decode()
        m, n, k, tiles = struct.unpack_from("<4I", data, position + 32)
        position += 48
        words = name.split()
        element = 1 if words[1] == "s32" else TYPES[words[2]]
        if words[1] == "s32" and words[2] not in TYPES:
            words[2:2] = ["s8", "u8"]
        bytes_k = k * element
        ptx = mma_ptx(words, k, bytes_k)
        wgmma = words[0] == "wgmma"
        threads = 128 if wgmma else 32
        half = words[1] == "f16"
        registers = 2 if half else 4
        bad = 0
        for _ in range(tiles):
            def take(count):
                nonlocal position
                position += count
                return data[position - count:position]
            a, b = take(m * bytes_k), take(n * bytes_k)
            c = struct.unpack(f"<{m * n}I", take(4 * m * n))
            want = struct.unpack(f"<{m * n}I", take(4 * m * n))
            if wgmma:
                def cores(rows, count):
                    result = bytearray(count * bytes_k)
                    for row in range(len(rows) // bytes_k):
                        for chunk in range(bytes_k // 16):
                            to = row // 8 * 256 + chunk * 128 + row % 8 * 16
                            start = row * bytes_k + chunk * 16
                            result[to:to + 16] = rows[start:start + 16]
                    return bytes(result)
                a, b = cores(a, 64), cores(b, 8)
            image = [0] * (threads * registers)
            for thread, reg, high, row, column in fragment(threads, half):
                if row < m:
                    value = c[row * n + column]
                    image[thread * registers + reg] |= (
                        (value & 0xFFFF) << 16 * high if half else value)
            content = a + b + struct.pack(f"<{len(image)}I", *image)
            out = machine.run(ptx, "k", 1, threads, 4 * len(image), content)
            got = struct.unpack(f"<{len(image)}I", out)
            for thread, reg, high, row, column in fragment(threads, half):
                if row < m:
                    value = got[thread * registers + reg]
                    if half:
                        value = value >> 16 * high & 0xFFFF
                    bad += value != want[row * n + column]
        total += tiles * m * n
        wrong += bad
        print(f"{name} k{k}: {tiles * m * n - bad} of {tiles * m * n} results "
              "are the recorded ones")
    print(f"instructions: {total - wrong} of {total} results agree")
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--emulator", help="bsmm-emu, instead of a GPU")
    args = parser.parse_args()
    machine = Emulator(args.emulator) if args.emulator else Gpu()
    wrong = compare_kernels(machine) + compare_records(machine)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

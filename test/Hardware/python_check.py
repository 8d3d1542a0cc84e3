#!/usr/bin/env python3
"""Checks the Python package on a machine with a GPU, torch and no LLVM.

Builds the runtime's library with CMake, then runs the tests of python/tests and
those below, which need a GPU. From the root of the source tree:

    python3 test/Hardware/python_check.py --out RESULTS

The last line is `python: N passed, N failed, N skipped`; the exit code is 1 when
anything failed. RESULTS/python_check.json has the cases and the times of calls.

    --library FILE    use this library instead of building one
    --include DIR     where nlohmann/json.hpp is, for the build
    --artifact FILE   also check the kernels of an artifact (may be repeated)
    --quick           leave out python/tests
"""

import argparse
import gc
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "scripts"))

REPORT = {}
ARTIFACTS = []


def find_json_header():
    """The folder that holds nlohmann/json.hpp, among the usual ones."""
    places = ["/usr/include", "/usr/local/include"] + sys.path
    for place in filter(None, places):
        patterns = ("", "*/include", "*/*/include", "*/*/*/include")
        for pattern in patterns if "site-packages" in place else ("",):
            for folder in glob.glob(os.path.join(place, pattern)):
                if os.path.exists(os.path.join(folder, "nlohmann", "json.hpp")):
                    return folder
    return None


def build_library(folder, include):
    """Builds libbsmm_runtime.so and returns its file."""
    command = ["cmake", "-S", ROOT, "-B", folder, "-DBSMM_RUNTIME_ONLY=ON"]
    command += ["-DBSMM_ENABLE_TESTS=OFF"]
    if shutil.which("ninja"):
        command += ["-G", "Ninja"]
    include = include or find_json_header()
    if include:
        command += [f"-DBSMM_NLOHMANN_JSON_INCLUDE={os.path.abspath(include)}"]
    build = ["cmake", "--build", folder, "--target", "bsmm_runtime", "--parallel"]
    for step in (command, build + [str(os.cpu_count() or 2)]):
        result = subprocess.run(
            step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if result.returncode:
            sys.exit(f"{' '.join(step)} failed:\n{result.stdout[-4000:]}")
    return os.path.join(folder, "lib", "libbsmm_runtime.so")


def make_tests():
    """The test cases; made when torch and bsmm can be imported."""
    import torch

    import bsmm
    from bsmm import _torch_numbers
    from tests import simple_gemm, support, test_torch
    from tests.test_torch import as_bytes, interesting_values, powers, random_rows, small

    cuda = torch.device("cuda", 0)

    class Case(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.folder = tempfile.TemporaryDirectory()
            path = os.path.join(cls.folder.name, "simple.bsmm")
            cls.artifact = bsmm.load(simple_gemm.write(path))

        @classmethod
        def tearDownClass(cls):
            cls.folder.cleanup()

        def same(self, first, second, text=""):
            """Equal types, shapes and bytes, on whatever devices."""
            self.assertEqual(first.dtype, second.dtype, text)
            self.assertEqual(first.shape, second.shape, text)
            if first.dim() == 0:
                first, second = first.reshape(1), second.reshape(1)
            first, second = as_bytes(first).cpu(), as_bytes(second).cpu()
            self.assertTrue(torch.equal(first, second), text)

        def problem(self, m=200, n=120, k=256, device=cuda):
            a, plain_a = small(1, (m, k), torch.float8_e4m3fn)
            b, plain_b = small(2, (n, k), torch.float8_e4m3fn)
            product = plain_a @ plain_b.T
            return a.to(device), b.to(device), product

    class Devices(Case):
        def test_device(self):
            self.assertGreaterEqual(bsmm.cuda_device_count(), 1)
            info = bsmm.Device.cuda().info
            self.assertEqual(info.backend, "cuda")
            self.assertEqual(info.name, torch.cuda.get_device_name(0))
            properties = torch.cuda.get_device_properties(0)
            self.assertEqual(info.sm_count, properties.multi_processor_count)
            REPORT["device"] = info._asdict()
            with self.assertRaises(bsmm.NoDevice):
                bsmm.Device.cuda(1000)

    class Numbers(Case):
        """Bytes made on the GPU are those of the C functions."""

        def test_codes(self):
            for element in support.FORMATS:
                values = interesting_values(element)
                self.same(
                    bsmm.encode(values.to(cuda), element),
                    bsmm.encode(values, element),
                    element,
                )
            for element in support.BITS:
                codes = torch.arange(256, dtype=torch.uint8)
                on_gpu = bsmm.decode(codes.to(cuda), element).cpu()
                on_host = bsmm.decode(codes, element)
                known = on_host == on_host
                self.assertTrue(torch.equal(known, on_gpu == on_gpu))
                self.same(on_gpu[known], on_host[known], element)

        def quantize_everything(self, compiled):
            for shape in ((1, 1), (130, 200), (2, 65, 96)):
                for dtype in (torch.float32, torch.bfloat16):
                    rows = random_rows(shape[0], shape, special=True).to(dtype)
                    on_gpu = rows.to(cuda)
                    for layout in ("blocked", "linear"):
                        function = lambda x: bsmm.quantize_nvfp4(x, layout=layout)
                        expected = function(rows)
                        for got, wanted in zip(compiled(function)(on_gpu), expected):
                            self.same(got, wanted, f"{shape} {dtype} {layout}")
                    for element in ("e2m1", "e2m3", "e3m2", "e4m3", "e5m2"):
                        for rule in ("floor", "round_up"):
                            function = lambda x: bsmm.quantize_mx(x, element, rule=rule)
                            expected = function(rows)
                            for got, wanted in zip(compiled(function)(on_gpu), expected):
                                self.same(got, wanted, f"{shape} {element} {rule}")

        def test_quantization(self):
            self.quantize_everything(lambda function: function)

        def test_compiled_quantization(self):
            # One shape of each kind: compiling takes most of the time.
            rows = random_rows(9, (256, 512), special=True)
            for name, function in (
                ("nvfp4", lambda x: bsmm.quantize_nvfp4(x)),
                ("given", lambda x: bsmm.quantize_nvfp4(x, 0.37, min_scale=2.0**-6)),
                ("mxfp8", lambda x: bsmm.quantize_mx(x, "e4m3")),
                ("mxfp6", lambda x: bsmm.quantize_mx(x, "e3m2", rule="round_up")),
            ):
                torch._dynamo.reset()
                compiled = torch.compile(function, fullgraph=True)
                for got, wanted in zip(compiled(rows.to(cuda)), function(rows)):
                    if wanted.dim():
                        # Bytes where torch's compiler lacks a type.
                        got, wanted = as_bytes(got), as_bytes(wanted)
                    self.same(got, wanted, name)

        def test_many_quotients(self):
            # Values whose quotients lie at decision points of e2m1.
            generator = torch.Generator().manual_seed(5)
            scale = torch.rand(4096, 1, generator=generator) + 0.5
            points = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 6.0])
            rows = (scale * points).repeat(1, 2)
            rows[:, 8:] = torch.nextafter(rows[:, 8:], torch.tensor(0.0))
            for factor in (None, 0.011, 1.0):
                on_host = bsmm.quantize_nvfp4(rows, factor)
                for got, wanted in zip(
                    bsmm.quantize_nvfp4(rows.to(cuda), factor), on_host
                ):
                    self.same(got, wanted)

        def test_scales_and_dequantization(self):
            rows = random_rows(4, (3, 130, 96))
            on_host = bsmm.quantize_nvfp4(rows)
            on_gpu = bsmm.quantize_nvfp4(rows.to(cuda))
            groups = 6
            self.same(
                bsmm.from_blocked(on_gpu.scales, 130, groups),
                bsmm.from_blocked(on_host.scales, 130, groups),
            )
            self.same(
                bsmm.dequantize(
                    on_gpu.codes, on_gpu.scales, global_scale=on_gpu.global_scale
                ),
                bsmm.dequantize(
                    on_host.codes, on_host.scales, global_scale=on_host.global_scale
                ),
            )

        def test_no_synchronization(self):
            rows = random_rows(4, (64, 96)).to(cuda)
            torch.cuda.synchronize()
            torch.cuda.set_sync_debug_mode("error")
            try:
                bsmm.quantize_nvfp4(rows)
                bsmm.quantize_mx(rows)
            finally:
                torch.cuda.set_sync_debug_mode("default")

    class Kernels(Case):
        def test_results_are_those_of_the_emulator(self):
            for m, n, k in ((1, 1, 16), (200, 120, 256), (65, 33, 48)):
                a, b, product = self.problem(m, n, k)
                sa, sb = powers(1, m).to(cuda), powers(2, n).to(cuda)
                kernel = self.artifact["fp8_rows"]
                out = kernel(a, b, sa=sa, sb=sb)
                self.assertEqual(out.device, cuda)
                expected = product * sa.cpu()[:, None] * sb.cpu()
                self.same(out, expected.to(torch.bfloat16))
                self.same(out, kernel(a.cpu(), b.cpu(), sa=sa.cpu(), sb=sb.cpu()))

        def test_batches_and_strides(self):
            kernel = self.artifact["half_batched"]
            a, plain_a = small(1, (3, 70, 96), torch.float16)
            b, plain_b = small(2, (3, 50, 64), torch.float16)
            c, plain_c = small(3, (3, 70, 50), torch.float16)
            a, plain_a = a[..., :64], plain_a[..., :64]
            whole = torch.full((3, 80, 64), -1.0, device=cuda, dtype=torch.float16)
            out = whole[:, 5:75, 7:57]
            # The views keep their strides on the GPU.
            on_gpu = torch.empty(3, 70, 96, dtype=torch.float16, device=cuda)[..., :64]
            on_gpu.copy_(a)
            kernel(on_gpu, b.to(cuda), c=c.to(cuda), out=out, alpha=0.5, beta=2.0)
            expected = 0.5 * torch.einsum("lmk,lnk->lmn", plain_a, plain_b) + 2 * plain_c
            self.same(out.contiguous(), expected.to(torch.float16))
            whole[:, 5:75, 7:57] = -1.0
            self.assertTrue((whole == -1.0).all().item())

        def test_current_stream(self):
            kernel = self.artifact["fp8_rows"]
            a, b, product = self.problem()
            sa, sb = torch.ones(200, device=cuda), torch.ones(120, device=cuda)
            late = torch.empty_like(a)
            late.view(torch.uint8).zero_()
            expected = product.to(torch.bfloat16)
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                torch.cuda._sleep(50_000_000)
                late.copy_(a)
                out = kernel(late, b, sa=sa, sb=sb)
            side.synchronize()
            self.same(out, expected)
            # A stream that is named, as an object and as a number.
            for stream in (side, side.cuda_stream):
                late.view(torch.uint8).zero_()
                out = torch.zeros(200, 120, dtype=torch.bfloat16, device=cuda)
                torch.cuda.synchronize()
                with torch.cuda.stream(side):
                    torch.cuda._sleep(50_000_000)
                    late.copy_(a)
                kernel(late, b, sa=sa, sb=sb, out=out, stream=stream)
                side.synchronize()
                self.same(out, expected)

        def test_other_threads(self):
            kernel = bsmm.load(os.path.join(self.folder.name, "simple.bsmm"))["fp8_rows"]
            a, b, product = self.problem()
            sa, sb = torch.ones(200, device=cuda), torch.ones(120, device=cuda)
            torch.cuda.synchronize()
            results, failures = [None] * 4, []

            def work(index):
                try:
                    with torch.cuda.stream(torch.cuda.Stream()):
                        for _ in range(20):
                            results[index] = kernel(a, b, sa=sa, sb=sb)
                        torch.cuda.current_stream().synchronize()
                except BaseException as error:
                    failures.append(error)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            for result in results:
                self.same(result, product.to(torch.bfloat16))

        def test_dlpack_and_cuda_array_interface(self):
            class Interface:
                def __init__(self, tensor):
                    self.tensor = tensor
                    self.__cuda_array_interface__ = tensor.__cuda_array_interface__

            class Exchange:
                def __init__(self, tensor):
                    self.tensor = tensor

                def __dlpack__(self, **options):
                    return self.tensor.__dlpack__(**options)

                def __dlpack_device__(self):
                    return self.tensor.__dlpack_device__()

            a, b, product = self.problem()
            sa, sb = torch.ones(200, device=cuda), torch.ones(120, device=cuda)
            kernel = self.artifact["fp8_rows"]
            bytes_a, bytes_b = a.view(torch.uint8), b.view(torch.uint8)
            for wrap in (Interface, Exchange):
                out = torch.zeros(200, 120, dtype=torch.bfloat16, device=cuda)
                torch.cuda.synchronize()
                # The interface of CUDA arrays has no bfloat16.
                kernel(
                    wrap(bytes_a), wrap(bytes_b), sa=wrap(sa), sb=wrap(sb),
                    out=Exchange(out),
                )
                torch.cuda.synchronize()
                self.same(out, product.to(torch.bfloat16))

        @unittest.skipUnless(support.optional("cupy"), "needs cupy")
        def test_cupy(self):
            import cupy

            a, b, product = self.problem()
            bytes_a = cupy.asarray(a.view(torch.uint8))
            bytes_b = cupy.asarray(b.view(torch.uint8))
            ones = cupy.ones(200, dtype=cupy.float32)
            out = cupy.zeros((200, 120), dtype=cupy.uint16)
            stream = cupy.cuda.Stream(non_blocking=True)
            torch.cuda.synchronize()
            cupy.cuda.Device().synchronize()
            kernel = self.artifact["fp8_rows"]
            for options in ({}, {"stream": stream}):
                out.fill(0)
                cupy.cuda.Device().synchronize()
                kernel(bytes_a, bytes_b, sa=ones, sb=ones[:120], out=out, **options)
                cupy.cuda.Device().synchronize()
                result = torch.from_dlpack(out).view(torch.bfloat16)
                self.same(result, product.to(torch.bfloat16))

        def test_wrong_calls_are_named(self):
            kernel = self.artifact["fp8_rows"]
            a, b, _ = self.problem()
            sa, sb = torch.ones(200, device=cuda), torch.ones(120, device=cuda)
            emulator = bsmm.Device.emulator()
            for call, kind, text in (
                (
                    lambda: kernel(a, b.cpu(), sa=sa, sb=sb),
                    ValueError,
                    "b: expected an array on CUDA device 0, as a is, got one on the CPU",
                ),
                (
                    lambda: kernel(a, b, sa=sa.cpu(), sb=sb),
                    ValueError,
                    "sa: expected an array on CUDA device 0",
                ),
                (
                    lambda: kernel(a, b, sa=sa, sb=sb, device=emulator),
                    ValueError,
                    "device: expected the device of the arrays",
                ),
                (
                    lambda: kernel(a.to(torch.float8_e5m2), b, sa=sa, sb=sb),
                    TypeError,
                    "a: expected e4m3 or bytes of it",
                ),
                (lambda: kernel(a, b, sa=sa), ValueError, "sb"),
                (
                    lambda: kernel(a, b, sa=sa[::2], sb=sb),
                    ValueError,
                    "sa: expected 200 contiguous values",
                ),
            ):
                with self.subTest(text):
                    with self.assertRaises(kind) as caught:
                        call()
                    self.assertIn(text, str(caught.exception))
            # Nothing of this has hurt the device.
            torch.cuda.synchronize()
            kernel(a, b, sa=sa, sb=sb)
            torch.cuda.synchronize()

        def test_no_leaks(self):
            kernel = self.artifact["fp8_rows"]
            a, b, _ = self.problem()
            sa, sb = torch.ones(200, device=cuda), torch.ones(120, device=cuda)
            out = kernel(a, b, sa=sa, sb=sb)
            torch.cuda.synchronize()
            gc.collect()
            # One module costs the driver some memory that it keeps.
            free = torch.cuda.mem_get_info()[0]
            before = torch.cuda.memory_allocated()
            for _ in range(40):
                bsmm.load(os.path.join(self.folder.name, "simple.bsmm"))["fp8_rows"](
                    a, b, sa=sa, sb=sb, out=out
                )
            torch.cuda.synchronize()
            gc.collect()
            self.assertEqual(torch.cuda.memory_allocated(), before)
            lost = free - torch.cuda.mem_get_info()[0]
            self.assertLess(lost, 32 << 20, "modules are not unloaded")

        def test_measure(self):
            kernel = self.artifact["fp8_rows"]
            a, b, _ = self.problem()
            sa, sb = torch.ones(200, device=cuda), torch.ones(120, device=cuda)
            times = kernel.measure(a, b, sa=sa, sb=sb, repetitions=20)
            self.assertEqual(len(times), 20)
            self.assertTrue(all(0 < each < 50 for each in times), times)
            out = kernel(a, b, sa=sa, sb=sb)
            for name, call in (
                ("call_us", lambda: kernel(a, b, sa=sa, sb=sb, out=out)),
                ("call_with_allocation_us", lambda: kernel(a, b, sa=sa, sb=sb)),
            ):
                torch.cuda.synchronize()
                begin = time.perf_counter()
                for _ in range(500):
                    call()
                REPORT[name] = (time.perf_counter() - begin) / 500 * 1e6
                torch.cuda.synchronize()

        def test_cuda_graph(self):
            kernel = self.artifact["fp8_rows"]
            a, b, product = self.problem()
            sa, sb = torch.ones(200, device=cuda), torch.ones(120, device=cuda)
            out = kernel(a, b, sa=sa, sb=sb)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                kernel(a, b, sa=sa, sb=sb, out=out)
            sa.fill_(2.0)
            graph.replay()
            torch.cuda.synchronize()
            self.same(out, (product * 2).to(torch.bfloat16))

    class ScaledMM(Case):
        @classmethod
        def setUpClass(cls):
            super().setUpClass()
            bsmm.clear_kernels()
            bsmm.register_kernels(cls.artifact)

        @classmethod
        def tearDownClass(cls):
            bsmm.clear_kernels()
            super().tearDownClass()

        def test_same_as_torch(self):
            a, b, product = self.problem(256, 128, 256)
            sa, sb = powers(1, 256, 1).to(cuda), powers(2, 1, 128).to(cuda)
            for scales in ((sa, sb), (sa[:1], sb[:, :1])):
                scale_a, scale_b = scales
                if scale_a.numel() == 1:
                    scale_a, scale_b = scale_a.reshape(()), scale_b.reshape(())
                out = bsmm.scaled_mm(
                    a, b.t(), scale_a, scale_b, out_dtype=torch.bfloat16
                )
                theirs = torch._scaled_mm(
                    a, b.t(), scale_a, scale_b, out_dtype=torch.bfloat16
                )
                # Sums of small integers are exact in both.
                self.same(out, theirs)
            bias = torch.arange(128, device=cuda).to(torch.bfloat16)
            out = bsmm.scaled_mm(a, b.t(), sa, sb, bias, out_dtype=torch.bfloat16)
            expected = product * sa.cpu() * sb.cpu() + torch.arange(128)
            self.same(out, expected.to(torch.bfloat16))

        def test_compiled(self):
            def function(x, b, scale_a, scale_b):
                a = (x * 2).to(torch.float8_e4m3fn)
                out = bsmm.scaled_mm(
                    a, b.t(), scale_a, scale_b, out_dtype=torch.bfloat16
                )
                return torch.relu(out) + 1

            a, b, _ = self.problem(256, 100, 256)
            x = a.to(torch.bfloat16) / 2
            sa, sb = powers(1, 256, 1).to(cuda), powers(2, 1, 100).to(cuda)
            expected = function(x, b, sa, sb)
            for mode in ("default", "reduce-overhead"):
                torch._dynamo.reset()
                compiled = torch.compile(function, mode=mode, fullgraph=True)
                for _ in range(3):  # the third one replays a CUDA graph
                    self.same(compiled(x, b, sa, sb).clone(), expected, mode)

        def test_compiled_kernel_call(self):
            kernel = self.artifact["fp8_rows"]
            a, b, _ = self.problem()
            sa, sb = powers(1, 200).to(cuda), powers(2, 120).to(cuda)
            function = lambda a, b, sa, sb: kernel(a, b, sa=sa * 2, sb=sb) + 1
            torch._dynamo.reset()
            compiled = torch.compile(function, fullgraph=True)
            self.same(compiled(a, b, sa, sb), function(a, b, sa, sb))

        def test_operator(self):
            a, b, _ = self.problem(64, 40, 64)
            one = torch.ones(1, device=cuda)
            torch.library.opcheck(
                torch.ops.bsmm.scaled_mm.default,
                (a, b.t(), one, one, None, torch.bfloat16, 1.0, False),
                test_utils=("test_faketensor", "test_aot_dispatch_dynamic"),
            )

    class Artifacts(Case):
        """Kernels given on the command line, on inputs whose sums are exact."""

        TYPES = {
            "e4m3": torch.float8_e4m3fn,
            "e5m2": torch.float8_e5m2,
            "f16": torch.float16,
            "bf16": torch.bfloat16,
            "f32": torch.float32,
        }

        @unittest.skipUnless(ARTIFACTS, "no artifact was given")
        def test_artifacts(self):
            ran = 0
            for path in ARTIFACTS:
                for kernel in bsmm.load(path):
                    info = kernel.infos[0]
                    if info.a not in self.TYPES or info.scale_type != "none":
                        continue
                    with self.subTest(f"{path} {kernel.name}"):
                        ran += self.check_kernel(kernel, info)
            self.assertGreater(ran, 0)

        @unittest.skipUnless(ARTIFACTS, "no artifact was given")
        def test_precise_sums(self):
            """scaled_mm without fast accumulation, where the tensor core alone
            would lose most of a sum: 65536 and 16383 ones."""
            m, n, k = 300, 264, 16384
            kernels = [kernel for path in ARTIFACTS for kernel in bsmm.load(path)]
            wanted = ("e4m3", "e4m3", "bf16", "f32", "none")
            precise = {}
            for kernel in kernels:
                info = kernel.infos[0]
                types = (info.a, info.b, info.out, info.row_scales, info.bias)
                if types == wanted:
                    precise.setdefault(info.has_precise_sums, kernel)
            if set(precise) != {False, True}:
                self.skipTest("no kernels with row scales that promote and do not")
            a = torch.ones(m, k, device=cuda)
            a[:, 0] = 256
            a = a.to(torch.float8_e4m3fn)
            b = a[:n].clone()
            sa, sb = powers(1, m, 1).to(cuda), powers(2, 1, n).to(cuda)
            exact = (65536 + k - 1) * sa * sb
            relative = {}
            bsmm.clear_kernels()
            for kernel in precise.values():
                bsmm.register_kernels(kernel._artifact)
            for fast in (False, True):
                out = bsmm.scaled_mm(
                    a, b.t(), sa, sb, out_dtype=torch.bfloat16, use_fast_accum=fast
                )
                relative[fast] = float(((out.float() - exact) / exact).abs().max())
            bsmm.clear_kernels()
            REPORT["relative_error_precise_and_fast"] = [relative[False], relative[True]]
            # Rounding to bf16; and more than ten times that where ones are lost
            # beside the largest term, all of them or half, as the sum is split.
            rounding = 2**-8
            self.assertLess(relative[False], rounding)
            self.assertGreater(relative[True], 10 * rounding)
            self.assertGreater(relative[True], 10 * relative[False])

        def size(self, info, name, wanted):
            low, high, step = info.sizes[name]
            wanted = max(low, min(wanted, high))
            return -(-wanted // step) * step

        def check_kernel(self, kernel, info):
            ran = 0
            for wanted in ((512, 512, 512), (300, 264, 400), (17, 1000, 3072)):
                m, n, k = (
                    self.size(info, name, size) for name, size in zip("MNK", wanted)
                )
                # Sums that are exact in Hopper's narrow accumulators, too, which
                # keep 13 bits below the largest term's highest.
                a, plain_a = small(1, (m, k), self.TYPES[info.a], 1)
                b, plain_b = small(2, (n, k), self.TYPES[info.b], 1)
                expected = plain_a @ plain_b.T
                options = {}
                if info.row_scales == "f32":
                    sa, sb = powers(1, m), powers(2, n)
                    expected = expected * sa[:, None] * sb
                    options = {"sa": sa.to(cuda), "sb": sb.to(cuda)}
                elif info.row_scales == "tensor":
                    half = torch.tensor([0.5], device=cuda)
                    options = {"sa": half, "sb": half}
                    expected = expected / 4
                if info.bias != "none":
                    bias = torch.arange(n) % 64 - 32.0
                    options["bias"] = bias.to(self.TYPES[info.bias]).to(cuda)
                    expected = expected + bias
                for _ in range(2):
                    out = kernel(a.to(cuda), b.to(cuda), **options)
                    self.same(out, expected.to(self.TYPES[info.out]), kernel.name)
                ran += 1
            return ran

    cases = [Devices, Numbers, Kernels, ScaledMM, Artifacts]
    loader = unittest.defaultTestLoader
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in cases)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", help="folder for python_check.json")
    parser.add_argument("--library")
    parser.add_argument("--include")
    parser.add_argument("--artifact", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="names of tests must contain this")
    arguments = parser.parse_args()
    ARTIFACTS.extend(os.path.abspath(path) for path in arguments.artifact)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        library = arguments.library or build_library(folder, arguments.include)
        os.environ["BSMM_RUNTIME_LIBRARY"] = os.path.abspath(library)
        print(f"library: {library} ({time.monotonic() - begin:.0f} s)", flush=True)
        import torch
        from run_python_tests import Result

        if not torch.cuda.is_available():
            sys.exit("expected a GPU that torch can use, got none")
        suite = unittest.TestSuite()
        suite.addTests(make_tests())
        if not arguments.quick:
            package = os.path.join(ROOT, "python")
            suite.addTests(
                unittest.defaultTestLoader.discover(
                    os.path.join(package, "tests"), "test_*.py", package
                )
            )
        if arguments.only:
            chosen = unittest.TestSuite()
            pending = [suite]
            while pending:
                for test in pending.pop():
                    if isinstance(test, unittest.TestSuite):
                        pending.append(test)
                    elif arguments.only in test.id():
                        chosen.addTest(test)
            suite = chosen
        runner = unittest.TextTestRunner(
            stream=sys.stdout, resultclass=Result, verbosity=2
        )
        result = runner.run(suite)
    kinds = [case["kind"] for case in result.cases.values()]
    failed = kinds.count("failure")
    if not result.wasSuccessful():
        failed = max(failed, 1)
    skipped = kinds.count("skipped")
    REPORT["seconds"] = time.monotonic() - begin
    REPORT["cases"] = result.cases
    if arguments.out:
        os.makedirs(arguments.out, exist_ok=True)
        path = os.path.join(arguments.out, "python_check.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(REPORT, file, indent=1, default=str)
    for name in ("device", "call_us", "call_with_allocation_us", "seconds"):
        if name in REPORT:
            print(f"{name}: {REPORT[name]}")
    passed = len(kinds) - failed - skipped
    print(f"python: {passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

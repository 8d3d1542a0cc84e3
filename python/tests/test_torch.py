"""torch tensors on the host: the same functions, the custom operators, compile.

test/Hardware/python_check.py runs the like on a GPU.
"""

import gc
import os
import tempfile
import unittest
import warnings

from . import simple_gemm, support
from .support import needs_torch, numpy, torch

import bsmm

if torch is not None:
    from bsmm import _torch_numbers


def small(seed, shape, dtype, largest=8):
    """Small integers, exact in every type: sums over K are exact, too."""
    generator = torch.Generator().manual_seed(seed)
    integers = torch.randint(-largest, largest + 1, shape, generator=generator).float()
    return integers.to(dtype), integers.double()


def powers(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.exp2(torch.randint(-4, 4, shape, generator=generator).float())


def as_bytes(tensor):
    # torch cannot copy every type of one byte.
    if tensor.element_size() == 1:
        tensor = tensor.view(torch.uint8)
    return tensor.contiguous().view(torch.uint8)


def random_rows(seed, shape, special=False):
    """Rows of very different size, with zeros of both signs."""
    generator = torch.Generator().manual_seed(seed)
    groups = shape[:-1] + (-(-shape[-1] // 16),)
    size = torch.exp2(torch.randint(-20, 20, groups, generator=generator).float())
    size = size.repeat_interleave(16, -1)[..., : shape[-1]]
    rows = (torch.rand(shape, generator=generator) * 2 - 1) * size
    rows[torch.rand(shape, generator=generator) < 0.05] = 0.0
    rows[torch.rand(shape, generator=generator) < 0.05] = -0.0
    if special:
        rows[torch.rand(shape, generator=generator) < 0.004] = float("nan")
        rows[torch.rand(shape, generator=generator) < 0.004] = float("inf")
    return rows


def interesting_values(element):
    """f32 values at and around every tie of a format, and many others."""
    table = [support.value_of(element, code) for code in range(128)]
    table = sorted({abs(x) for x in table if x == x and abs(x) != float("inf")})
    ties = torch.tensor(
        [(low + high) / 2 for low, high in zip(table, table[1:])] + table,
        dtype=torch.float32,
    )
    bits = ties.view(torch.int32)
    beside = torch.cat([bits, bits + 1, (bits - 1).clamp(min=0)]).view(torch.float32)
    generator = torch.Generator().manual_seed(3)
    anything = torch.randint(
        -(2**31), 2**31 - 1, (20000,), generator=generator, dtype=torch.int64
    )
    anything = anything.to(torch.int32).view(torch.float32)
    limits = torch.tensor([0.0, float("inf"), float("nan"), 3e38, 1e-45])
    values = torch.cat([beside, anything, limits])
    return torch.cat([values, -values])


@needs_torch
class Numbers(unittest.TestCase):
    """The torch operations give the bytes of the C functions."""

    def test_codes(self):
        for element in support.FORMATS:
            values = interesting_values(element)
            by_c = bsmm.encode(values, element)
            by_torch = _torch_numbers.encode_f32(values, element)
            self.assertTrue(torch.equal(by_c, by_torch), element)
        for element in support.BITS:
            codes = torch.arange(256, dtype=torch.uint8)
            by_c = bsmm.decode(codes, element)
            by_torch = _torch_numbers.value_table(element, codes.device)
            known = by_c == by_c
            self.assertTrue(torch.equal(known, by_torch == by_torch), element)
            self.assertTrue(torch.equal(by_c[known], by_torch[known]), element)
            self.assertTrue(
                torch.equal(by_c[known].signbit(), by_torch[known].signbit()), element
            )

    def test_packing(self):
        generator = torch.Generator().manual_seed(1)
        for bits in (4, 6):
            for columns in (1, 2, 3, 4, 5, 6, 7, 33):
                codes = torch.randint(
                    0, 256, (3, columns), generator=generator, dtype=torch.uint8
                )
                packed = bsmm.pack(codes, bits)
                self.assertTrue(torch.equal(packed, _torch_numbers.pack(codes, bits)))
                self.assertTrue(
                    torch.equal(
                        bsmm.unpack(packed, bits, columns),
                        _torch_numbers.unpack(packed, bits, columns),
                    )
                )

    def test_scales(self):
        generator = torch.Generator().manual_seed(2)
        for batches, rows, groups in ((1, 1, 1), (2, 129, 5), (3, 128, 4), (1, 300, 7)):
            scales = torch.randint(
                0, 256, (batches, rows, groups), generator=generator, dtype=torch.uint8
            )
            blocked = bsmm.to_blocked(scales, padding=9)
            self.assertTrue(torch.equal(blocked, _torch_numbers.to_blocked(scales, 9)))
            self.assertTrue(
                torch.equal(_torch_numbers.from_blocked(blocked, rows, groups), scales)
            )
            typed = bsmm.to_blocked(scales.view(torch.float8_e4m3fn))
            self.assertEqual(typed.dtype, torch.float8_e4m3fn)

    def by_operations(self, function, *arguments, **options):
        """Calls a function as for a tensor on a GPU."""
        from bsmm import _numbers

        before = _numbers._by_torch
        _numbers._by_torch = lambda array: True
        try:
            return function(*arguments, **options)
        finally:
            _numbers._by_torch = before

    def test_quantization(self):
        for shape in ((1, 1), (33, 50), (2, 130, 80)):
            for dtype in (torch.float32, torch.float16, torch.bfloat16):
                for layout in ("blocked", "linear"):
                    rows = random_rows(shape[0], shape, special=True)
                    if dtype == torch.float16:
                        rows = rows.clamp(-6e4, 6e4)
                    rows = rows.to(dtype)
                    for scale, smallest in ((None, 2.0**-9), (0.3, 0.0), (1e-3, 2.0**-6)):
                        options = {"min_scale": smallest, "layout": layout}
                        by_c = bsmm.quantize_nvfp4(rows, scale, **options)
                        other = self.by_operations(
                            bsmm.quantize_nvfp4, rows, scale, **options
                        )
                        self.same(by_c, other)
                        self.assertEqual(by_c.codes.dtype, torch.float4_e2m1fn_x2)
                        self.assertEqual(by_c.scales.dtype, torch.float8_e4m3fn)
                        self.assertEqual(by_c.global_scale.dtype, torch.float32)
                    for element in ("e2m1", "e2m3", "e3m2", "e4m3", "e5m2"):
                        for rule in ("floor", "round_up"):
                            options = {"rule": rule, "layout": layout}
                            self.same(
                                bsmm.quantize_mx(rows, element, **options),
                                self.by_operations(
                                    bsmm.quantize_mx, rows, element, **options
                                ),
                            )

    def test_mx_exponents_over_the_whole_range(self):
        exponents = torch.arange(1, 255, dtype=torch.int32)
        mantissas = torch.tensor([0, 1, 0x400000, 0x400001, 0x600000, 0x600001, 0x700000])
        bits = (exponents[:, None] << 23) + mantissas.to(torch.int32)
        tiny = torch.arange(0, 0x7FFFFF, 0xFFFF, dtype=torch.int32)
        amax = torch.cat([bits.flatten(), tiny]).view(torch.float32)
        rows = torch.stack([amax, -amax / 3, amax / 17], -1)
        for element in ("e2m1", "e2m3", "e3m2", "e4m3", "e5m2"):
            for rule in ("floor", "round_up"):
                self.same(
                    bsmm.quantize_mx(rows, element, rule=rule),
                    self.by_operations(bsmm.quantize_mx, rows, element, rule=rule),
                )

    def same(self, first, second):
        self.assertEqual(len(first), len(second))
        for x, y in zip(first, second):
            self.assertEqual(x.dtype, y.dtype)
            self.assertEqual(x.shape, y.shape)
            self.assertEqual(x.stride(), y.stride())
            if x.dim():
                self.assertTrue(torch.equal(as_bytes(x), as_bytes(y)))
            else:
                self.assertEqual(x.item(), y.item())

    def test_dequantization(self):
        rows = random_rows(5, (2, 33, 80))
        for layout in ("blocked", "linear"):
            codes, scales, factor = bsmm.quantize_nvfp4(rows, layout=layout)
            options = {"layout": layout, "global_scale": factor}
            by_c = bsmm.dequantize(codes, scales, **options)
            other = self.by_operations(bsmm.dequantize, codes, scales, **options)
            self.assertTrue(torch.equal(by_c, other))
            for element in ("e3m2", "e5m2"):
                codes, scales = bsmm.quantize_mx(rows, element, layout=layout)
                options = {"element": element, "columns": 80, "layout": layout}
                by_c = bsmm.dequantize(codes, scales, **options)
                other = self.by_operations(bsmm.dequantize, codes, scales, **options)
                self.assertTrue(torch.equal(by_c, other))

    @unittest.skipIf(numpy is None, "needs numpy")
    def test_numpy_gives_the_same(self):
        rows = random_rows(6, (20, 70))
        first = bsmm.quantize_nvfp4(rows)
        second = bsmm.quantize_nvfp4(rows.numpy())
        numpy.testing.assert_array_equal(as_bytes(first.codes).numpy(), second.codes)
        numpy.testing.assert_array_equal(as_bytes(first.scales).numpy(), second.scales)
        self.assertEqual(first.global_scale.item(), second.global_scale)

    def test_compiled_quantization(self):
        rows = random_rows(7, (40, 96), special=True)
        for function in (
            lambda x: bsmm.quantize_nvfp4(x),
            lambda x: bsmm.quantize_mx(x, "e4m3"),
        ):
            compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
            for expected, got in zip(function(rows), compiled(rows)):
                # Compiled code has bytes where torch's compiler lacks a type.
                self.assertIn(got.dtype, (expected.dtype, torch.uint8))
                self.assertEqual(expected.stride(), got.stride())
                if expected.dim() == 0:
                    self.assertEqual(expected.item(), got.item())
                else:
                    self.assertTrue(torch.equal(as_bytes(expected), as_bytes(got)))

    def test_wrong_tensors_are_named(self):
        for tensor, kind, text in (
            (torch.zeros(4, 4, dtype=torch.float64), TypeError, "got f64"),
            (torch.zeros(4, 4, dtype=torch.int64), TypeError, "got int64"),
            (torch.zeros(4), ValueError, "got shape [4]"),
            (torch.zeros(4, 4, device="meta").double(), TypeError, "got float64"),
            (torch.zeros(4, 4).to_sparse(), TypeError, "dense"),
        ):
            with self.subTest(text):
                with self.assertRaises(kind) as caught:
                    bsmm.quantize_nvfp4(tensor)
                self.assertIn(text, str(caught.exception))


@needs_torch
class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "simple.bsmm")
        cls.artifact = bsmm.load(simple_gemm.write(path))
        bsmm.clear_kernels()
        bsmm.register_kernels(cls.artifact)

    @classmethod
    def tearDownClass(cls):
        bsmm.clear_kernels()
        cls.folder.cleanup()

    def tearDown(self):
        torch._dynamo.reset()

    def problem(self, m=18, n=17, k=32):
        a, plain_a = small(1, (m, k), torch.float8_e4m3fn)
        b, plain_b = small(2, (n, k), torch.float8_e4m3fn)
        return a, b, plain_a @ plain_b.T

    def test_call(self):
        a, b, product = self.problem()
        sa, sb = powers(1, 18), powers(2, 17)
        out = self.artifact["fp8_rows"](a, b, sa=sa, sb=sb)
        self.assertEqual(out.dtype, torch.bfloat16)
        expected = (product * sa[:, None] * sb).to(torch.bfloat16)
        self.assertTrue(torch.equal(out, expected))
        out = torch.zeros(18, 24, dtype=torch.bfloat16)
        self.artifact["fp8_rows"](a, b, sa=sa, sb=sb, out=out[:, :17])
        self.assertTrue(torch.equal(out[:, :17], expected))
        self.assertTrue((out[:, 17:] == 0).all())

    def test_wrong_calls_are_named(self):
        a, b, _ = self.problem()
        sa, sb = powers(1, 18), powers(2, 17)
        kernel = self.artifact["fp8_rows"]
        for call, kind, text in (
            (
                lambda: kernel(a.to(torch.float8_e5m2), b, sa=sa, sb=sb),
                TypeError,
                "a: expected e4m3 or bytes of it, as fp8_rows has it, got e5m2",
            ),
            (
                lambda: kernel(a, b.t(), sa=sa, sb=sb),
                ValueError,
                "b: expected K contiguous, got strides [1, 32]",
            ),
            (
                lambda: kernel(a.to("meta"), b, sa=sa, sb=sb),
                TypeError,
                "a: expected a CPU or CUDA tensor, got meta",
            ),
        ):
            with self.subTest(text):
                with self.assertRaises(kind) as caught:
                    call()
                self.assertIn(text, str(caught.exception))

    def test_compiled_call(self):
        a, b, product = self.problem()
        sa, sb = powers(1, 18), powers(2, 17)
        kernel = self.artifact["fp8_rows"]

        def function(a, b, sa, sb):
            return kernel(a, b, sa=sa * 2, sb=sb) + 1

        compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
        self.assertTrue(torch.equal(compiled(a, b, sa, sb), function(a, b, sa, sb)))
        half = self.artifact["half_batched"]
        x, y = torch.ones(2, 4, 8).half(), torch.ones(2, 5, 8).half()
        compiled = torch.compile(
            lambda x, y: half(x, y, alpha=0.5), backend="aot_eager", fullgraph=True
        )
        self.assertTrue(torch.equal(compiled(x, y), torch.full((2, 4, 5), 4.0).half()))

    def test_scaled_mm(self):
        a, b, product = self.problem()
        sa, sb = powers(1, 18, 1), powers(2, 1, 17)
        out = bsmm.scaled_mm(a, b.t(), sa, sb, out_dtype=torch.bfloat16)
        expected = (product * sa * sb).to(torch.bfloat16)
        self.assertEqual(out.dtype, torch.bfloat16)
        self.assertTrue(torch.equal(out, expected))
        # What torch itself computes from the same arguments, where it can.
        try:
            theirs = torch._scaled_mm(a, b.t(), sa, sb, out_dtype=torch.bfloat16)
        except (RuntimeError, ValueError):
            theirs = expected
        self.assertTrue(torch.equal(out, theirs))
        bias = torch.arange(17).to(torch.bfloat16)
        out = bsmm.scaled_mm(a, b.t(), sa, sb, bias, out_dtype=torch.bfloat16)
        expected = (product * sa * sb + torch.arange(17)).to(torch.bfloat16)
        self.assertTrue(torch.equal(out, expected))
        one = torch.tensor(0.5)
        out = bsmm.scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16)
        self.assertTrue(torch.equal(out, (product / 4).to(torch.bfloat16)))

    def test_block_scales_as_bytes(self):
        from bsmm import _arrays
        from bsmm._scaled_mm import _scale_kind

        def kind(count):
            view = _arrays.view(torch.zeros(count, dtype=torch.uint8), "scale_a")
            return _scale_kind(view, "scale_a", 200, 256)

        self.assertEqual(kind(2 * 512 * 4), "ue4m3")
        self.assertEqual(kind(2 * 512 * 2), "ue8m0")
        with self.assertRaisesRegex(TypeError, "4096 for 16 values a scale, 2048 for 32"):
            kind(512)

    def test_outputs_of_every_width(self):
        for n in (1, 7, 8, 16):
            a, b, product = self.problem(5, n, 16)
            one = torch.ones(1)
            out = bsmm.scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16)
            self.assertTrue(torch.equal(out, product.to(torch.bfloat16)))
            self.assertEqual(out.is_contiguous(), n % 8 == 0)

    def test_custom_operator(self):
        a, b, _ = self.problem()
        sa, sb = powers(1, 18, 1), powers(2, 1, 17)
        arguments = (a, b.t(), sa, sb, None, torch.bfloat16, 1.0, False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # torch's test of the schema cannot compare fp8 tensors.
            torch.library.opcheck(
                torch.ops.bsmm.scaled_mm.default,
                arguments,
                test_utils=(
                    "test_autograd_registration",
                    "test_faketensor",
                    "test_aot_dispatch_dynamic",
                ),
            )
            kernel = self.artifact["half_batched"]
            x, y = torch.ones(4, 8).half(), torch.ones(5, 8).half()
            out = torch.zeros(4, 5).half()
            torch.library.opcheck(
                torch.ops.bsmm.launch.default,
                (kernel._handle, x, None, y) + (None,) * 5 + (out, 1.0, 0.0, 1.0, -1),
            )

    def test_compiled_scaled_mm(self):
        sa, sb = powers(1, 18, 1), powers(2, 1, 17)

        def function(a, b, sa, sb):
            scaled = bsmm.scaled_mm(
                a.to(torch.float8_e4m3fn), b.t(), sa, sb * 2, out_dtype=torch.bfloat16
            )
            return torch.relu(scaled)

        a, b, _ = self.problem()
        for backend in ("aot_eager", "inductor"):
            torch._dynamo.reset()
            compiled = torch.compile(function, backend=backend, fullgraph=True)
            wide = a.to(torch.bfloat16)
            try:
                got = compiled(wide, b, sa, sb)
            except Exception as error:
                if backend == "inductor" and "CppCompileError" in repr(error):
                    continue  # no C++ compiler for torch here
                raise
            self.assertTrue(torch.equal(got, function(wide, b, sa, sb)), backend)

    def test_compiled_for_many_sizes(self):
        counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
        compiled = torch.compile(
            lambda a, b, s: bsmm.scaled_mm(a, b.t(), s, s, out_dtype=torch.bfloat16),
            backend=counter,
            fullgraph=True,
            dynamic=True,
        )
        one = torch.ones(1)
        for m in (3, 16, 40):
            a, b, product = self.problem(m)
            self.assertTrue(
                torch.equal(compiled(a, b, one), product.to(torch.bfloat16))
            )
        self.assertEqual(counter.frame_count, 1)

    def test_a_kernel_that_is_gone_is_named(self):
        from bsmm import _torch_ops

        a, b, _ = self.problem()
        out = torch.zeros(18, 17, dtype=torch.bfloat16)
        gc.collect()
        with self.assertRaisesRegex(ValueError, "is gone"):
            _torch_ops.launch(
                10**9, a, None, b, None, None, None, None, None, out, 1.0, 0.0, 1.0, -1
            )

    def test_fake_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        a, b, _ = self.problem()
        with FakeTensorMode() as mode:
            fake_a, fake_b = mode.from_tensor(a), mode.from_tensor(b)
            one = torch.ones(1)
            out = bsmm.scaled_mm(fake_a, fake_b.t(), one, one, out_dtype=torch.bfloat16)
            self.assertEqual(tuple(out.shape), (18, 17))
            codes, scales, factor = bsmm.quantize_nvfp4(torch.ones(4, 64))
            self.assertEqual(tuple(codes.shape), (4, 32))
            self.assertEqual(tuple(scales.shape), (512,))
            self.assertEqual(factor.dim(), 0)


if __name__ == "__main__":
    unittest.main()

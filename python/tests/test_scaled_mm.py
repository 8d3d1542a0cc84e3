"""scaled_mm with numpy arrays: choice of kernels, conventions, wrong calls."""

import os
import tempfile
import unittest

from . import simple_gemm
from .support import needs_numpy, numpy
from .test_kernel import codes, powers, small_codes, to_bf16

import bsmm
from bsmm import _scaled_mm


@needs_numpy
class ScaledMM(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "simple.bsmm")
        cls.artifact = bsmm.load(simple_gemm.write(path))

    @classmethod
    def tearDownClass(cls):
        bsmm.clear_kernels()
        cls.folder.cleanup()

    def test_rows_and_columns(self):
        kernel = self.artifact["fp8_rows"]
        a, plain_a = small_codes(1, (18, 32))
        b, plain_b = small_codes(2, (17, 32))
        sa, sb = powers(1, 18), powers(2, 17)
        product = plain_a @ plain_b.T
        out = bsmm.scaled_mm(
            a, b.T, sa[:, None], sb[None], out_dtype="bfloat16", kernel=kernel
        )
        numpy.testing.assert_array_equal(codes(out), to_bf16(product * sa[:, None] * sb))
        # One value for all rows goes with one a column, and with one.
        half = numpy.float32([[0.5]])
        out = bsmm.scaled_mm(
            a, b.T, half, sb[None], out_dtype="bfloat16", kernel=kernel
        )
        numpy.testing.assert_array_equal(codes(out), to_bf16(product * 0.5 * sb))
        out = bsmm.scaled_mm(a, b.T, half, half, out_dtype="bfloat16", kernel=kernel)
        numpy.testing.assert_array_equal(codes(out), to_bf16(product * 0.25))

    def test_bias(self):
        a, plain_a = small_codes(1, (18, 32))
        b, plain_b = small_codes(2, (17, 32))
        one = numpy.ones((1, 1), numpy.float32)
        with self.assertRaisesRegex(ValueError, "needs a bias"):
            bsmm.scaled_mm(
                a, b.T, one, one, out_dtype="bfloat16",
                kernel=self.artifact["fp8_rows_bias"],
            )
        with self.assertRaisesRegex(ValueError, "takes no bias"):
            bsmm.scaled_mm(
                a, b.T, one, one, one[0], out_dtype="bfloat16",
                kernel=self.artifact["fp8_rows"],
            )

    def test_one_scale_for_all(self):
        a, plain_a = small_codes(1, (18, 32), "e5m2")
        b, plain_b = small_codes(2, (17, 32))
        half = numpy.float32(0.5)
        out = bsmm.scaled_mm(
            a, b.T, numpy.array(half), numpy.array([half]), out_dtype=numpy.float32,
            kernel=self.artifact["fp8_tensor"],
        )
        numpy.testing.assert_array_equal(out, plain_a @ plain_b.T / 4)

    def test_wrong_calls_are_named(self):
        kernel = self.artifact["fp8_rows"]
        a, _ = small_codes(1, (18, 32))
        b, _ = small_codes(2, (17, 32))
        sa, sb = powers(1, 18)[:, None], powers(2, 17)[None]

        def call(*arguments, **options):
            options = {"out_dtype": "bfloat16", "kernel": kernel, **options}
            return lambda: bsmm.scaled_mm(*arguments, **options)

        for function, kind, text in (
            (
                call(a, b, sa, sb),
                ValueError,
                "mat2: expected 32 rows, as mat1 has columns, got shape [17, 32]",
            ),
            (
                call(a, numpy.ascontiguousarray(b.T), sa, sb),
                ValueError,
                "mat2: expected a column-major matrix, e.g. weight.t() of a contiguous "
                "[N, K] weight, got strides [17, 1]",
            ),
            (
                call(a[None], b.T, sa, sb),
                ValueError,
                "mat1: expected two dimensions, got shape [1, 18, 32]",
            ),
            (
                call(a, b.T, sa[:5], sb),
                ValueError,
                "scale_a: expected one value, or one a row as a contiguous [18, 1], or one "
                "for blocks of 128 as [18, 1], got shape [5, 1] with strides [1, 0]",
            ),
            (
                call(a, b.T, sa[:, 0], sb),
                ValueError,
                "scale_a: expected one value, or one a row as a contiguous [18, 1], or one "
                "for blocks of 128 as [18, 1], got shape [18] with strides [1]",
            ),
            (
                call(a, b.T, sa, sb.T),
                ValueError,
                "scale_b: expected one value, or one a column as a contiguous [1, 17]",
            ),
            (
                call(a, b.T, sa.astype(numpy.float64), sb),
                TypeError,
                "scale_a: expected float32, or block scales of float8_e4m3fn or "
                "float8_e8m0fnu, got f64",
            ),
            (
                call(a, b.T, sa, numpy.zeros((1, 17), numpy.uint8)),
                TypeError,
                "scale_b: expected float8_e4m3fn or float8_e8m0fnu, got 17 bytes",
            ),
            (
                call(a, b.T, sa, sb, out_dtype="float16"),
                ValueError,
                "kernel: fp8_rows has out of bf16",
            ),
            (
                call(a, b.T, sa, sb, out_dtype=None),
                TypeError,
                "out_dtype: expected one of float32, float16, bfloat16, float8_e4m3fn, "
                "float8_e5m2, got uint8; it defaults to the type of mat1, give another "
                "one",
            ),
            (
                call(a, b.T, sa, sb, out_dtype="complex64"),
                TypeError,
                "got complex64",
            ),
        ):
            with self.subTest(text):
                with self.assertRaises(kind) as caught:
                    function()
                self.assertIn(text, str(caught.exception))

    def request(self, **changes):
        return _scaled_mm._Request(
            **{
                "a": "e4m3",
                "b": "e4m3",
                "out": "bf16",
                "bias": "none",
                "scales": "rows",
                "fast": False,
                "target": "sm_90a",
                **changes,
            }
        )

    def test_choice(self):
        bsmm.clear_kernels()
        with self.assertRaisesRegex(LookupError, "no kernels are registered"):
            _scaled_mm._choose(self.request())
        # The same kernel that adds with the tensor core's precision.
        manifests = simple_gemm.manifests()
        fast = {**manifests[0], "numerics": {"promote_every": 0}}
        path = os.path.join(self.folder.name, "fast.bsmm")
        bsmm.write_artifact(
            path, [{"name": "fast", "manifest": fast, "ptx": simple_gemm.ptx()}]
        )
        bsmm.register_kernels(self.artifact)
        choose = lambda request: _scaled_mm._choose(request)[0]
        self.assertEqual(choose(self.request()).kernel.name, "fp8_rows")
        self.assertEqual(choose(self.request(fast=True)).kernel.name, "fp8_rows")
        bsmm.register_kernels(path)
        self.assertEqual(choose(self.request()).kernel.name, "fp8_rows")
        self.assertEqual(choose(self.request(fast=True)).kernel.name, "fast")
        # Without a kernel for one scale, rows of it do.
        choice = choose(self.request(scales="tensor"))
        self.assertEqual((choice.kernel.name, choice.scales), ("fp8_rows", "rows"))
        choice = choose(self.request(a="e5m2", out="f32", scales="tensor"))
        self.assertEqual((choice.kernel.name, choice.scales), ("fp8_tensor", "tensor"))
        choice = choose(self.request(bias="bf16"))
        self.assertEqual(choice.kernel.name, "fp8_rows_bias")
        for changes, text in (
            ({"out": "f16"}, r"fp8_rows \(sm_90a\) has out of bf16"),
            ({"a": "e5m2"}, r"fp8_rows \(sm_90a\) has a of e4m3"),
            ({"target": "sm_100a"}, r"fp8_rows \(sm_90a\) is for sm_90a"),
            ({"scales": "ue4m3"}, r"fp8_rows \(sm_90a\) has block scales of none"),
            ({"bias": "f32"}, r"fp8_rows_bias \(sm_90a\) takes a bias of bf16"),
            (
                {"a": "e5m2", "out": "f32"},
                r"fp8_tensor \(sm_90a\) takes row scales of the kind tensor",
            ),
        ):
            with self.subTest(text):
                with self.assertRaisesRegex(LookupError, text):
                    choose(self.request(**changes))

    def two_precisions(self, first, second, name="rows"):
        """A family whose kernels are told apart by their results: the second
        one ignores the scales of B."""
        rows = simple_gemm.manifests()[0]
        path = os.path.join(self.folder.name, f"{name}.bsmm")
        manifests = [
            {**rows, "numerics": {"promote_every": first}},
            {**rows, "numerics": {"promote_every": second}, "entry": "fp8_unscaled"},
        ]
        bsmm.write_artifact(
            path,
            [
                {"name": name, "manifest": manifest, "ptx": simple_gemm.ptx()}
                for manifest in manifests
            ],
        )
        return bsmm.load(path)

    def test_precise_sums_are_asked_of_every_configuration(self):
        a, plain_a = small_codes(1, (18, 32))
        b, plain_b = small_codes(2, (17, 32))
        sa, sb = powers(1, 18), powers(2, 17)
        product = plain_a @ plain_b.T * sa[:, None]
        scaled, unscaled = to_bf16(product * sb), to_bf16(product)
        self.assertFalse(numpy.array_equal(scaled, unscaled))
        call = lambda **options: codes(
            bsmm.scaled_mm(
                a, b.T, sa[:, None], sb[None], out_dtype="bfloat16", **options
            )
        )
        for first, second, precise in ((0, 128, unscaled), (128, 0, scaled)):
            artifact = self.two_precisions(first, second)
            self.assertEqual(
                [info.has_precise_sums for info in artifact.infos],
                [first > 0, second > 0],
            )
            bsmm.clear_kernels()
            bsmm.register_kernels(artifact)
            for kernel in (None, artifact["rows"]):
                # What runs otherwise is the first one.
                for fast, expected in ((False, precise), (True, scaled)):
                    with self.subTest(first=first, fast=fast, kernel=kernel):
                        numpy.testing.assert_array_equal(
                            call(use_fast_accum=fast, kernel=kernel), expected
                        )
            out = artifact["rows"](a, b, sa=sa, sb=sb, precise_sums=True)
            numpy.testing.assert_array_equal(codes(out), precise)
        # None is precise: each says why, in a choice and in a direct call.
        artifact = self.two_precisions(0, 0)
        bsmm.clear_kernels()
        bsmm.register_kernels(artifact)
        numpy.testing.assert_array_equal(call(use_fast_accum=True), scaled)
        with self.assertRaisesRegex(
            LookupError,
            "use_fast_accum=False.*keeps its sums in the tensor core "
            r"\(promote_every is 0\), which use_fast_accum=True allows",
        ):
            call()
        with self.assertRaisesRegex(ValueError, "kernel: rows keeps its sums in the"):
            call(kernel=artifact["rows"])
        with self.assertRaisesRegex(
            bsmm.UnsupportedProblem, "promote_every: expected 1 or more for the precise"
        ):
            artifact["rows"](a, b, sa=sa, sb=sb, precise_sums=True)

    def test_another_kernel_takes_what_the_first_refuses(self):
        rows = simple_gemm.manifests()[0]
        paths = []
        for name, step in (("any", 1), ("eighths", 8)):
            paths.append(os.path.join(self.folder.name, f"{name}.bsmm"))
            manifest = {**rows, "shapes": {"N": {"multiple_of": step}, "L": {"max": 1}}}
            bsmm.write_artifact(
                paths[-1],
                [{"name": name, "manifest": manifest, "ptx": simple_gemm.ptx()}],
            )
        a, plain_a = small_codes(1, (18, 32))
        one = numpy.ones((1, 1), numpy.float32)
        bsmm.clear_kernels()
        bsmm.register_kernels(paths[0])
        bsmm.register_kernels(paths[1])
        for n in (16, 17):
            b, plain_b = small_codes(2, (n, 32))
            out = bsmm.scaled_mm(a, b.T, one, one, out_dtype="bfloat16")
            numpy.testing.assert_array_equal(codes(out), to_bf16(plain_a @ plain_b.T))
        bsmm.clear_kernels()
        bsmm.register_kernels(paths[1])
        with self.assertRaisesRegex(
            bsmm.UnsupportedProblem, "N: expected a multiple of 8, got 17"
        ):
            bsmm.scaled_mm(a, b.T, one, one, out_dtype="bfloat16")

    def test_folders_of_the_environment(self):
        bsmm.clear_kernels()
        simple_gemm.write(os.path.join(self.folder.name, "of-folder.bsmm"))
        before = os.environ.get("BSMM_KERNELS")
        try:
            os.environ["BSMM_KERNELS"] = self.folder.name
            self.assertEqual(
                _scaled_mm._choose(self.request(bias="bf16"))[0].kernel.name,
                "fp8_rows_bias",
            )
            bsmm.clear_kernels()
            os.environ["BSMM_KERNELS"] = "/nowhere/at/all"
            with self.assertRaisesRegex(LookupError, "BSMM_KERNELS: expected a file"):
                _scaled_mm._choose(self.request())
        finally:
            os.environ.pop("BSMM_KERNELS")
            if before is not None:
                os.environ["BSMM_KERNELS"] = before
            bsmm.clear_kernels()


if __name__ == "__main__":
    unittest.main()

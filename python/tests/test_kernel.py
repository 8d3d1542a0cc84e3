"""Loading and calling kernels in the emulator with numpy arrays."""

import gc
import os
import tempfile
import threading
import unittest
import weakref

from . import simple_gemm, support
from .support import needs_numpy, numpy

import bsmm


def small_codes(seed, shape, element="e4m3"):
    """Codes of small integers: every sum over K is exact."""
    generator = numpy.random.default_rng(seed)
    integers = generator.integers(-8, 9, shape).astype(numpy.float32)
    return bsmm.encode(integers, element), integers.astype(numpy.float64)


def powers(seed, count):
    generator = numpy.random.default_rng(seed)
    return numpy.exp2(generator.integers(-4, 4, count)).astype(numpy.float32)


def codes(array):
    """The codes of a bf16 array: numpy has a type for it with ml_dtypes only."""
    return array.view(numpy.uint16)


def to_bf16(numbers):
    """The bits of the nearest bf16 of float64 numbers that are exact in f32."""
    bits = numbers.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


class FromDLPack:
    """An array that is nothing but DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


@needs_numpy
class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "simple.bsmm")
        cls.artifact = bsmm.load(simple_gemm.write(path))
        cls.path = path

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_rows(self):
        kernel = self.artifact["fp8_rows"]
        for m, n, k in ((1, 1, 1), (16, 16, 32), (20, 33, 48), (5, 70, 17)):
            a, plain_a = small_codes(m, (m, k))
            b, plain_b = small_codes(n + 100, (n, k))
            sa, sb = powers(1, m), powers(2, n)
            out = kernel(a, b, sa=sa, sb=sb)
            expected = (plain_a @ plain_b.T) * sa[:, None] * sb
            numpy.testing.assert_array_equal(codes(out), to_bf16(expected))

    def test_output_with_a_pitch_and_its_surroundings(self):
        kernel = self.artifact["fp8_rows"]
        a, plain_a = small_codes(1, (20, 40))
        b, plain_b = small_codes(2, (9, 40))
        wide_a = numpy.full((20, 64), 0x7F, numpy.uint8)
        wide_a[:, :40] = a
        whole = numpy.full((30, 16), 0xABCD, numpy.uint16)
        out = whole[3:23, 2:11]
        ones = numpy.ones(20, numpy.float32)
        result = kernel(wide_a[:, :40], b, sa=ones, sb=ones[:9], out=out)
        self.assertIs(result, out)
        numpy.testing.assert_array_equal(codes(out), to_bf16(plain_a @ plain_b.T))
        whole[3:23, 2:11] = 0xABCD
        self.assertTrue((whole == 0xABCD).all())

    def test_bias_and_one_scale_for_all(self):
        a, plain_a = small_codes(3, (18, 20))
        b, plain_b = small_codes(4, (17, 20))
        sa, sb = powers(3, 18), powers(4, 17)
        bias = to_bf16(numpy.arange(17) - 8.0)
        out = self.artifact["fp8_rows_bias"](a, b, sa=sa, sb=sb, bias=bias)
        expected = (plain_a @ plain_b.T) * sa[:, None] * sb + (numpy.arange(17) - 8.0)
        numpy.testing.assert_array_equal(codes(out), to_bf16(expected))
        a, plain_a = small_codes(5, (18, 20), "e5m2")
        half, quarter = numpy.float32([0.5]), numpy.float32([0.25])
        out = self.artifact["fp8_tensor"](a, b, sa=half, sb=quarter)
        self.assertEqual(out.dtype, numpy.float32)
        numpy.testing.assert_array_equal(out, plain_a @ plain_b.T / 8)
        out = self.artifact["fp8_tensor"](a, b, sa=half.reshape(()), sb=quarter)
        numpy.testing.assert_array_equal(out, plain_a @ plain_b.T / 8)

    def test_batches_alpha_beta_and_c(self):
        kernel = self.artifact["half_batched"]
        generator = numpy.random.default_rng(5)
        shape_a, shape_b, shape_c = (3, 18, 12), (3, 20, 12), (3, 18, 20)
        a = generator.integers(-4, 5, shape_a).astype(numpy.float16)
        b = generator.integers(-4, 5, shape_b).astype(numpy.float16)
        c = generator.integers(-4, 5, shape_c).astype(numpy.float16)
        product = numpy.einsum("lmk,lnk->lmn", a.astype(float), b.astype(float))
        out = kernel(a, b, c=c, alpha=0.5, beta=2.0, out_scale=0.25)
        self.assertEqual(out.shape, shape_c)
        self.assertEqual(out.dtype, numpy.float16)
        expected = (0.5 * product + 2 * c) * 0.25
        numpy.testing.assert_array_equal(out, expected.astype(numpy.float16))
        # C may be the output; inputs may not.
        kernel(a, b, c=c, out=c, alpha=0.5, beta=2.0, out_scale=0.25)
        numpy.testing.assert_array_equal(c, out)
        with self.assertRaisesRegex(ValueError, "d: expected memory apart from that of a"):
            kernel(a, b[:, :4], out=a.reshape(-1)[: 3 * 18 * 4].reshape(3, 18, 4))
        # C is not needed, and batches may lie apart.
        apart = numpy.empty((6,) + shape_a[1:], numpy.float16)
        apart[::2] = a
        numpy.testing.assert_array_equal(
            kernel(apart[::2], b), product.astype(numpy.float16)
        )
        # Two dimensions are one batch.
        numpy.testing.assert_array_equal(
            kernel(a[1], b[1]), product[1].astype(numpy.float16)
        )

    def test_no_rows_no_columns_no_depth(self):
        kernel = self.artifact["fp8_rows"]

        def run(m, n, k):
            return kernel(
                numpy.zeros((m, k), numpy.uint8),
                numpy.zeros((n, k), numpy.uint8),
                sa=numpy.ones(m, numpy.float32),
                sb=numpy.ones(n, numpy.float32),
            )

        self.assertEqual(run(0, 5, 16).shape, (0, 5))
        self.assertEqual(run(5, 0, 16).shape, (5, 0))
        numpy.testing.assert_array_equal(run(5, 3, 0), numpy.zeros((5, 3)))

    def test_k_may_be_given(self):
        kernel = self.artifact["fp8_rows"]
        a, plain_a = small_codes(6, (4, 32))
        b, plain_b = small_codes(7, (5, 48))
        ones = numpy.ones(5, numpy.float32)
        out = kernel(a, b, sa=ones[:4], sb=ones, k=30)
        numpy.testing.assert_array_equal(
            codes(out), to_bf16(plain_a[:, :30] @ plain_b[:, :30].T)
        )

    def test_dlpack_arrays(self):
        a, plain_a = small_codes(8, (18, 20), "e5m2")
        b, plain_b = small_codes(9, (17, 20))
        one = numpy.ones(1, numpy.float32)
        out = numpy.zeros((18, 24), numpy.float32)
        gone = weakref.ref(a)
        wrapped = FromDLPack(a)
        result = self.artifact["fp8_tensor"](
            wrapped, FromDLPack(b), sa=FromDLPack(one), sb=one, out=FromDLPack(out[:, :17])
        )
        self.assertIsInstance(result, FromDLPack)
        numpy.testing.assert_array_equal(out[:, :17], plain_a @ plain_b.T)
        self.assertTrue((out[:, 17:] == 0).all())
        del a, wrapped
        gc.collect()
        self.assertIsNone(gone(), "the capsule was kept")
        with self.assertRaisesRegex(ValueError, "out: expected an array, got none"):
            self.artifact["fp8_tensor"](FromDLPack(b), b, sa=one, sb=one)

    def test_devices(self):
        a, plain_a = small_codes(8, (18, 20))
        ones = numpy.ones(18, numpy.float32)
        kernel = self.artifact["fp8_rows"]
        expected = kernel(a, a, sa=ones, sb=ones)
        for device in (
            bsmm.Device.emulator(mode="lazy"),
            bsmm.Device.emulator("sm_90a", mode="random:3", strict=True),
        ):
            self.assertEqual(device.info.backend, "emulator")
            self.assertIn("emulator", repr(device))
            out = kernel(a, a, sa=ones, sb=ones, device=device)
            numpy.testing.assert_array_equal(codes(out), codes(expected))
            device.synchronize()
        other = bsmm.Device.emulator("sm_100a")
        with self.assertRaisesRegex(bsmm.Error, "sm_90a|sm_100a"):
            kernel(a, a, sa=ones, sb=ones, device=other)
        with self.assertRaisesRegex(ValueError, "mode"):
            bsmm.Device.emulator(mode="quick")
        few = bsmm.Device.emulator(max_instructions=10)
        with self.assertRaises(bsmm.Error):
            kernel(a, a, sa=ones, sb=ones, device=few)

    def test_description(self):
        self.assertEqual(len(self.artifact), 4)
        self.assertIn("fp8_rows", self.artifact)
        self.assertNotIn("other", self.artifact)
        self.assertEqual([kernel.name for kernel in self.artifact][0], "fp8_rows")
        info = self.artifact["half_batched"].infos[0]
        self.assertEqual((info.a, info.b, info.c, info.out), ("f16",) * 4)
        self.assertEqual(info.tile, (16, 16, 1))
        self.assertEqual(info.target, "sm_90a")
        self.assertTrue(info.has_ptx)
        self.assertFalse(info.has_cubin)
        self.assertEqual(info.sizes["K"].multiple_of, 1)
        self.assertEqual(info.manifest["grid"]["rule"], "tile_grid")
        self.assertIn("kernels", self.artifact.describe())
        for thing in (self.artifact, self.artifact["fp8_rows"], info):
            self.assertIn("bsmm.", repr(thing))
        resources = self.artifact["fp8_rows"].resources(bsmm.Device.emulator())
        self.assertFalse(resources.is_cubin)

    def test_measure(self):
        a, _ = small_codes(8, (4, 8))
        ones = numpy.ones(4, numpy.float32)
        times = self.artifact["fp8_rows"].measure(
            a, a, sa=ones, sb=ones, warmup=1, repetitions=3
        )
        self.assertEqual(len(times), 3)
        self.assertTrue(all(time > 0 for time in times))

    def test_load_from_memory_and_kernels_outlive_their_artifact(self):
        with open(self.path, "rb") as file:
            data = file.read()
        a, plain_a = small_codes(1, (3, 8))
        ones = numpy.ones(3, numpy.float32)
        kernel = bsmm.load(data)["fp8_rows"]
        gc.collect()
        out = kernel(a, a, sa=ones, sb=ones)
        numpy.testing.assert_array_equal(codes(out), to_bf16(plain_a @ plain_a.T))

    def test_several_threads(self):
        kernel = bsmm.load(self.path)["fp8_rows"]
        failures = []

        def work(seed):
            try:
                a, plain_a = small_codes(seed, (17 + seed, 24))
                b, plain_b = small_codes(seed + 50, (15, 24))
                sa, sb = powers(seed, 17 + seed), powers(seed, 15)
                expected = to_bf16((plain_a @ plain_b.T) * sa[:, None] * sb)
                for _ in range(3):
                    out = kernel(a, b, sa=sa, sb=sb)
                    numpy.testing.assert_array_equal(codes(out), expected)
            except BaseException as error:  # reported by the main thread
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_wrong_calls_are_named(self):
        rows = self.artifact["fp8_rows"]
        half = self.artifact["half_batched"]
        a, _ = small_codes(1, (18, 32))
        b, _ = small_codes(2, (17, 32))
        sa, sb = powers(1, 18), powers(2, 17)
        f16 = numpy.zeros((4, 8), numpy.float16)
        out = numpy.zeros((18, 17), numpy.uint16)
        read_only = out.view()
        read_only.flags.writeable = False
        for call, kind, text in (
            (lambda: rows(a), TypeError, "fp8_rows: expected the operands a, b, got 1"),
            (
                lambda: rows(a, sa, b, sb),
                TypeError,
                "fp8_rows: expected the operands a, b, got 4",
            ),
            (
                lambda: rows([1], b, sa=sa, sb=sb),
                TypeError,
                "a: expected a torch tensor, a numpy array, or an object with __dlpack__ "
                "or __cuda_array_interface__, got list",
            ),
            (
                lambda: rows(a.astype(numpy.float32), b, sa=sa, sb=sb),
                TypeError,
                "a: expected e4m3 or bytes of it, as fp8_rows has it, got f32",
            ),
            (
                lambda: rows(a[0], b, sa=sa, sb=sb),
                ValueError,
                "a: expected shape [M, K] or [L, M, K], got [32]",
            ),
            (
                lambda: rows(a, b.T, sa=sa, sb=sb),
                ValueError,
                "b: expected K contiguous, got strides [1, 32]; K must be the last "
                "dimension, pass b.mT",
            ),
            (
                lambda: rows(a, b[:, :30], sa=sa, sb=sb),
                ValueError,
                "b: expected as many values a row as a has, 32, got 30",
            ),
            (
                lambda: rows(a, b, sa=sa, sb=sb, k=33),
                ValueError,
                "k: expected 0 to the 32 values of a row, got 33",
            ),
            (
                lambda: rows(a[::-1], b, sa=sa, sb=sb),
                ValueError,
                "a: expected positive strides of whole values, got [-32, 1]",
            ),
            (
                lambda: rows(a, b, sa=sa[:5], sb=sb),
                ValueError,
                "sa: expected 18 contiguous values, got shape [5] with strides [1]",
            ),
            (
                lambda: rows(a, b, sa=sa.astype(numpy.float64), sb=sb),
                TypeError,
                "sa: expected f32, as fp8_rows has it, got f64",
            ),
            (lambda: rows(a, b, sa=sa), ValueError, "sb"),
            (
                lambda: rows(a, b, sa=sa, sb=sb, bias=sb),
                ValueError,
                "bias: the kernel fp8_rows takes no such operand; it takes a, b, out, "
                "sa, sb",
            ),
            (
                lambda: rows(a, b, sa=sa, sb=sb, out=out.T),
                ValueError,
                "out: expected shape [18, 17], got [17, 18]",
            ),
            (
                lambda: rows(a, b, sa=sa, sb=sb, out=numpy.zeros((18, 17))),
                TypeError,
                "out: expected bf16, as fp8_rows has it, got f64",
            ),
            (
                lambda: rows(a, b, sa=sa, sb=sb, out=numpy.zeros((17, 18), "u2").T),
                ValueError,
                "out: expected contiguous rows, got strides [1, 18]",
            ),
            (
                lambda: rows(a, b, sa=sa, sb=sb, out=read_only),
                ValueError,
                "out: expected an array to write to, got one to read",
            ),
            (lambda: half(f16, f16, beta=1.0), ValueError, "c"),
            (
                lambda: half(numpy.stack([f16] * 3), f16),
                ValueError,
                "b: expected 3 batches, shape [L, rows, K], got [4, 8]",
            ),
            (
                lambda: half(numpy.stack([f16] * 3), numpy.stack([f16] * 2)),
                ValueError,
                "b: expected the 3 batches of a, got 2",
            ),
            (
                lambda: rows(numpy.stack([a] * 2), numpy.stack([b] * 2), sa=sa, sb=sb),
                ValueError,
                "L: expected",
            ),
            (
                lambda: rows(a, b, sa=sa, sb=sb, stream="fast"),
                TypeError,
                "stream: expected an integer or a stream of torch, cupy or another "
                "library, got str",
            ),
            (
                lambda: self.artifact["other"],
                LookupError,
                "'fp8_rows', 'fp8_rows_bias', 'fp8_tensor', 'half_batched'; got 'other'",
            ),
            (
                lambda: self.artifact(a, b),
                ValueError,
                "has 4 kernels: choose one with artifact[name]",
            ),
            (lambda: bsmm.load("/nowhere/x.bsmm"), OSError, "/nowhere/x.bsmm"),
            (lambda: bsmm.load(b"no artifact"), bsmm.InvalidArtifact, ""),
            (
                lambda: self.artifact["fp8_rows"](a, b, sa=sa, sb=sb, alpha="2"),
                TypeError,
                "alpha: expected a number, got str",
            ),
            (
                lambda: self.artifact["fp8_rows"](a, b, sa=sa, sb=sb, k=2.5),
                TypeError,
                "k: expected an integer, got float",
            ),
            (
                lambda: self.artifact["fp8_rows"](a, b, sa=sa, sb=sb, sm_count=2**32),
                ValueError,
                "sm_count: expected 0 or more, got 4294967296",
            ),
            (
                lambda: self.artifact["fp8_rows"].select(4, "8", 16),
                TypeError,
                "n: expected an integer, got str",
            ),
            (
                lambda: self.artifact["fp8_rows"].predict(0, 2**64 + 4, 8, 16),
                ValueError,
                "m: expected a size of 64 bits, got 18446744073709551620",
            ),
            (
                lambda: self.artifact["fp8_rows"].predict(None, 4, 8, 16),
                TypeError,
                "index: expected an integer, got NoneType",
            ),
            (
                lambda: bsmm.set_log("print"),
                TypeError,
                "callback: expected a function or None, got str",
            ),
            (
                lambda: bsmm.scaled_mm(1, 2, 3, 4),
                TypeError,
                "mat1: expected a torch tensor, a numpy array",
            ),
            (
                lambda: bsmm.write_artifact("/nowhere/x.bsmm", [{"text": ""}]),
                ValueError,
                "kernels[0]: expected the key manifest",
            ),
        ):
            with self.subTest(text):
                with self.assertRaises(kind) as caught:
                    call()
                self.assertIn(text, str(caught.exception))

    def test_log(self):
        texts = []
        bsmm.set_log(lambda level, text: texts.append((level, text)))
        try:
            a, _ = small_codes(1, (3, 8))
            ones = numpy.ones(3, numpy.float32)
            self.artifact["fp8_rows"](a, a, sa=ones, sb=ones)
        finally:
            bsmm.set_log(None)
        for level, text in texts:
            self.assertIn(level, ("info", "warning"))
            self.assertTrue(text)


@needs_numpy
class Interfaces(unittest.TestCase):
    """What other libraries' arrays may look like."""

    class OnGpu:
        """The CUDA Array Interface of an array that is not there."""

        def __init__(self, **changes):
            self.__cuda_array_interface__ = {
                "shape": (4, 8),
                "typestr": "|u1",
                "data": (0x7F0000000000, False),
                "version": 3,
                **changes,
            }

    def test_cuda_array_interface(self):
        from bsmm import _arrays

        view = _arrays.view(self.OnGpu(stream=7), "a")
        self.assertEqual(view.element, "u8")
        self.assertEqual((view.shape, view.strides), ((4, 8), (8, 1)))
        self.assertEqual((view.address, view.device, view.stream), (0x7F0000000000, 0, 7))
        view = _arrays.view(self.OnGpu(typestr="<f4", strides=(64, 4)), "a")
        self.assertEqual((view.element, view.strides), ("f32", (16, 1)))
        for changes, text in (
            ({"typestr": "<c8"}, "a: expected a type string among"),
            ({"typestr": ">f4"}, "a: expected a type string among"),
            ({"mask": object()}, "a: expected an array without a mask"),
            (
                {"typestr": "<f4", "strides": (33, 4)},
                "a: expected strides of whole items of 4 bytes",
            ),
        ):
            with self.assertRaisesRegex(TypeError, text):
                _arrays.view(self.OnGpu(**changes), "a")

    def test_arrays_of_two_devices_are_refused(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = simple_gemm.write(os.path.join(folder.name, "simple.bsmm"))
        a, _ = small_codes(1, (4, 8))
        ones = numpy.ones(4, numpy.float32)
        with self.assertRaisesRegex(
            ValueError,
            "b: expected an array on the CPU, as a is, got one on CUDA device 0",
        ):
            bsmm.load(path)["fp8_rows"](a, self.OnGpu(), sa=ones, sb=ones)

    def test_streams(self):
        from bsmm._runtime import _stream_handle

        class Torch:
            cuda_stream = 5

        class Cupy:
            ptr = 6

        class Protocol:
            def __cuda_stream__(self):
                return (0, 8)

        for stream, expected in (
            (None, None),
            (3, 3),
            (Torch(), 5),
            (Cupy(), 6),
            (Protocol(), 8),
        ):
            self.assertEqual(_stream_handle(stream), expected)


if __name__ == "__main__":
    unittest.main()

"""Quantisation, codes and scales of numpy arrays, against float64 numpy."""

import unittest

from . import support
from .support import needs_numpy, numpy

import bsmm


def f32(numbers):
    return numpy.asarray(numbers, dtype=numpy.float32).astype(numpy.float64)


def expected_nvfp4(rows, global_scale, min_scale):
    """Codes and linear scales by the definition, each f32 step from float64."""
    columns = rows.shape[-1]
    padded = numpy.zeros(rows.shape[:-1] + (-(-columns // 16) * 16,))
    padded[..., :columns] = rows
    groups = padded.reshape(rows.shape[:-1] + (-1, 16))
    finite = numpy.isfinite(groups).all(-1)
    safe = numpy.where(finite[..., None], groups, 0)
    wanted = f32(f32(numpy.abs(safe).max(-1) / 6) / global_scale)
    scales = support.nearest("ue4m3", numpy.maximum(wanted, min_scale))
    total = f32(global_scale * support.values("ue4m3")[scales])
    with numpy.errstate(divide="ignore", invalid="ignore"):
        scaled = f32(safe / total[..., None])
    scaled = numpy.where(total[..., None] == 0, numpy.copysign(0.0, safe), scaled)
    codes = support.nearest("e2m1", scaled)
    codes = numpy.where(finite[..., None], codes, 0).astype(numpy.uint8)
    codes = codes.reshape(rows.shape[:-1] + (-1,))[..., :columns]
    return codes, numpy.where(finite, scales, 0x7F).astype(numpy.uint8)


def expected_mx(rows, element, rule, vector):
    """Codes and linear scales by the definition."""
    columns = rows.shape[-1]
    padded = numpy.zeros(rows.shape[:-1] + (-(-columns // vector) * vector,))
    padded[..., :columns] = rows
    groups = padded.reshape(rows.shape[:-1] + (-1, vector))
    finite = numpy.isfinite(groups).all(-1)
    safe = numpy.where(finite[..., None], groups, 0)
    amax = numpy.abs(safe).max(-1)
    table = support.values(element)
    largest = table[numpy.isfinite(table)].max()
    fraction, exponent = numpy.frexp(amax)
    exponent = exponent - 1 - numpy.floor(numpy.log2(largest)).astype(int)
    if rule == "round_up":
        exponent = exponent + (amax > largest * numpy.exp2(exponent))
    exponent = numpy.where(amax == 0, -127, numpy.clip(exponent, -127, 127))
    codes = support.nearest(element, safe / numpy.exp2(exponent)[..., None])
    codes = numpy.where(finite[..., None], codes, 0).astype(numpy.uint8)
    codes = codes.reshape(rows.shape[:-1] + (-1,))[..., :columns]
    return codes, numpy.where(finite, exponent + 127, 0xFF).astype(numpy.uint8)


@needs_numpy
class Codes(unittest.TestCase):
    def test_every_code_decodes_and_encodes(self):
        for element in support.BITS:
            codes = numpy.arange(1 << support.BITS[element], dtype=numpy.uint8)
            table = support.values(element)
            got = bsmm.decode(codes, element)
            self.assertEqual(got.dtype, numpy.float32)
            numpy.testing.assert_array_equal(got, table.astype(numpy.float32))
            known = codes[numpy.isfinite(table)]
            numpy.testing.assert_array_equal(
                numpy.signbit(got[known]), numpy.signbit(table[known])
            )
            back = bsmm.encode(got[numpy.isfinite(table)], element)
            if element == "ue4m3":
                known = known & 0x7F
            numpy.testing.assert_array_equal(back, known, element)

    def test_encoding_is_nearest(self):
        for element in support.FORMATS:
            rows = support.random_rows(1, (40, 70))
            numpy.testing.assert_array_equal(
                bsmm.encode(rows, element),
                support.nearest(element, rows.astype(numpy.float64)),
            )
            halves = numpy.clip(rows, -6e4, 6e4).astype(numpy.float16)
            numpy.testing.assert_array_equal(
                bsmm.encode(halves, element),
                support.nearest(element, halves.astype(numpy.float64)),
            )

    def test_packing(self):
        generator = numpy.random.default_rng(2)
        for bits in (4, 6):
            for columns in (1, 2, 3, 4, 5, 7, 8, 33):
                codes = generator.integers(0, 256, (3, 2, columns), dtype=numpy.uint8)
                packed = bsmm.pack(codes, bits)
                self.assertEqual(packed.shape, (3, 2, (columns * bits + 7) // 8))
                plain = codes & ((1 << bits) - 1)
                stream = numpy.zeros(packed.shape[:2] + (packed.shape[2] * 8,), int)
                for column in range(columns):
                    for bit in range(bits):
                        stream[..., column * bits + bit] = plain[..., column] >> bit & 1
                weights = 1 << numpy.arange(8)
                expected = (stream.reshape(packed.shape + (8,)) * weights).sum(-1)
                numpy.testing.assert_array_equal(packed, expected)
                numpy.testing.assert_array_equal(
                    bsmm.unpack(packed, bits, columns), plain
                )

    def test_gaps_between_items_do_not_matter(self):
        rows = support.random_rows(3, (4, 64))
        for view in (rows[:, ::2], rows[::-1], rows.T, rows[:, 5:], rows[:1, :1]):
            numpy.testing.assert_array_equal(
                bsmm.encode(view, "e4m3"), bsmm.encode(view.copy(), "e4m3")
            )
            codes, scales, factor = bsmm.quantize_nvfp4(view)
            copied = bsmm.quantize_nvfp4(numpy.ascontiguousarray(view))
            numpy.testing.assert_array_equal(codes, copied.codes)
            numpy.testing.assert_array_equal(scales, copied.scales)
            self.assertEqual(factor, copied.global_scale)
        repeated = numpy.broadcast_to(rows[:1], (5, 64))
        numpy.testing.assert_array_equal(
            bsmm.quantize_mx(repeated).codes, bsmm.quantize_mx(repeated.copy()).codes
        )


@needs_numpy
class Quantize(unittest.TestCase):
    def test_nvfp4(self):
        for shape in ((1, 1), (5, 16), (37, 50), (2, 33, 80), (130, 17)):
            for special in (False, True):
                for min_scale in (2.0**-9, 2.0**-6, 0.0):
                    rows = support.random_rows(shape[0], shape, special)
                    result = bsmm.quantize_nvfp4(
                        rows, min_scale=min_scale, layout="linear"
                    )
                    finite = numpy.abs(rows[numpy.isfinite(rows)])
                    amax = finite.max() if finite.size else 0
                    factor = f32(float(amax) / 2688) if amax else 1.0
                    self.assertEqual(result.global_scale, factor)
                    codes, scales = expected_nvfp4(rows, factor, min_scale)
                    columns = shape[-1]
                    numpy.testing.assert_array_equal(
                        bsmm.unpack(result.codes, 4, columns), codes
                    )
                    numpy.testing.assert_array_equal(result.scales, scales)

    def test_nvfp4_with_a_given_scale(self):
        rows = support.random_rows(7, (9, 40))
        result = bsmm.quantize_nvfp4(rows, 0.25, layout="linear")
        self.assertEqual(result.global_scale, 0.25)
        codes, scales = expected_nvfp4(rows, 0.25, 2.0**-9)
        numpy.testing.assert_array_equal(bsmm.unpack(result.codes, 4, 40), codes)
        numpy.testing.assert_array_equal(result.scales, scales)

    def test_mx(self):
        for element in ("e2m1", "e2m3", "e3m2", "e4m3", "e5m2"):
            bits = support.BITS[element]
            for rule in ("floor", "round_up"):
                for vector in (16, 32) if element == "e2m1" else (32,):
                    rows = support.random_rows(11, (2, 19, 75), special=True)
                    result = bsmm.quantize_mx(
                        rows, element, rule=rule, vector=vector, layout="linear"
                    )
                    codes, scales = expected_mx(rows, element, rule, vector)
                    got = result.codes
                    if bits < 8:
                        got = bsmm.unpack(got, bits, 75)
                    numpy.testing.assert_array_equal(got, codes, element)
                    numpy.testing.assert_array_equal(result.scales, scales, element)

    def test_rows_can_be_read_by_tma(self):
        for columns in (1, 31, 33, 2880, 2882):
            codes = bsmm.quantize_nvfp4(support.random_rows(1, (3, columns))).codes
            self.assertEqual(codes.shape, (3, (columns + 1) // 2))
            self.assertEqual(codes.strides[0] % 16, 0)
            codes = bsmm.quantize_mx(support.random_rows(1, (3, columns)), "e3m2").codes
            self.assertEqual(codes.strides[0] % 96, 0)

    def test_blocked_layout_is_that_of_to_blocked(self):
        for shape in ((5, 50), (130, 300), (2, 33, 80)):
            rows = support.random_rows(4, shape)
            blocked = bsmm.quantize_nvfp4(rows)
            linear = bsmm.quantize_nvfp4(rows, layout="linear")
            numpy.testing.assert_array_equal(blocked.codes, linear.codes)
            numpy.testing.assert_array_equal(
                blocked.scales, bsmm.to_blocked(linear.scales)
            )

    def test_dequantize(self):
        rows = support.random_rows(6, (33, 100))
        for layout in ("blocked", "linear"):
            codes, scales, factor = bsmm.quantize_nvfp4(rows, layout=layout)
            back = bsmm.dequantize(
                codes, scales, columns=100, layout=layout, global_scale=factor
            )
            linear = scales
            if layout == "blocked":
                linear = bsmm.from_blocked(scales, 33, 7)
            factors = support.values("ue4m3")[linear].repeat(16, -1)[:, :100]
            plain = support.values("e2m1")[bsmm.unpack(codes, 4, 100)]
            expected = f32(f32(plain * factors) * float(factor))
            numpy.testing.assert_array_equal(back, expected)
            # The largest value of all is 6 * 448 of the global scale.
            largest = numpy.abs(rows).argmax()
            self.assertAlmostEqual(
                back.flat[largest] / rows.flat[largest], 1, delta=2**-22
            )
        codes, scales = bsmm.quantize_mx(rows, "e4m3", rule="round_up")
        back = bsmm.dequantize(codes, scales, element="e4m3")
        table = support.values("e4m3")
        linear = bsmm.from_blocked(scales, 33, 4)
        expected = table[codes] * support.values("ue8m0")[linear].repeat(32, -1)[:, :100]
        numpy.testing.assert_array_equal(back, expected.astype(numpy.float32))

    def test_blocked_order(self):
        generator = numpy.random.default_rng(8)
        for shape in ((1, 1), (128, 4), (129, 5), (3, 300, 11)):
            scales = generator.integers(0, 256, shape, dtype=numpy.uint8)
            blocked = bsmm.to_blocked(scales, padding=0x5A)
            rows, groups = shape[-2:]
            tiles_m, tiles_k = -(-rows // 128), -(-groups // 4)
            padded = numpy.full(
                shape[:-2] + (tiles_m * 128, tiles_k * 4), 0x5A, numpy.uint8
            )
            padded[..., :rows, :groups] = scales
            # [.., tiles_m, 4, 32, tiles_k, 4] to [.., tiles_m, tiles_k, 32, 4, 4]
            split = padded.reshape(shape[:-2] + (tiles_m, 4, 32, tiles_k, 4))
            expected = numpy.moveaxis(split, (-5, -2, -3, -4, -1), range(-5, 0))
            numpy.testing.assert_array_equal(
                blocked, expected.reshape(shape[:-2] + (-1,))
            )
            numpy.testing.assert_array_equal(
                bsmm.from_blocked(blocked, rows, groups), scales
            )

    def test_wrong_arguments_are_named(self):
        rows = support.random_rows(1, (4, 32))
        codes = numpy.zeros((4, 16), numpy.uint8)
        for call, kind, text in (
            (
                lambda: bsmm.quantize_nvfp4([[1.0]]),
                TypeError,
                "values: expected a torch tensor, a numpy array, or an object with "
                "__dlpack__, got list",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows.astype(numpy.float64)),
                TypeError,
                "values: expected float32, float16 or bfloat16, got f64",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows.astype(numpy.complex64)),
                TypeError,
                "got complex64",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows[0]),
                ValueError,
                "values: expected 2 or 3 dimensions, [rows, columns] or [batches, rows, "
                "columns], got shape [32]",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows, -1.0),
                ValueError,
                "global_scale: expected a positive finite number, got -1",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows, min_scale=500),
                ValueError,
                "min_scale: expected a number from 0 to 448, got 500",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows, layout="tiled"),
                ValueError,
                "layout: expected one of 'linear', 'blocked', got 'tiled'",
            ),
            (
                lambda: bsmm.quantize_mx(rows, "fp8"),
                ValueError,
                "element: expected one of 'e2m1', 'e2m3', 'e3m2', 'e4m3', 'e5m2', got "
                "'fp8'",
            ),
            (
                lambda: bsmm.quantize_mx(rows, "e4m3", vector=16),
                ValueError,
                "vector: expected one of 32, got 16",
            ),
            (
                lambda: bsmm.quantize_mx(rows, rule="ceil"),
                ValueError,
                "rule: expected one of 'floor', 'round_up', got 'ceil'",
            ),
            (
                lambda: bsmm.to_blocked(rows),
                TypeError,
                "scales: expected items of one byte, got float32",
            ),
            (
                lambda: bsmm.from_blocked(numpy.zeros(500, numpy.uint8), 4, 4),
                ValueError,
                "scales: expected a multiple of the 512 bytes of 4 rows and 4 groups, "
                "got 500",
            ),
            (
                lambda: bsmm.dequantize(
                    numpy.zeros((4, 16), numpy.uint8), numpy.zeros(9, numpy.uint8)
                ),
                ValueError,
                "scales: expected 512 bytes of blocked 128x4 scales, got 9 (shape [9])",
            ),
            (
                lambda: bsmm.unpack(numpy.zeros((4, 16), numpy.uint8), 4, 33),
                ValueError,
                "columns: expected 0 to the 32 that 16 bytes hold, got 33",
            ),
            (
                lambda: bsmm.pack(numpy.zeros((4, 16), numpy.uint8), 5),
                ValueError,
                "bits: expected one of 4, 6, got 5",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows, global_scale="1"),
                TypeError,
                "global_scale: expected a number, got str",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows, numpy.ones(2)),
                TypeError,
                "global_scale: expected a number, got ndarray",
            ),
            (
                lambda: bsmm.quantize_nvfp4(rows, min_scale=None),
                TypeError,
                "min_scale: expected a number, got NoneType",
            ),
            (
                lambda: bsmm.quantize_mx(rows, ["e4m3"]),
                ValueError,
                "element: expected one of 'e2m1', 'e2m3', 'e3m2', 'e4m3', 'e5m2', got",
            ),
            (
                lambda: bsmm.dequantize(codes, codes, vector=numpy.zeros(3)),
                ValueError,
                "vector: expected one of 16, 32, got",
            ),
            (
                lambda: bsmm.unpack(codes, 4, 3.0),
                TypeError,
                "columns: expected an integer, got float",
            ),
            (
                lambda: bsmm.to_blocked(codes, padding="0"),
                TypeError,
                "padding: expected an integer, got str",
            ),
            (
                lambda: bsmm.from_blocked(codes, None, 4),
                TypeError,
                "rows: expected an integer, got NoneType",
            ),
        ):
            with self.subTest(text):
                with self.assertRaises(kind) as caught:
                    call()
                self.assertIn(text, str(caught.exception))


if __name__ == "__main__":
    unittest.main()

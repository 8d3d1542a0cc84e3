"""Which configuration of a family is taken for which sizes."""

import os
import tempfile
import unittest

from . import simple_gemm
from .support import needs_numpy, numpy

import bsmm


def manifest(tile_n, stages, **keys):
    """An FP8 kernel with tiles of 128 x tile_n, two consumer warpgroups."""
    return {
        **simple_gemm.manifests()[0],
        "numerics": {"accumulate": "f32"},
        "grid": {"rule": "persistent"},
        "block": [384, 1, 1],
        "tile": {"m": 128, "n": tile_n, "k": 128},
        "configuration": {"stages": stages},
        **keys,
    }


def split_in_two(tile_n, stages):
    return manifest(
        tile_n, stages, grid={"rule": "tile", "split_k": 2}, cluster=[2, 1, 1]
    )


def family(*manifests):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "family.bsmm")
        bsmm.write_artifact(
            path,
            [
                {"name": "gemm", "manifest": each, "ptx": simple_gemm.ptx()}
                for each in manifests
            ],
        )
        return bsmm.load(path)


class Selection(unittest.TestCase):
    def setUp(self):
        self.artifact = family(
            manifest(128, 6),
            manifest(192, 4),
            manifest(224, 4),
            manifest(256, 3),
            split_in_two(128, 6),
        )
        self.kernel = self.artifact["gemm"]

    def test_tile_follows_the_sizes(self):
        # M, N, K and the columns of the tile that an H200 ran fastest, or within
        # one per cent of the fastest.
        for m, n, k, columns in (
            (512, 12288, 3072, 192),
            (512, 3072, 12288, 128),
            (1152, 12288, 3072, 224),
            (1152, 3072, 12288, 224),
            (2304, 12288, 3072, 192),
            (2304, 3072, 12288, 224),
            (4608, 12288, 3072, 224),
            (4608, 3072, 12288, 224),
            (8192, 8192, 8192, 224),
        ):
            info = self.artifact.select(m, n, k)
            self.assertEqual(info.tile, (128, columns, 128), (m, n, k))
            self.assertEqual(info.cluster, (1, 1, 1), (m, n, k))
        # One tile and a long K: two CTAs that share it.
        self.assertEqual(self.kernel.select(128, 128, 1 << 17).cluster, (2, 1, 1))

    def test_selection_is_the_least_prediction(self):
        for sizes in ((1, 8, 1), (300, 5000, 700), (4096, 4096, 4096)):
            for sm_count in (0, 1, 78, 132):
                cycles = [
                    self.kernel.predict(info.index, *sizes, sm_count=sm_count).cycles
                    for info in self.kernel.infos
                ]
                chosen = self.kernel.select(*sizes, sm_count=sm_count)
                self.assertEqual(chosen.index, cycles.index(min(cycles)))

    def test_prediction(self):
        found = self.kernel.predict(0, 128, 256, 256, sm_count=1)
        self.assertEqual((found.waves, found.steps_of_tile), (2, 2))
        cycles = 2 * (2 * found.cycles_of_step + found.cycles_of_tile) + 3600
        # Two tiles of two steps of 512 cycles and 256 rows of 128 bytes.
        power = 4 * (512 + 256 * 128 * 0.0035) / cycles
        self.assertAlmostEqual(found.cycles, cycles * max(power, 0.28) ** 0.27, 6)
        other = family(manifest(128, 6, grid={"rule": "fixed", "size": [1, 1, 1]}))
        self.assertIsNone(other["gemm"].predict(0, 128, 128, 128))

    def test_number_of_sms(self):
        # 126 tiles of 224 columns or 108 of 256: the wider ones are one wave of
        # 114 SMs, too.
        self.assertEqual(self.kernel.select(1152, 3072, 12288).tile[1], 224)
        narrow = self.kernel.select(1152, 3072, 12288, sm_count=114)
        self.assertEqual(narrow.tile[1], 256)

    def test_first_of_equals(self):
        kernel = family(manifest(192, 4), manifest(128, 6), manifest(192, 4))["gemm"]
        self.assertEqual(kernel.select(512, 12288, 3072).index, 0)
        kernel = family(manifest(128, 6), manifest(192, 4), manifest(192, 4))["gemm"]
        self.assertEqual(kernel.select(512, 12288, 3072).index, 1)

    def test_only_what_takes_the_sizes(self):
        aligned = {"N": {"multiple_of": 8}, "L": {"max": 1}}
        any_size = {"L": {"max": 1}}
        kernel = family(
            manifest(192, 4, shapes=aligned), manifest(64, 6, shapes=any_size)
        )["gemm"]
        self.assertEqual(kernel.select(512, 12288, 3072).index, 0)
        self.assertEqual(kernel.select(512, 12289, 3072).index, 1)
        with self.assertRaisesRegex(bsmm.UnsupportedProblem, "L: expected"):
            kernel.select(512, 12288, 3072, 2)
        only = family(manifest(192, 4, shapes=aligned))
        with self.assertRaisesRegex(
            ValueError, "N: expected a multiple of 8, got 12289; the next one is 12296"
        ):
            only.select(512, 12289, 3072)
        with self.assertRaises(bsmm.UnsupportedProblem):
            only["gemm"].predict(0, 512, 12289, 3072)

    def test_numerics_and_target_are_those_of_the_first(self):
        fast = {"accumulate": "f32", "promote_every": 0}
        slow = {"accumulate": "f32", "promote_every": 128}
        exact, quick = manifest(64, 6, numerics=slow), manifest(192, 4, numerics=fast)
        self.assertEqual(family(exact, quick).select(512, 12288, 3072).index, 0)
        self.assertEqual(family(quick, exact).select(512, 12288, 3072).index, 0)
        blackwell = manifest(192, 4, target="sm_100a")
        mixed = family(manifest(64, 6), blackwell, manifest(192, 4))
        self.assertEqual(mixed.select(512, 12288, 3072).index, 2)
        self.assertEqual(
            mixed.select(512, 12288, 3072, target="sm_100a").index, 1
        )
        with self.assertRaisesRegex(bsmm.NotFound, "gemm for sm_100a"):
            mixed.select(512, 12288, 3072, target="sm_120a")

    def test_one_without_a_model_keeps_its_place(self):
        fixed = manifest(128, 6, grid={"rule": "fixed", "size": [4, 1, 1]})
        self.assertEqual(
            family(fixed, manifest(192, 4)).select(512, 12288, 3072).index, 0
        )
        self.assertEqual(
            family(manifest(64, 6), fixed, manifest(192, 4))
            .select(512, 12288, 3072)
            .index,
            2,
        )

    def test_several_families(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.bsmm")
            bsmm.write_artifact(
                path,
                [
                    {"name": name, "manifest": manifest(128, 6), "ptx": simple_gemm.ptx()}
                    for name in ("one", "two")
                ],
            )
            artifact = bsmm.load(path)
        with self.assertRaisesRegex(bsmm.InvalidArgument, "'one', 'two'"):
            artifact.select(128, 128, 128)
        self.assertEqual(artifact["two"].select(128, 128, 128).index, 1)


@needs_numpy
class Calls(unittest.TestCase):
    """A call takes what select says; the choice is seen by its wrong result."""

    def test_a_call_takes_the_selected_kernel(self):
        right = simple_gemm.manifests()[0]
        # The entry that ignores the scales of B, with tiles that the model finds
        # better for one tile of 16 x 16 and worse for many.
        grid = {"rule": "tile_grid"}
        small = {**right, "grid": grid, "tile": {"m": 16, "n": 16, "k": 64}}
        kernel = family(
            {**small, "shapes": {"K": {"multiple_of": 64}, "L": {"max": 1}}},
            {**small, "entry": "fp8_unscaled", "tile": {"m": 16, "n": 16, "k": 8}},
        )["gemm"]
        one = numpy.full((16, 64), 0x38, "uint8")  # 1 in e4m3
        scales = numpy.full(16, 2, "float32")
        for columns, index, expected in ((64, 0, 256), (40, 1, 80)):
            self.assertEqual(kernel.select(16, 16, columns).index, index)
            for _ in range(2):
                out = kernel(
                    numpy.ascontiguousarray(one[:, :columns]),
                    numpy.ascontiguousarray(one[:, :columns]),
                    sa=scales,
                    sb=scales,
                )
                code = numpy.float32(expected).view("uint32") >> 16
                self.assertEqual(out.view("uint16")[3, 5], code)

    def test_bound_launches_read_what_is_there(self):
        kernel = family(simple_gemm.manifests()[0])["gemm"]
        a = numpy.full((4, 32), 0x38, "uint8")
        b = numpy.full((8, 32), 0x38, "uint8")
        ones = numpy.ones(4, "float32"), numpy.ones(8, "float32")
        out = numpy.zeros((4, 8), "uint16")
        launch = kernel.bind(a, b, sa=ones[0], sb=ones[1], out=out)
        self.assertEqual(out.max(), 0)
        for scale in (1, 2, 4):
            ones[0][:] = scale
            launch()
            expected = numpy.float32(32 * scale).view("uint32") >> 16
            self.assertTrue((out == expected).all())
        with self.assertRaises(ValueError):
            kernel.bind(a, b[:, :16], sa=ones[0], sb=ones[1], out=out)


if __name__ == "__main__":
    unittest.main()

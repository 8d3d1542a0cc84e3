"""bsmm-tune: pruning, verification before winning, the cache, interruption."""

import contextlib
import io
import json
import os
import tempfile
import unittest

from . import simple_gemm
from .support import needs_numpy, needs_torch, numpy, torch

import bsmm
from bsmm import tune


def family():
    """One kernel in four configurations: two right, one wrong, one narrow."""
    right = simple_gemm.manifests()[0]
    narrow = {"K": {"multiple_of": 64}, "L": {"max": 1}}
    kernels = [
        {**right, "configuration": {"variant": "first"}},
        {**right, "configuration": {"variant": "narrow"}, "shapes": narrow},
        {**right, "configuration": {"variant": "wrong"}, "entry": "fp8_unscaled"},
        {**right, "configuration": {"variant": "second"}},
    ]
    return [
        {"name": "rows", "manifest": manifest, "ptx": simple_gemm.ptx()}
        for manifest in kernels
    ]


@needs_numpy
class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = os.path.join(folder.name, "deep", "tune.json")
        self.path = os.path.join(folder.name, "rows.bsmm")
        bsmm.write_artifact(self.path, family())
        self.kernel = bsmm.load(self.path)["rows"]
        self.lines = []
        before = os.environ.get("BSMM_TUNE_CACHE")
        os.environ["BSMM_TUNE_CACHE"] = self.cache

        def restore():
            os.environ.pop("BSMM_TUNE_CACHE")
            if before is not None:
                os.environ["BSMM_TUNE_CACHE"] = before

        self.addCleanup(restore)

    def measure(self, **options):
        options = {"repetitions": 2, "report": self.lines.append, **options}
        options.setdefault("device", bsmm.Device.emulator())
        return tune.measure(self.kernel, (20, 24, 96, 1), **options)

    def entries(self):
        return tune.read_cache(self.cache)

    def test_only_what_is_right_wins(self):
        best = self.measure()
        statuses = [line.split(": ")[1] for line in self.lines if "/4" in line]
        text = "\n".join(self.lines)
        self.assertIn('{"variant": "first"}: measured', text)
        self.assertIn('{"variant": "second"}: measured', text)
        self.assertIn('{"variant": "wrong"}: wrong: the result is not', text)
        self.assertIn(
            '{"variant": "narrow"}: illegal: rows: K: expected a multiple of 64, got 96',
            text,
        )
        self.assertEqual(len(statuses), 4)
        self.assertIn(best.index, (0, 3))
        ((key, entry),) = self.entries().items()
        self.assertEqual(entry["best"], best.digest)
        self.assertTrue(entry["complete"])
        for part in ("rows:", "|20x24x96x1|", "|emulator|"):
            self.assertIn(part, key)

    def test_calls_use_what_was_found(self):
        first = tune.kernel_digest(self.kernel.infos[0])
        fourth = tune.kernel_digest(self.kernel.infos[3])
        sizes = (20, 24, 96, 1)
        a = numpy.zeros((20, 96), numpy.uint8)
        b = numpy.zeros((24, 96), numpy.uint8)
        ones = numpy.ones(24, numpy.float32)
        loaded = []
        original = self.kernel._loaded_kernel
        self.kernel._loaded_kernel = lambda device, index: (
            loaded.append(index),
            original(device, index),
        )[1]
        for digest, expected in ((None, 0), (fourth, 3), (first, 0), ("gone", 0)):
            if digest:
                key = tune.cache_key(self.kernel, sizes, "emulator")
                tune.write_entry(key, {"best": digest, "results": []}, self.cache)
            self.kernel.forget_choices()
            self.kernel(a, b, sa=ones[:20], sb=ones)
            self.assertEqual(loaded[-1], expected)

    def test_speed_is_not_bought_with_accuracy(self):
        right = simple_gemm.manifests()[0]
        numerics = [{"promote_every": every} for every in (128, 0, 0, 128)]
        bsmm.write_artifact(
            self.path,
            [
                {
                    "name": "rows",
                    "manifest": {
                        **right,
                        "numerics": each,
                        "configuration": {"variant": number},
                    },
                    "ptx": simple_gemm.ptx(),
                }
                for number, each in enumerate(numerics)
            ],
        )
        self.kernel = bsmm.load(self.path)["rows"]
        original = tune._try
        times = (4.0, 1.0, 2.0, 3.0)
        tune._try = lambda kernel, info, *rest: original(kernel, info, *rest)._replace(
            median=times[info.index]
        )
        try:
            self.assertEqual(self.measure().index, 3)
        finally:
            tune._try = original
        indices = [
            tune.tuned_index(self.kernel, (20, 24, 96, 1), "emulator", info)
            for info in self.kernel.infos
        ]
        self.assertEqual(indices, [3, 1, 1, 3])
        a = numpy.zeros((20, 96), numpy.uint8)
        b = numpy.zeros((24, 96), numpy.uint8)
        ones = numpy.ones(24, numpy.float32)
        loaded = []
        load = self.kernel._loaded_kernel
        self.kernel._loaded_kernel = lambda device, index: (
            loaded.append(index),
            load(device, index),
        )[1]
        for precise in (False, True):
            self.kernel(a, b, sa=ones[:20], sb=ones, precise_sums=precise)
        self.assertEqual(loaded, [3, 3])

    def test_wrong_entries_of_the_cache_are_left_out(self):
        best = self.measure()
        with open(self.cache, encoding="utf-8") as file:
            content = json.load(file)
        ((key, entry),) = content["entries"].items()
        good = list(entry["results"])
        entry["results"] += [5, {}, {**good[0], "more": 1}, {**good[0], "median": "x"}]
        content["entries"]["other"] = 7
        content["entries"]["empty"] = {}
        with open(self.cache, "w", encoding="utf-8") as file:
            json.dump(content, file)
        self.assertEqual(len(tune._results_of(self.entries()[key])), len(good))
        del self.lines[:]
        self.assertEqual(self.measure().index, best.index)
        self.assertTrue(all("(cache)" in line for line in self.lines), self.lines)
        status, output, _ = self.run_program("show")
        self.assertEqual(status, 0)
        self.assertIn("4 tried", output)
        self.assertIn("empty: none was right, 0 tried", output)

    def test_the_cache_is_used_and_survives_damage(self):
        self.measure()
        tried = []
        original = tune._try
        tune._try = lambda kernel, info, *rest: (
            tried.append(info.index),
            original(kernel, info, *rest),
        )[1]
        try:
            self.measure()
            self.assertEqual(tried, [])
            self.measure(again=True)
            # The second one does not take the sizes.
            self.assertEqual(tried, [0, 2, 3])
            for damage in ("", "{", "[]", '{"schema": "bsmm.tune/9", "entries": {}}'):
                with open(self.cache, "w", encoding="utf-8") as file:
                    file.write(damage)
                self.assertEqual(self.entries(), {})
            del tried[:]
            self.assertIsNotNone(self.measure())
            self.assertEqual(len(tried), 3)
            # Without a cache nothing is written.
            os.remove(self.cache)
            self.measure(path="")
            self.assertFalse(os.path.exists(self.cache))
        finally:
            tune._try = original

    def test_an_interruption_keeps_what_is_known(self):
        def stop(line):
            self.lines.append(line)
            if line.startswith("3/4"):
                raise KeyboardInterrupt

        best = self.measure(report=stop)
        self.assertEqual(best.index, 0)
        self.assertIn("stopped after 3 of 4; these are kept", self.lines)
        ((_, entry),) = self.entries().items()
        self.assertFalse(entry["complete"])
        self.assertEqual(len(entry["results"]), 2)
        del self.lines[:]
        self.measure()
        self.assertIn("(cache)", self.lines[0])
        self.assertIn("(cache)", self.lines[1])
        self.assertNotIn("(cache)", self.lines[2])

    def test_illegal_configurations_are_not_compiled(self):
        manifest = {
            "target": "sm_100a",
            "problem": {"a": "e2m1", "b": "e2m1", "scale_vector": 16},
        }
        small = tune.Configuration(128, 128, 256, 3)
        # Two operands of 16 KiB and two times four scale tiles a stage.
        self.assertEqual(tune.least_shared_bytes(small, manifest), 3 * (32768 + 4096))
        self.assertEqual(tune.why_illegal(small, manifest), "")
        for configuration, text in (
            (small._replace(stages=7), "258048 bytes of shared memory, of 232448"),
            (small._replace(block_k=96), "is not whole scale tiles of 64 values"),
            (small._replace(block_n=264), "multiples of 8 up to 256"),
            (small._replace(block_n=100), "multiples of 8 up to 256"),
            (small._replace(block_m=0), "expected positive tiles"),
            (small._replace(block_n=-8), "expected positive tiles"),
            (small._replace(stages=-1), "0 or more stages"),
            (
                small._replace(block_m=256, block_n=256, block_k=64, stages=2),
                "528 columns of tensor memory, of 512",
            ),
        ):
            self.assertIn(text, tune.why_illegal(configuration, manifest))
        # Sums in registers: 256 x 256 of two warpgroups, 64 x 256 of one.
        hopper = {"target": "sm_90a", "problem": {"a": "e4m3", "b": "e4m3"}}
        for m, n, registers in ((256, 256, 256), (192, 256, 192), (64, 256, 128)):
            configuration = tune.Configuration(m, n, 64, 2)
            self.assertEqual(tune.accumulator_registers(configuration), registers)
            self.assertEqual(
                tune.why_illegal(configuration, hopper),
                "" if registers <= 192 else "256 registers of sums a thread, of 192",
            )
        self.assertEqual(
            small.options(), "block-m=128 block-n=128 block-k=256 stages=3"
        )
        # A tile for each warpgroup: 128 x 256 is too much for one.
        turns = tune.Configuration(128, 192, 128, 5, ping_pong=1, cluster_m=2)
        self.assertEqual(
            turns.options(),
            "block-m=128 block-n=192 block-k=128 stages=5 ping-pong=1 cluster-m=2",
        )
        self.assertEqual(tune.why_illegal(turns, hopper), "")
        self.assertIn(
            "256 registers", tune.why_illegal(turns._replace(block_n=256), hopper)
        )
        self.assertIn("sm_90a", tune.why_illegal(small._replace(ping_pong=1), manifest))
        shared = small._replace(cluster_m=2)
        self.assertEqual(tune.why_illegal(shared, manifest), "")
        consumer = {**manifest, "target": "sm_120a"}
        self.assertIn("sm_100a", tune.why_illegal(shared, consumer))
        # Loops of kernels with tensor memory.
        loops = small._replace(specialize="none", flatten=1, tile_stages=2)
        self.assertEqual(
            loops.options(),
            "block-m=128 block-n=128 block-k=256 stages=3 specialize=none flatten=1 "
            "tile-stages=2",
        )
        for stages in (2, 3):
            several = loops._replace(tile_stages=stages)
            self.assertEqual(tune.why_illegal(several, manifest), "")
        self.assertIn(
            "544 columns", tune.why_illegal(loops._replace(tile_stages=4), manifest)
        )
        for other in (loops, small._replace(epilogue_warps=8)):
            self.assertIn("tensor memory", tune.why_illegal(other, hopper))

    def run_program(self, *arguments):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = tune.main(list(arguments))
        return status, output.getvalue(), errors.getvalue()

    def test_command_line(self):
        sizes = ["-M", "20", "-N", "24", "-K", "96"]
        status, output, _ = self.run_program(
            "measure", self.path, *sizes, "--repetitions", "2", "--emulator"
        )
        self.assertEqual(status, 0)
        self.assertIn("best: 16x16x1", output)
        status, output, _ = self.run_program("show")
        self.assertEqual(status, 0)
        self.assertIn("4 tried", output)
        for arguments, text in (
            (["measure", "/nowhere.bsmm", *sizes], "/nowhere.bsmm"),
            (
                ["measure", self.path, "--kernel", "x", *sizes, "--emulator"],
                "'rows'; got 'x'",
            ),
            (
                ["measure", self.path, *sizes, "--emulator", "--repetitions", "0"],
                "repetitions: expected 1 or more launches, got 0",
            ),
            (
                ["measure", self.path, "-M", "0", "-N", "24", "-K", "96", "--emulator"],
                "M: expected 1 or more, got 0",
            ),
            (
                ["measure", self.path, *sizes, "-L", "-3", "--emulator"],
                "L: expected 1 or more, got -3",
            ),
            (["compile", "/nowhere.mlir", "-o", self.path], "/nowhere.mlir: "),
        ):
            status, _, errors = self.run_program(*arguments)
            self.assertEqual(status, 1)
            self.assertIn("bsmm-tune: error: ", errors)
            self.assertIn(text, errors)

    def test_sizes_that_nothing_takes_need_no_operands(self):
        made = []
        original = tune.make_operands
        tune.make_operands = lambda *arguments: made.append(arguments)
        try:
            status, output, _ = self.run_program(
                "measure", self.path, "-M", "20", "-N", "24", "-K", "96", "-L", "2",
                "--emulator",
            )
        finally:
            tune.make_operands = original
        self.assertEqual((status, made), (1, []))
        self.assertIn("illegal: rows: L: expected", output)
        self.assertIn("no configuration was right", output)

    def test_operands_that_no_memory_holds(self):
        original = tune.make_operands

        def fail(*_):
            raise MemoryError("no room")

        tune.make_operands = fail
        try:
            with self.assertRaisesRegex(bsmm.OutOfMemory, "for 20x24x96x1: no room"):
                self.measure()
        finally:
            tune.make_operands = original

    def test_operands_differ_everywhere(self):
        arrays = tune._Numpy()
        operands = tune.make_operands(self.kernel.infos[0], (64, 48, 96, 1), arrays)
        expected = operands.expected
        self.assertGreater(len(numpy.unique(expected, axis=0)), 60)
        self.assertGreater(len(numpy.unique(expected, axis=1).T), 40)
        numpy.testing.assert_array_equal(expected, expected.astype(numpy.float32))

    @needs_torch
    def test_tensors_make_operands_that_the_kernel_gets_right(self):
        arrays = tune._Torch("cpu")
        for entry, expected in ((0, True), (2, False)):
            info = self.kernel.infos[entry]
            operands = tune.make_operands(info, (20, 24, 96, 1), arrays)
            out = self.kernel._new_output(operands.positional[0], (20, 24))
            self.kernel._call_index(
                info.index, *operands.positional, out=out, **operands.options
            )
            self.assertIs(arrays.same(out, operands.expected, info.out), expected)


if __name__ == "__main__":
    unittest.main()

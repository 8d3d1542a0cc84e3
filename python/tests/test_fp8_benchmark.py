"""The parts of benchmark/fp8_gemm.py that need no GPU, and a run in the emulator."""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import tempfile
import unittest

from . import simple_gemm
from .support import needs_numpy, needs_torch
from .test_selection import manifest, split_in_two

import bsmm

_FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    "benchmark",
)


def program(name):
    path = os.path.join(_FOLDER, name + ".py")
    if not os.path.exists(path):
        raise unittest.SkipTest("needs the source tree")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def contender(kind, times, **keys):
    return {"kind": kind, "ms": times, **keys}


def case_of(m, k, n, vendor, ours, other=None, selected="bsmm 128x128"):
    contenders = {
        "cublaslt fast": contender("vendor", vendor),
        "bsmm 128x128": contender("bsmm", ours, verified=True),
    }
    if other:
        contenders["bsmm 128x192"] = contender("bsmm", other, verified=True)
    return {
        "m": m, "k": k, "n": n, "scaling": "rows", "selected": selected,
        "reference": "cublaslt fast",
        "contenders": contenders,
    }


class Parts(unittest.TestCase):
    def setUp(self):
        self.program = program("fp8_gemm")

    def test_shapes(self):
        self.assertEqual(
            self.program.shapes_of("512x3072x12288, 1X2x3"), [(512, 3072, 12288), (1, 2, 3)]
        )
        for wrong in ("", "512x3072", "1x2x3x4", "0x1x1", "1x-2x3", "axbxc", "1x2x3,"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=wrong):
                self.program.shapes_of(wrong)
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "tensor, rows"):
            self.program.scalings_of("rows,blocks")

    def test_plan(self):
        def plan(*arguments):
            return self.program.plan(self.program.parser().parse_args(["x", *arguments]))

        shapes, rounds, _ = plan()
        # The eight shapes of the benchmark, and the square.
        self.assertEqual(len(shapes), 9)
        self.assertEqual(len(set(shapes)), 9)
        self.assertGreaterEqual(rounds, 5)
        self.assertEqual(plan("--quick")[1:], (2, 5))
        self.assertEqual(
            plan("--quick", "--shapes", "1x2x3", "--rounds", "4", "--repetitions", "6"),
            ([(1, 2, 3)], 4, 6),
        )
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            plan("--rounds", "0")

    def test_statistics(self):
        quantile = self.program.quantile
        self.assertEqual(quantile([3, 1, 2], 0.5), 2)
        self.assertEqual(quantile([1, 2, 3, 4], 0.5), 2.5)
        self.assertEqual(quantile([5], 0.8), 5)
        self.assertAlmostEqual(quantile([0, 10], 0.2), 2)
        ratio = self.program.ratio_of([1, 2, 4], [2, 2, 2])
        self.assertEqual(ratio["median"], 1)
        self.assertAlmostEqual(ratio["p20"], 0.7)
        self.assertAlmostEqual(ratio["p80"], 1.6)
        self.assertAlmostEqual(self.program.geometric_mean([0.5, 2, 8]), 2)
        reached = self.program.is_reached
        self.assertTrue(reached({"median": 0.99, "p20": 0.9, "p80": 1.0}))
        self.assertFalse(reached({"median": 0.99, "p20": 0.9, "p80": 0.999}))

    def test_case_and_summary(self):
        finish = self.program.finish_case
        # 2 * 1000^3 operations in 0.001 ms are 2000 TFLOP/s.
        first = finish(case_of(500, 1000, 2000, [0.002] * 3, [0.001] * 3))
        self.assertAlmostEqual(first["contenders"]["bsmm 128x128"]["tflops"], 2000)
        self.assertEqual(
            first["ratio_to_best_other"], {"median": 2, "p20": 2, "p80": 2}
        )
        self.assertTrue(first["reached_best_other"])
        self.assertTrue(first["reached"])
        second = finish(case_of(500, 2000, 1000, [0.001] * 3, [0.002] * 3, [0.0005] * 3))
        self.assertFalse(second["reached"])
        self.assertEqual(second["best"], "bsmm 128x192")
        square = finish(case_of(1000, 1000, 1000, [1.0] * 3, [0.1] * 3))
        summary = self.program.summarize([first, second, square])
        self.assertEqual((summary["cases"], summary["reached"]), (2, 1))
        self.assertAlmostEqual(summary["selected"], 1)
        self.assertAlmostEqual(summary["best_kernel"], 2)
        self.assertEqual(summary["not_below_best_other"], 1)
        self.assertEqual(summary["reached_best_other"], 1)
        self.assertNotIn("triton", summary)
        results = {"cases": [first, second, square], "summary": summary}
        self.assertEqual(json.loads(json.dumps(results)), results)
        text = self.program.result_table(results)
        self.assertIn("500x1000x2000", text)
        self.assertIn("at least 1.0 within the spread: 1 of 2", text)

    def test_wrong_results_are_never_reached(self):
        wrong = case_of(500, 1000, 2000, [0.002] * 3, [0.001] * 3)
        wrong["contenders"]["bsmm 128x128"]["verified"] = False
        self.program.finish_case(wrong)
        self.assertFalse(wrong["reached"])
        self.assertIsNone(wrong["best"])
        summary = self.program.summarize([wrong])
        self.assertEqual(summary["reached"], 0)
        text = self.program.result_table({"cases": [wrong], "summary": summary})
        self.assertIn("2000!", text)

    def test_what_did_not_run(self):
        case = case_of(500, 1000, 2000, [0.002], [0.001])
        case["contenders"]["cublaslt fast"] = {"kind": "vendor", "error": "no"}
        self.program.finish_case(case)
        self.assertFalse(case["reached"])
        summary = self.program.summarize([case])
        self.assertEqual(summary, {"cases": 0})
        text = self.program.result_table({"cases": [case], "summary": summary})
        self.assertIn("no case with a ratio", text)

    def test_notes_of_ptxas(self):
        notes = program("build_fp8_gemm").performance_notes
        quiet = "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
        self.assertEqual(notes(f"ptxas info: Used 168 registers\n{quiet}"), [])
        spill = "8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads"
        self.assertEqual(notes(f"  {spill}\n{quiet}"), [spill])
        self.assertEqual(len(notes("ptxas warning : setmaxnreg ignored")), 1)


class Predictions(unittest.TestCase):
    def test_table_without_a_gpu(self):
        kernels = [
            {"name": name, "manifest": each, "ptx": simple_gemm.ptx()}
            for name in ("fp8_rows", "fp8_tensor")
            for each in (
                manifest(128, 6), manifest(192, 4), manifest(224, 4), split_in_two(192, 3)
            )
        ]
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.bsmm")
            bsmm.write_artifact(path, kernels)
            with contextlib.redirect_stdout(printed):
                arguments = [path, "--predict", "--scalings", "rows"]
                self.assertEqual(program("fp8_gemm").main(arguments), 0)
        lines = printed.getvalue().splitlines()
        self.assertEqual(
            lines[0].split(),
            "rows 128x128 128x192 128x224 128x192 1 tile k/2 selected".split(),
        )
        selected = {line.split()[0]: line.split()[-1] for line in lines[2:]}
        self.assertEqual(selected["512x3072x12288"], "128x192")
        self.assertEqual(selected["512x12288x3072"], "128x128")
        self.assertEqual(selected["8192x8192x8192"], "128x224")
        self.assertEqual(len(selected), 9)


@needs_numpy
@needs_torch
class InTheEmulator(unittest.TestCase):
    def run_program(self, entry):
        rows = simple_gemm.manifests()[0]
        kernels = [
            {"name": "fp8_rows", "manifest": {**rows, "entry": name}, "ptx": simple_gemm.ptx()}
            for name in (rows["entry"], entry)
        ]
        with tempfile.TemporaryDirectory() as folder:
            path, report = os.path.join(folder, "a.bsmm"), os.path.join(folder, "r.json")
            bsmm.write_artifact(path, kernels)
            arguments = [path, "--emulator", "--scalings", "rows", "--shapes", "16x64x32"]
            arguments += ["--rounds", "2", "--repetitions", "1", "--json", report]
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                code = program("fp8_gemm").main(arguments)
            with open(report, encoding="utf-8") as file:
                return code, json.load(file), printed.getvalue()

    def test_measures_and_verifies(self):
        code, results, text = self.run_program("fp8_rows")
        self.assertEqual(code, 0)
        self.assertEqual(results["schema"], "bsmm.fp8_gemm/1")
        case = results["cases"][0]
        self.assertEqual((case["m"], case["k"], case["n"]), (16, 64, 32))
        ours = [name for name in case["contenders"] if name.startswith("bsmm")]
        self.assertEqual(len(ours), 2)
        for name in ours:
            found = case["contenders"][name]
            self.assertTrue(found["verified"], name)
            self.assertEqual(len(found["ms"]), 2)
            self.assertGreater(found["errors"]["cosine"], 0.9999)
            # Half a unit of bf16 in the largest result, at most.
            errors = found["errors"]
            self.assertLess(errors["absmax"], errors["expected_absmax"] * 2**-8)
        self.assertIn(case["selected"], ours)
        self.assertIn(case["selected"], text)

    def test_finds_wrong_kernels(self):
        code, results, text = self.run_program("fp8_unscaled")
        self.assertEqual(code, 1)
        verified = {
            name: each["verified"]
            for name, each in results["cases"][0]["contenders"].items()
            if "verified" in each
        }
        self.assertEqual(sorted(verified.values()), [False, True])
        self.assertIn("!", text)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs bsmm's lit suite and its unit tests and counts them.

The last line is `check: N passed, N failed` (`, N skipped` may follow). Unit
tests are counted case by case. The exit code is 1 when anything failed, when
nothing ran, or when BSMM_THIRD_PARTY_CASES is set and no test used it.
"""

import argparse
import collections
import glob
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

Counts = collections.namedtuple("Counts", "passed failed skipped")


def add(a, b):
    return Counts(*(x + y for x, y in zip(a, b)))


class ThirdParty:
    """Tests that read the folder of launch cases made by other compilers."""

    def __init__(self):
        self.folder = os.environ.get("BSMM_THIRD_PARTY_CASES", "")
        self.cases = len(glob.glob(os.path.join(self.folder, "*", "launch.json")))
        self.cases = self.cases if self.folder else 0
        self.ran = 0

    def failed(self):
        return bool(self.folder) and (self.cases == 0 or self.ran == 0)

    def describe(self):
        if not self.folder:
            return "third-party cases: 0 ran (BSMM_THIRD_PARTY_CASES is not set)"
        text = f"third-party cases: {self.cases if self.ran else 0} ran, in {self.ran} tests"
        if self.failed():
            text += f"; expected at least one case in {self.folder} and a test that runs it"
        return text


def run_lit(arguments, third_party):
    report = os.path.join(arguments.build_dir, "test", "lit.json")
    if os.path.exists(report):
        os.remove(report)
    command = [arguments.lit, "-v", "--output", report]
    if arguments.jobs:
        command += ["-j", str(arguments.jobs)]
    command.append(os.path.join(arguments.build_dir, "test"))
    status = subprocess.run(command).returncode
    try:
        with open(report, encoding="utf-8") as file:
            tests = json.load(file)["tests"]
    except (OSError, ValueError, KeyError):
        print(f"lit wrote no report (exit code {status})")
        return Counts(0, 1, 0)
    counts = Counts(0, 0, 0)
    reasons = collections.Counter()
    for test in tests:
        code = test["code"]
        if code in ("PASS", "XFAIL", "FLAKYPASS"):
            counts = add(counts, (1, 0, 0))
            if "third-party" in test["name"].lower():
                third_party.ran += 1
        elif code in ("UNSUPPORTED", "EXCLUDED", "SKIPPED"):
            counts = add(counts, (0, 0, 1))
            found = re.search(r"unavailable features: (.*)", test.get("output", ""))
            reasons[f"needs {found[1]}" if found else code.lower()] += 1
        else:
            counts = add(counts, (0, 1, 0))
    for reason, number in sorted(reasons.items()):
        print(f"skipped lit tests: {number} ({reason})")
    # A configuration error fails no single test.
    if status != 0 and counts.failed == 0:
        counts = add(counts, (0, 1, 0))
    return counts


def gtest_counts(path, third_party, reasons):
    counts = Counts(0, 0, 0)
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            counts = add(counts, (0, 1, 0))
            continue
        skipped = case.find("skipped")
        if skipped is not None or case.get("status") == "notrun":
            counts = add(counts, (0, 0, 1))
            message = skipped.get("message", "") if skipped is not None else ""
            # GoogleTest puts the place of GTEST_SKIP on a line before the text.
            lines = [line for line in message.strip().splitlines() if line]
            reasons[lines[-1] if lines else "disabled"] += 1
            continue
        counts = add(counts, (1, 0, 0))
        name = f"{case.get('classname')}.{case.get('name')}".lower()
        if "thirdparty" in name:
            third_party.ran += 1
    return counts


def run_ctest(arguments, third_party):
    folder = os.path.join(arguments.build_dir, "test", "gtest")
    report = os.path.join(arguments.build_dir, "test", "ctest.xml")
    for path in glob.glob(os.path.join(folder, "*.xml")) + [report]:
        if os.path.exists(path):
            os.remove(path)
    environment = dict(os.environ, GTEST_OUTPUT=f"xml:{folder}/")
    command = [
        arguments.ctest,
        "--test-dir",
        arguments.build_dir,
        "--output-on-failure",
        "--timeout",
        "600",
        "--output-junit",
        report,
        "-j",
        str(arguments.jobs or os.cpu_count() or 1),
    ]
    if os.environ.get("BSMM_SLOW") != "1":
        command += ["--label-exclude", "slow"]
    status = subprocess.run(command, env=environment).returncode
    try:
        tests = list(ElementTree.parse(report).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        print(f"ctest wrote no report (exit code {status})")
        return Counts(0, 1, 0)
    counts = Counts(0, 0, 0)
    reasons = collections.Counter()
    for test in tests:
        state = test.get("status")
        own = Counts(0, 0, 0)
        path = os.path.join(folder, f"{test.get('name')}.xml")
        if os.path.exists(path):
            try:
                own = gtest_counts(path, third_party, reasons)
            except ElementTree.ParseError:
                state = "fail"
        if state == "run" and own == (0, 0, 0):
            own = Counts(1, 0, 0)
        elif state in ("notrun", "disabled") and test.find("skipped") is not None:
            own = Counts(0, 1 if state == "notrun" else 0, 1 if state == "disabled" else 0)
        elif state != "run" and own.failed == 0:
            # A crash leaves no report, or one without a failure.
            own = add(own, (0, 1, 0))
        counts = add(counts, own)
    for reason, number in sorted(reasons.items()):
        print(f"skipped unit tests: {number} ({reason})")
    if status != 0 and counts.failed == 0:
        counts = add(counts, (0, 1, 0))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--ctest", default="ctest")
    parser.add_argument("--lit", help="without it only the unit tests run")
    parser.add_argument("--jobs", type=int, default=0)
    arguments = parser.parse_args()
    arguments.build_dir = os.path.abspath(arguments.build_dir)

    third_party = ThirdParty()
    parts = {}
    if arguments.lit:
        print("== lit", flush=True)
        parts["lit"] = run_lit(arguments, third_party)
    print("== unit tests", flush=True)
    parts["unit tests"] = run_ctest(arguments, third_party)

    print("== summary")
    total = Counts(0, 0, 0)
    for name, counts in parts.items():
        total = add(total, counts)
        print(
            f"{name + ':':11} passed {counts.passed}, failed {counts.failed}, "
            f"skipped {counts.skipped}"
        )
    print(third_party.describe())
    if third_party.failed():
        total = add(total, (0, 1, 0))
    line = f"check: {total.passed} passed, {total.failed} failed"
    if total.skipped:
        line += f", {total.skipped} skipped"
    print(line, flush=True)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())

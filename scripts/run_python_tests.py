#!/usr/bin/env python3
"""Runs the tests of the Python package, and reports them as GoogleTest does.

With GTEST_OUTPUT=xml:FOLDER/ a file FOLDER/NAME.xml counts them case by case
for scripts/run_tests.py. Plain `python3 -m unittest discover -s tests -t .` in
the folder python/ runs the same tests.
"""

import argparse
import os
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree


class Result(unittest.TextTestResult):
    """Keeps what happened to each test."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.cases = {}
        self.begin = 0.0

    def startTest(self, test):
        self.begin = time.monotonic()
        self.note(test)
        super().startTest(test)

    def stopTest(self, test):
        self.cases[test.id()]["time"] = f"{time.monotonic() - self.begin:.3f}"
        super().stopTest(test)

    def note(self, test, kind=None, text=""):
        case = self.cases.setdefault(test.id(), {"time": "0", "kind": None, "text": ""})
        # A failure of one part outweighs what happens to the others.
        if kind and case["kind"] != "failure":
            case["kind"], case["text"] = kind, text

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note(test, "failure", self.failures[-1][1])

    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, "failure", self.errors[-1][1])

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "failure", "unexpected success")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped", reason)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.note(test, "failure", f"{subtest}: {error[1]}")


def write_report(path, cases):
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", name="python")
    for name, case in cases.items():
        classname, _, method = name.rpartition(".")
        element = ElementTree.SubElement(
            suite,
            "testcase",
            classname=classname,
            name=method,
            time=case["time"],
            status="notrun" if case["kind"] == "skipped" else "run",
        )
        if case["kind"]:
            child = ElementTree.SubElement(element, case["kind"], message=case["text"])
            child.text = case["text"]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", default="python", help="name of the report")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("pattern", nargs="?", default="test_*.py")
    arguments = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    package = os.path.join(root, "python")
    sys.path.insert(0, package)
    tests = unittest.defaultTestLoader.discover(
        os.path.join(package, "tests"), arguments.pattern, package
    )
    runner = unittest.TextTestRunner(
        stream=sys.stdout,
        resultclass=Result,
        verbosity=2 if arguments.verbose else 1,
    )
    result = runner.run(tests)
    output = os.environ.get("GTEST_OUTPUT", "")
    if output.startswith("xml:") and output.endswith("/"):
        write_report(os.path.join(output[4:], f"{arguments.name}.xml"), result.cases)
    if not result.testsRun:
        print("expected at least one test, got none")
        return 1
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())

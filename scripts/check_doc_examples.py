#!/usr/bin/env python3
"""Runs the examples of the documentation with the programs in PATH.

A fenced block says with its first line what it is:

    ```mlir               a complete module: bsmm-opt must accept it
    ```mlir gemm.mlir     the same, kept under this name for the commands below
    ```mlir fragment      a piece of IR, shown but not run
    ```sh run             commands, run by bash from the root of the source tree
    ```sh run fails       the same, and their exit code must not be 0
    ```python run         Python, which goes on where the page's last such block
                          ended, by the interpreter BSMM_NUMPY_PYTHON
    ```python             shown but not run
    ```text output        what the run above printed, stdout and stderr together
    ```c path/of/file.c   the whole of a file of the source tree (also cpp,
                          python)

In an output, "..." stands for any text inside of a line, and a line of "..."
alone for any number of lines; anything may stand before the first line and
after the last one. Spaces at both ends of a line do not count. Links to files
outside of blocks must lead somewhere.

Each page has a folder of its own, with links to what is in the source tree:
commands see the tree and their files go elsewhere. With --operations the page
is a generated dialect reference instead: the first example of every operation
is put into the place %EXAMPLE% of its section in a file of wrappers, which
gives it its operands, and must be accepted.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(.*)$")
# The Python package of the source tree.
PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


class Block:
    def __init__(self, page, line, info, text):
        self.page, self.line, self.text = page, line, text
        words = info.split()
        self.language = words[0] if words else ""
        self.words = words[1:]

    def place(self):
        return f"{self.page}:{self.line}"


def read_blocks(path, name):
    blocks, info, start, lines = [], None, 0, []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = FENCE.match(line.rstrip("\n"))
            if found and info is None:
                info, start, lines = found[1].strip(), number, []
            elif found and not found[1].strip():
                blocks.append(Block(name, start, info, "".join(lines)))
                info = None
            elif info is not None:
                lines.append(line)
    if info is not None:
        raise ValueError(f"{name}:{start}: expected an end of the block")
    return blocks


def run(command, folder, text=None):
    """Exit code and output of a command."""
    try:
        result = subprocess.run(
            command,
            cwd=folder,
            env=dict(os.environ, PYTHONPATH=PACKAGE, PYTHONDONTWRITEBYTECODE="1"),
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            timeout=600,
        )
    except subprocess.TimeoutExpired:
        return -1, "it did not end within 600 seconds"
    return result.returncode, result.stdout


def line_pattern(line):
    return ".*".join(re.escape(part) for part in line.split("..."))


def find_difference(expected, printed):
    """Why an output is not what a page shows; nothing when it is."""
    rest = [line.strip() for line in printed.splitlines()]
    lines = [line.strip() for line in expected.strip("\n").splitlines()]
    # A line may stand anywhere behind a line of dots, and at the start.
    anywhere, at = True, 0
    for line in lines:
        if line == "...":
            anywhere = True
            continue
        pattern = re.compile(line_pattern(line) + r"\Z")
        places = range(at, len(rest)) if anywhere else range(at, min(at + 1, len(rest)))
        found = next((i for i in places if pattern.match(rest[i])), None)
        if found is None:
            return f"expected the line\n  {line}\nin the output\n{printed}"
        at, anywhere = found + 1, False
    return ""


class Checker:
    def __init__(self):
        self.passed, self.failures = 0, []

    def expect(self, place, reason):
        if reason:
            self.failures.append(f"{place}: {reason}")
        else:
            self.passed += 1

    def check_module(self, place, text, folder):
        status, printed = run(["bsmm-opt", "-", "-o", os.devnull], folder, text)
        self.expect(place, "" if status == 0 else f"bsmm-opt refused it\n{printed}")

    def check_links(self, path, name):
        in_block = False
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                in_block ^= bool(FENCE.match(line))
                for link in LINK.findall(line) if not in_block else []:
                    target = os.path.join(os.path.dirname(path), link)
                    if "://" not in link and not os.path.exists(target):
                        self.failures.append(f"{name}:{number}: {link} is not there")

    def run_python(self, place, session, folder):
        """Runs the last block of a session, after the others without output."""
        python = os.environ.get("BSMM_NUMPY_PYTHON") or sys.executable
        lines = ["import contextlib, io", "with contextlib.redirect_stdout(io.StringIO()):"]
        lines.append(f"    exec({''.join(session[:-1])!r}, globals())")
        lines.append(session[-1])
        status, printed = run([python, "-c", "\n".join(lines)], folder)
        reason = f"expected exit code 0, got {status}\n{printed}" if status else ""
        self.expect(place, reason)
        return printed

    def check_page(self, path, name, root):
        self.check_links(path, name)
        printed, session = None, []
        with tempfile.TemporaryDirectory() as folder:
            for entry in os.listdir(root):
                if not entry.startswith((".", "build")):
                    os.symlink(os.path.join(root, entry), os.path.join(folder, entry))
            for block in read_blocks(path, name):
                if block.language == "mlir" and block.words != ["fragment"]:
                    if block.words:
                        file_name = os.path.join(folder, os.path.basename(block.words[0]))
                        with open(file_name, "w", encoding="utf-8") as file:
                            file.write(block.text)
                    self.check_module(block.place(), block.text, folder)
                elif block.language == "sh" and block.words[:1] == ["run"]:
                    status, printed = run(
                        ["bash", "-c", "set -eo pipefail\n" + block.text], folder
                    )
                    fails = block.words[1:] == ["fails"]
                    reason = ""
                    if (status != 0) != fails:
                        wanted = "an exit code other than 0" if fails else "exit code 0"
                        reason = f"expected {wanted}, got {status}\n{printed}"
                    self.expect(block.place(), reason)
                elif block.language == "python" and block.words == ["run"]:
                    session.append(block.text)
                    printed = self.run_python(block.place(), session, folder)
                elif block.language in ("c", "cpp", "python") and "/" in "".join(
                    block.words[:1]
                ):
                    with open(os.path.join(root, block.words[0]), encoding="utf-8") as file:
                        same = file.read() == block.text
                    reason = "" if same else f"expected the contents of {block.words[0]}"
                    self.expect(block.place(), reason)
                elif block.language == "text" and block.words == ["output"]:
                    if printed is None:
                        reason = "expected a run before its output"
                    else:
                        reason = find_difference(block.text, printed)
                    self.expect(block.place(), reason)

    def check_operations(self, path, name, wrappers_path):
        wrappers = {}
        current = None
        with open(wrappers_path, encoding="utf-8") as file:
            for line in file:
                found = re.match(r"^// OPERATIONS: (.*)$", line)
                if found:
                    current = []
                    for operation in found[1].split():
                        wrappers[operation] = current
                elif current is not None:
                    current.append(line)
        # The example is the first mlir block below the title of an operation.
        titles = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if re.match(r"^###? ", line):
                    found = re.match(r"^### `(bsmm\.\w+)`", line)
                    titles.append((number, found[1] if found else None))
        blocks = [b for b in read_blocks(path, name) if b.language == "mlir"]
        for index, (number, operation) in enumerate(titles):
            if operation is None:
                continue
            end = titles[index + 1][0] if index + 1 < len(titles) else sys.maxsize
            examples = [b for b in blocks if number < b.line < end]
            wrapper = wrappers.pop(operation, None)
            if not examples:
                # One-line examples stand in the text.
                continue
            place = f"{examples[0].place()}: {operation}"
            if wrapper is None:
                self.expect(place, f"expected a section of it in {wrappers_path}")
                continue
            # Aliases must stand outside of all operations.
            text = examples[0].text
            aliases = "".join(re.findall(r"^#.*\n", text, re.M))
            text = re.sub(r"^#.*\n", "", text, flags=re.M)
            module = aliases + "".join(wrapper).replace("%EXAMPLE%", text)
            self.check_module(place, module, ".")
        for operation in wrappers:
            self.failures.append(f"{wrappers_path}: {operation} has no example")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+", metavar="PAGE.md")
    parser.add_argument("--operations", metavar="WRAPPERS")
    arguments = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checker = Checker()
    for page in arguments.pages:
        name = os.path.relpath(page, root)
        try:
            if arguments.operations:
                checker.check_operations(page, name, arguments.operations)
            else:
                checker.check_page(page, name, root)
        except (OSError, ValueError) as error:
            checker.failures.append(str(error))
    for failure in checker.failures:
        print(failure, file=sys.stderr)
    print(f"examples: {checker.passed} passed, {len(checker.failures)} failed")
    return 1 if checker.failures or not checker.passed else 0


if __name__ == "__main__":
    sys.exit(main())

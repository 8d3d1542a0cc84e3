"""The ctypes layer against the headers, as a C compiler reads them."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from . import support
from bsmm import _abi, _library

_INCLUDE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    "include",
)
_HEADERS = ("bsmm_runtime.h", "bsmm_numbers.h")


@unittest.skipUnless(
    shutil.which("cc") and os.path.isdir(_INCLUDE), "needs cc and the source tree"
)
class Layout(unittest.TestCase):
    def test_structures_are_those_of_the_headers(self):
        lines = []
        for name, structure in _abi.STRUCTURES.items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            for field in structure._fields_:
                lines.append(
                    f'printf("{name}.{field[0]} %zu\\n", '
                    f"offsetof({name}, {field[0]}));"
                )
        for name, number in (
            ("BSMM_RUNTIME_VERSION", _abi.VERSION),
            ("BSMM_OK", _abi.OK),
            ("BSMM_NOT_FOUND", 5),
            ("BSMM_LAYOUT_ROWS", _abi.LAYOUT_ROWS),
            ("BSMM_LAYOUT_BLOCKED_128X4", _abi.LAYOUT_BLOCKED),
            ("BSMM_LAYOUT_VECTOR", _abi.LAYOUT_VECTOR),
            ("BSMM_BACKEND_CUDA", _abi.BACKEND_CUDA),
            ("BSMM_REPACK", _abi.LAUNCH_REPACK),
            ("BSMM_PRECISE_SUMS", _abi.LAUNCH_PRECISE_SUMS),
            ("BSMM_INTERNAL_ERROR", max(_library.BY_STATUS)),
            ("BSMM_OVERFLOW_SATURATE", 0),
            ("BSMM_EXPONENT_FLOOR", 0),
            ("BSMM_EXPONENT_ROUND_UP", 1),
        ):
            lines.append(f'printf("{name}={number} %d\\n", (int){name} == {number});')
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "layout.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <stddef.h>\n#include <stdio.h>\n")
                file.writelines(
                    f'#include "bsmm/Runtime/{header}"\n' for header in _HEADERS
                )
                file.write("int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
            program = os.path.join(folder, "layout")
            subprocess.run(
                ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", _INCLUDE]
                + [source, "-o", program],
                check=True,
            )
            printed = subprocess.run(
                [program], check=True, stdout=subprocess.PIPE, text=True
            ).stdout
        found = dict(line.rsplit(" ", 1) for line in printed.splitlines())
        for name, structure in _abi.STRUCTURES.items():
            self.assertEqual(int(found.pop(name)), ctypes.sizeof(structure), name)
            for field in structure._fields_:
                place = f"{name}.{field[0]}"
                self.assertEqual(
                    int(found.pop(place)), getattr(structure, field[0]).offset, place
                )
        self.assertTrue(found)
        self.assertEqual({name for name, same in found.items() if same != "1"}, set())

    def test_functions_have_the_arguments_of_the_headers(self):
        text = ""
        for header in _HEADERS:
            with open(
                os.path.join(_INCLUDE, "bsmm", "Runtime", header), encoding="utf-8"
            ) as file:
                text += file.read()
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        declared = {}
        for result, name, arguments in re.findall(
            r"BSMM_API\s+([\w\s]+?\s*\*?)\s*(bsmm_\w+)\(([^;]*)\);", text
        ):
            arguments = [] if arguments.strip() == "void" else arguments.split(",")
            declared[name] = (" ".join(result.split()), len(arguments))
        by_value = {"bsmm_status": ctypes.c_int32, "int64_t": ctypes.c_int64}
        for name, (result, arguments) in _abi.PROTOTYPES.items():
            self.assertIn(name, declared)
            self.assertEqual(declared[name][1], len(arguments), name)
            if declared[name][0] in by_value:
                self.assertIs(result, by_value[declared[name][0]], name)

    def test_element_types_are_those_of_the_library(self):
        library = _library.library()
        library.bsmm_element_name.restype = ctypes.c_char_p
        for name, number in _abi.ELEMENTS.items():
            self.assertEqual(library.bsmm_element_name(number).decode(), name)
            if name != "none":
                self.assertEqual(
                    library.bsmm_element_bits(number), _abi.ELEMENT_BITS[name]
                )
        library.bsmm_role_name.restype = ctypes.c_char_p
        for number, name in enumerate(_abi.ROLES):
            self.assertEqual(library.bsmm_role_name(number).decode(), name)


class Import(unittest.TestCase):
    def run_python(self, code, **environment):
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        return subprocess.run(
            [sys.executable, "-c", code],
            env=dict(os.environ, PYTHONPATH=root, **environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def test_import_needs_neither_library_nor_numpy_nor_torch(self):
        result = self.run_python(
            "import sys, bsmm; "
            "assert not {'numpy', 'torch'} & set(sys.modules), 'imported'",
            BSMM_RUNTIME_LIBRARY="/nowhere/library.so",
        )
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_a_missing_library_is_explained(self):
        result = self.run_python(
            "import bsmm\nbsmm.cuda_device_count()",
            BSMM_RUNTIME_LIBRARY="/nowhere/library.so",
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("LibraryNotFound", result.stdout)
        self.assertIn("/nowhere/library.so", result.stdout)
        self.assertIn("-DBSMM_RUNTIME_ONLY=ON", result.stdout)

    def test_a_wrong_library_is_explained(self):
        result = self.run_python(
            "import bsmm\nbsmm.cuda_device_count()",
            BSMM_RUNTIME_LIBRARY=__file__,
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("cannot be loaded", result.stdout)

    def test_every_public_name_is_there_and_documented(self):
        import bsmm

        for name in bsmm.__all__:
            if name != "__version__":
                self.assertTrue(getattr(bsmm, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()

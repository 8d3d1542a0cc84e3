"""The package installed with pip, away from the source tree."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from . import support

_PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _has(module):
    return (
        subprocess.run(
            [sys.executable, "-c", f"import {module}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ).returncode
        == 0
    )


@unittest.skipUnless(_has("pip") and _has("setuptools"), "needs pip and setuptools")
class Install(unittest.TestCase):
    def test_pip_install(self):
        with tempfile.TemporaryDirectory() as folder:
            # A copy, so that nothing is built inside of the source tree.
            source = os.path.join(folder, "source")
            shutil.copytree(
                _PYTHON,
                source,
                ignore=shutil.ignore_patterns("tests", "build", "*.egg-info"),
            )
            site = os.path.join(folder, "site")
            result = subprocess.run(
                [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps"]
                + ["--no-build-isolation", "--quiet", "--target", site, source],
                env=dict(os.environ, BSMM_RUNTIME_LIBRARY=support.library_path()),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if "invalid command 'bdist_wheel'" in result.stdout:
                self.skipTest("needs the package wheel, or a newer setuptools")
            self.assertEqual(result.returncode, 0, result.stdout)
            environment = dict(os.environ, PYTHONPATH=site)
            environment.pop("BSMM_RUNTIME_LIBRARY", None)
            printed = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    "import bsmm; print(bsmm.__file__); "
                    "print(bsmm.Device.emulator().info.backend)",
                ],
                env=environment,
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            self.assertEqual(printed.returncode, 0, printed.stdout)
            lines = printed.stdout.split()
            self.assertTrue(lines[0].startswith(site), lines)
            self.assertEqual(lines[1], "emulator")


if __name__ == "__main__":
    unittest.main()

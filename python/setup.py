"""Puts the runtime's shared library into the package.

The library is the one that BSMM_RUNTIME_LIBRARY names, or that of the checkout's
build folder, or it is built here with CMake. Where none of this works the
package is installed without it, and says so when it is used.
"""

import os
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError:
        bdist_wheel = None

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
NAME = "libbsmm_runtime.so"


def build_library(folder):
    """Builds the library with CMake; its file, or None."""
    if not shutil.which("cmake") or not os.path.exists(
        os.path.join(CHECKOUT, "CMakeLists.txt")
    ):
        return None
    configure = ["cmake", "-S", CHECKOUT, "-B", folder]
    configure += ["-DBSMM_RUNTIME_ONLY=ON", "-DBSMM_ENABLE_TESTS=OFF"]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    build = ["cmake", "--build", folder, "--target", "bsmm_runtime"]
    build += ["--parallel", str(os.cpu_count() or 1)]
    try:
        subprocess.run(configure, check=True)
        subprocess.run(build, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"warning: the runtime's library could not be built: {error}")
        return None
    return os.path.join(folder, "lib", NAME)


def find_library(folder):
    """A file with the library, or None."""
    chosen = os.environ.get("BSMM_RUNTIME_LIBRARY")
    if chosen:
        file = os.path.join(chosen, NAME) if os.path.isdir(chosen) else chosen
        if not os.path.exists(file):
            raise SystemExit(
                f"BSMM_RUNTIME_LIBRARY: expected a file or a folder with {NAME}, got "
                f"{chosen}"
            )
        return file
    built = os.path.join(CHECKOUT, "build", "lib", NAME)
    if os.path.exists(built):
        return built
    return build_library(folder)


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            # The checkout's build folder is looked into at run time.
            return
        folder = os.path.join(
            os.path.abspath(self.get_finalized_command("build").build_temp), "runtime"
        )
        library = find_library(folder)
        if library is None:
            print(f"warning: bsmm is installed without {NAME}; see docs/python.md")
            return
        target = os.path.join(self.build_lib, "bsmm", NAME)
        # What the links of versions lead to.
        shutil.copyfile(os.path.realpath(library), target)


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


commands = {"build_py": BuildWithLibrary}
if bdist_wheel is not None:

    class AnyPython(bdist_wheel):
        """The library knows nothing of Python: any version of it will do."""

        def get_tag(self):
            return ("py3", "none", super().get_tag()[2])

    commands["bdist_wheel"] = AnyPython

setup(cmdclass=commands, distclass=WithLibrary)

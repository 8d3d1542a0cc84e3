# The lit suite of bsmm. Tests are .mlir and .test files under test/, one folder
# a part of the tree; the programs of the build come first in PATH.
#
# Features a test may require:
#   ptxas               ptxas of CUDA >= 12.8 is there
#   ptxas-sm_103a       ptxas of CUDA >= 12.9 is there
#   nvdisasm, cuobjdump the tool is there
#   third-party-cases   BSMM_THIRD_PARTY_CASES names a folder of launch cases
#   no-default-cuda     there is no /usr/local/cuda/bin/ptxas
#   numpy               a Python with numpy is there
#   slow                BSMM_SLOW=1 (scripts/check.sh --slow)
#
# Substitutions beside lit's own:
#   %examples           the folder examples/
#   %source_dir         the root of the source tree
#   %tools              the folder of bsmm's programs, for a RUN line that
#                       changes PATH
#   %plugin             BSMMPlugin.so
#   %fake_cuda_driver   a CUDA driver whose GPU is the emulator
#   %numpy_python       Python with numpy; finds bsmm's package and library
#   %ptxas %nvdisasm %cuobjdump   what was found
#   %third_party_cases  the folder of launch cases

import os
import re
import shutil
import subprocess
import sys

import lit.formats
import lit.util

config.name = "bsmm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Unit", "Package", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.bsmm_binary_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.bsmm_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
# A variable of one test function must not leak into the next one, and a check
# prefix that no line uses is a misspelt one.
config.environment["FILECHECK_OPTS"] = (
    "--enable-var-scope --allow-unused-prefixes=false"
)
for name in ("TMPDIR", "CCACHE_DIR", "BSMM_THIRD_PARTY_CASES", "BSMM_SLOW"):
    if os.environ.get(name):
        config.environment[name] = os.environ[name]

# A hanging tool is a failed test.
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 900


def cuda_folders():
    """Where the tools of a CUDA toolkit may be, in the compiler's own order;
    the build folder's own wheels come last."""
    if os.environ.get("CUDA_HOME"):
        yield os.path.join(os.environ["CUDA_HOME"], "bin")
    yield "/usr/local/cuda/bin"
    yield from os.environ.get("PATH", "").split(os.pathsep)
    yield os.path.join(config.bsmm_binary_dir, "cuda", "bin")


def cuda_version(tool):
    try:
        text = subprocess.run(
            [tool, "--version"], capture_output=True, text=True, timeout=60
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"release (\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def find_cuda_tool(name):
    """The first tool of CUDA >= 12.8, its version, and why there is none."""
    reason = f"{name} is not in CUDA_HOME, /usr/local/cuda or PATH"
    for folder in cuda_folders():
        tool = shutil.which(name, path=folder) if folder else None
        version = cuda_version(tool) if tool else None
        if not version:
            continue
        if version >= (12, 8):
            return tool, version, ""
        reason = f"{tool} is of CUDA {version[0]}.{version[1]}, older than 12.8"
    return None, None, reason


if os.environ.get("CUDA_HOME"):
    config.environment["CUDA_HOME"] = os.environ["CUDA_HOME"]
for name in ("ptxas", "nvdisasm", "cuobjdump"):
    tool, version, reason = find_cuda_tool(name)
    config.substitutions.append((f"%{name}", tool or name))
    if not tool:
        lit_config.note(f"tests that need {name} are UNSUPPORTED: {reason}")
        continue
    config.available_features.add(name)
    if name == "ptxas":
        # bsmm-translate looks there first, so that it takes this very ptxas.
        folder = os.path.dirname(tool)
        if os.path.basename(folder) == "bin":
            config.environment["CUDA_HOME"] = os.path.dirname(folder)
        if version >= (12, 9):
            config.available_features.add("ptxas-sm_103a")

if not os.path.exists("/usr/local/cuda/bin/ptxas"):
    config.available_features.add("no-default-cuda")

# The Python package, as a user of the source tree has it.
config.environment["BSMM_RUNTIME_LIBRARY"] = config.bsmm_runtime_library
config.environment["BSMM_NUMPY_PYTHON"] = config.bsmm_numpy_python
config.environment["PYTHONPATH"] = os.path.join(config.bsmm_source_dir, "python")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
if lit.util.which(config.bsmm_numpy_python) and not subprocess.call(
    [config.bsmm_numpy_python, "-c", "import numpy"], stderr=subprocess.DEVNULL
):
    config.available_features.add("numpy")

cases = os.environ.get("BSMM_THIRD_PARTY_CASES", "")
if cases and os.path.isdir(cases):
    config.available_features.add("third-party-cases")
if os.environ.get("BSMM_SLOW") == "1":
    config.available_features.add("slow")

config.substitutions += [
    ("%python", sys.executable),
    ("%numpy_python", config.bsmm_numpy_python),
    ("%examples", os.path.join(config.bsmm_source_dir, "examples")),
    ("%source_dir", config.bsmm_source_dir),
    ("%tools", config.bsmm_tools_dir),
    ("%plugin", config.bsmm_plugin),
    (
        "%fake_cuda_driver",
        os.path.join(config.bsmm_binary_dir, "lib", "libBSMMFakeCudaDriver.so"),
    ),
    ("%third_party_cases", cases),
]

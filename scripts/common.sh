# Functions that the scripts share. Sourced, not run.

unset jobs # of the environment: scripts that have --jobs set a default

heading() { printf '\n== %s\n' "$*"; }
say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# parse_options ARGUMENTS...: --build-dir sets `build`; --jobs sets `jobs` in
# scripts that have a default for it; --help calls `usage`. Other options are the
# script's own: `own_option OPTION` takes one or returns 1.
parse_options() {
  while [ $# -gt 0 ]; do
    case $1 in
    --build-dir)
      [ $# -gt 1 ] || fail "--build-dir expects a folder"
      build=$2
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      if [ "$1" = --jobs ] && [ -n "${jobs:-}" ]; then
        [ $# -gt 1 ] || fail "--jobs expects a number"
        jobs=$2
        shift
      else
        own_option "$1" || fail "unknown option '$1' (see --help)"
      fi
      ;;
    esac
    shift
  done
  case ${jobs-1} in
  '' | *[!0-9]* | 0) fail "--jobs expects a number, got '$jobs'" ;;
  esac
}
own_option() { return 1; }

# make_build_folder: `build` exists, and is absolute.
make_build_folder() {
  mkdir -p "$build"
  build=$(cd "$build" && pwd)
}

# Prints "MAJOR.MINOR" of a CUDA tool; nothing when it can't be run.
cuda_version() {
  "$1" --version 2>/dev/null |
    sed -n 's/.*release \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | sed -n 1p
}

# cuda_is_recent VERSION: CUDA 12.8 is the first that knows sm_100a.
cuda_is_recent() {
  [ -n "$1" ] && [ "$(printf '%s\n12.8\n' "$1" | sort -V | sed -n 1p)" = 12.8 ]
}

# find_cuda_tool NAME: prints the first one of CUDA >= 12.8 in CUDA_HOME,
# /usr/local/cuda and PATH.
find_cuda_tool() {
  local candidate
  for candidate in ${CUDA_HOME:+"$CUDA_HOME/bin/$1"} "/usr/local/cuda/bin/$1" \
    "$(command -v "$1" || true)"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ] &&
      cuda_is_recent "$(cuda_version "$candidate")"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# configure_build BUILD OPTIONS...: quiet unless it fails or warns.
configure_build() {
  local build=$1
  shift
  cmake -G Ninja -S "$root" -B "$build" "$@" >"$build/configure.log" 2>&1 || {
    cat "$build/configure.log" >&2
    fail "CMake could not configure $build"
  }
  grep -A 4 -E '^CMake Warning' "$build/configure.log" || true
}

# print_versions BUILD: what the results were made with.
print_versions() {
  local cache=$1/CMakeCache.txt compiler mlir tool found
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$cache")
  mlir=$(sed -n 's/^MLIR_DIR:[A-Z]*=//p' "$cache")
  say "system:   $(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-unknown}")"
  say "LLVM:     $(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$mlir/MLIRConfigVersion.cmake") ($mlir)"
  say "compiler: $("$compiler" --version | sed -n 1p)"
  say "CMake:    $(cmake --version | sed -n 's/cmake version //p'), Ninja $(ninja --version)"
  for tool in ptxas nvdisasm cuobjdump; do
    if found=$(find_cuda_tool "$tool"); then
      say "$tool: CUDA $(cuda_version "$found") ($found)"
    else
      say "$tool: none; tests that need it are UNSUPPORTED"
    fi
  done
}

#!/usr/bin/env bash
# Installs what bsmm needs to be built and tested. See --help.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/common.sh"

usage() {
  cat <<'EOF'
usage: scripts/bootstrap.sh [--build-dir DIR] [--check]

Installs what bsmm needs, and nothing that is there already:
  - Debian packages (LLVM/MLIR 22.1, CMake, Ninja, g++, ...) with apt-get,
    through sudo when not root. Debian 12 has LLVM 22 in its security suite;
    that source is added when apt does not know it.
  - ptxas, nvdisasm and cuobjdump: those of CUDA >= 12.8 in CUDA_HOME,
    /usr/local/cuda or PATH are used; missing ones come as PyPI wheels into
    DIR/venv. Without them everything works but cubins.
Writes DIR/environment.sh, which the other scripts read.

  --build-dir DIR   the build folder (default: build)
  --check           install nothing; say what is missing, exit 1 if anything
EOF
}

build=$root/build
check_only=false
own_option() {
  case $1 in
  --check) check_only=true ;;
  *) return 1 ;;
  esac
}
parse_options "$@"
make_build_folder

# zlib and zstd are for LLVM's CMake package, which looks for them.
packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  cmake ninja-build g++ ccache
  libgtest-dev nlohmann-json3-dev python3 python3-venv python3-numpy
  zlib1g-dev libzstd-dev
)

# One CUDA minor version for all three; 13.2 is the first with all as wheels.
wheel_version=13.2.78
wheel_ptxas=nvidia-cuda-nvcc
wheel_nvdisasm=nvidia-cuda-nvdisasm
wheel_cuobjdump=nvidia-cuda-cuobjdump

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root or sudo: $*"
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 -q "$@" \
    >>"$build/packages.log" 2>&1 || {
    tail -n 40 "$build/packages.log" >&2
    fail "apt-get $* failed (all of its output is in $build/packages.log)"
  }
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" \
      != installed ]; then
      printf '%s\n' "$package"
    fi
  done
}

has_candidate() {
  local policy
  policy=$(apt-cache policy "$1" 2>/dev/null) || return 1
  grep -q 'Candidate: [^(]' <<<"$policy"
}

# Debian's security suite, for a system that apt has no security source of. It
# lies beside the archive on the mirror that the system uses already.
add_security_source() {
  local codename=$1 mirror line
  mirror=$(apt-cache policy |
    sed -nE "s#^ *[0-9]+ (https?://[^ ]*)/debian/? $codename/main .*#\\1#p" |
    head -n 1)
  [ -n "$mirror" ] ||
    fail "LLVM 22 is in Debian's suite $codename-security; add it to the sources of apt"
  line="deb $mirror/debian-security $codename-security main"
  say "adding Debian's security suite, which has LLVM 22 (in" \
    "/etc/apt/sources.list.d/bsmm-debian-security.list): $line"
  printf '%s\n' "$line" |
    as_root tee /etc/apt/sources.list.d/bsmm-debian-security.list >/dev/null
  apt update
}

install_debian_packages() {
  local missing id codename
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} = 0 ]; then
    say "packages: all ${#packages[@]} are installed"
    return
  fi
  say "packages that are missing: ${missing[*]}"
  if $check_only; then
    incomplete=true
    return
  fi
  : >"$build/packages.log"
  apt update
  id=$(. /etc/os-release && printf '%s' "${ID:-}")
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  if ! has_candidate libmlir-22-dev && [ "$id" = debian ] &&
    [ -n "$codename" ]; then
    add_security_source "$codename"
  fi
  has_candidate libmlir-22-dev ||
    fail "this system's package sources have no libmlir-22-dev; bsmm needs LLVM/MLIR 22.1 (Debian 12, Debian 13, or a source that has the packages ${packages[*]:0:4})"
  say "installing them with apt-get (log: $build/packages.log)"
  apt install -y --no-install-recommends "${missing[@]}"
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} = 0 ] || fail "still missing: ${missing[*]}"
}

# Elsewhere nothing is installed: the programs must be there.
check_other_system() {
  local program missing=()
  for program in cmake ninja c++ python3; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  say "this is not a Debian system: nothing is installed here"
  say "bsmm needs LLVM and MLIR 22.1 as shared libraries with their CMake" \
    "packages, lit and FileCheck of the same version, CMake >= 3.22, Ninja, a" \
    "C++17 compiler, GoogleTest, nlohmann-json and Python 3"
  say "CMake finds MLIR through -DMLIR_DIR=.../lib/cmake/mlir (see" \
    "docs/building.md)"
  if [ ${#missing[@]} != 0 ]; then
    fail "not found: ${missing[*]}"
  fi
}

install_wheels() {
  local python=$build/venv/bin/python tool wheels=() names=("$@")
  for tool in "${names[@]}"; do
    local variable=wheel_$tool
    wheels+=("${!variable}==$wheel_version")
  done
  say "installing ${wheels[*]} from PyPI into $build/venv"
  if [ ! -x "$python" ]; then
    python3 -m venv "$build/venv" || return 1
  fi
  "$python" -m pip install --quiet --disable-pip-version-check --retries 2 \
    --no-deps "${wheels[@]}" || return 1
}

# Where the wheels put their programs; nothing without wheels.
wheel_folder() {
  local folder
  for folder in "$build"/venv/lib/python3*/site-packages/nvidia/cu*/bin; do
    if [ -d "$folder" ]; then
      dirname "$folder"
      return
    fi
  done
}

find_cuda_tools() {
  local tool found missing=() home folder
  : >"$build/environment.sh"
  for tool in ptxas nvdisasm cuobjdump; do
    if found=$(find_cuda_tool "$tool"); then
      say "$tool: $found (CUDA $(cuda_version "$found"))"
      # The compiler takes CUDA_HOME first: name the one that was chosen, in
      # case an older one comes before it.
      if [ "$tool" = ptxas ] && [ "$found" != "/usr/local/cuda/bin/ptxas" ]; then
        home=$(dirname "$(dirname "$found")")
        printf 'export CUDA_HOME=%q\n' "$home" >>"$build/environment.sh"
      fi
    else
      missing+=("$tool")
    fi
  done
  [ ${#missing[@]} != 0 ] || return 0

  local absent=()
  folder=$(wheel_folder)
  for tool in "${missing[@]}"; do
    [ -n "$folder" ] && [ -x "$folder/bin/$tool" ] || absent+=("$tool")
  done
  if [ ${#absent[@]} != 0 ]; then
    say "not found (CUDA >= 12.8 in CUDA_HOME, /usr/local/cuda or PATH):" \
      "${absent[*]}"
    if $check_only; then
      incomplete=true
    elif ! install_wheels "${absent[@]}"; then
      say "note: the wheels could not be installed; what needs" \
        "${absent[*]} is left out, everything else works"
    fi
    folder=$(wheel_folder)
  fi
  [ -n "$folder" ] || return 0
  ln -sfn "$folder" "$build/cuda"
  for tool in "${missing[@]}"; do
    if [ -x "$folder/bin/$tool" ]; then
      say "$tool: $build/cuda/bin/$tool (CUDA" \
        "$(cuda_version "$folder/bin/$tool"), PyPI wheel)"
      if [ "$tool" = ptxas ]; then
        printf 'export CUDA_HOME=%q\n' "$build/cuda" >>"$build/environment.sh"
      fi
    fi
  done
  printf 'export PATH="$PATH":%q\n' "$build/cuda/bin" >>"$build/environment.sh"
}

incomplete=false
heading "bootstrap"
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  install_debian_packages
else
  check_other_system
fi
find_cuda_tools
if $incomplete; then
  exit 1
fi

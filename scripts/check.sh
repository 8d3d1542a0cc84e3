#!/usr/bin/env bash
# Sets up, builds and tests everything. See --help.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/common.sh"

usage() {
  cat <<'EOF'
usage: scripts/check.sh [--slow] [--build-dir DIR] [--jobs N]

Installs what is missing (scripts/bootstrap.sh), builds bsmm and runs all of its
tests. The last line counts them; the exit code is 0 when all passed.

  --slow            also run the tests that take long (BSMM_SLOW=1)
  --build-dir DIR   the build folder (default: build)
  --jobs N          compile and test with N jobs (default: one a core)

BSMM_THIRD_PARTY_CASES may name a folder of launch cases that other compilers
made; then at least one of them must run.
EOF
}

build=$root/build
jobs=$(nproc 2>/dev/null || echo 2)
while [ $# -gt 0 ]; do
  case $1 in
  --slow) export BSMM_SLOW=1 ;;
  --build-dir)
    [ $# -gt 1 ] || fail "--build-dir expects a folder"
    build=$2
    shift
    ;;
  --jobs)
    [ $# -gt 1 ] || fail "--jobs expects a number"
    jobs=$2
    shift
    ;;
  -h | --help)
    usage
    exit 0
    ;;
  *) fail "unknown option '$1' (see --help)" ;;
  esac
  shift
done
case $jobs in '' | *[!0-9]* | 0) fail "--jobs expects a number, got '$jobs'" ;; esac
mkdir -p "$build"
build=$(cd "$build" && pwd)

bash "$root/scripts/bootstrap.sh" --build-dir "$build"
. "$build/environment.sh"

heading "configure ($build)"
configure_build "$build" -DBSMM_ENABLE_TESTS=ON -DBSMM_REQUIRE_ALL_TESTS=ON
print_versions "$build"

heading "build ($jobs jobs)"
ninja -C "$build" -j "$jobs" all bsmm-test-depends ||
  fail "the build failed (above)"

heading "test"
status=0
lit=$(sed -n 's/^BSMM_LIT:[A-Z]*=//p' "$build/CMakeCache.txt")
case $lit in
*NOTFOUND | '') fail "expected lit (Debian: llvm-22-tools), got none" ;;
esac
python3 "$root/scripts/run_tests.py" --build-dir "$build" --lit "$lit" \
  --jobs "$jobs" || status=$?
exit $status

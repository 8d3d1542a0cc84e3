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
own_option() {
  case $1 in
  --slow) export BSMM_SLOW=1 ;;
  *) return 1 ;;
  esac
}
parse_options "$@"
make_build_folder

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

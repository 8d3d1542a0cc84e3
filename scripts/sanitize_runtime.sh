#!/usr/bin/env bash
# The runtime's tests and examples under sanitizers. See --help.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/common.sh"

usage() {
  cat <<'EOF'
usage: scripts/sanitize_runtime.sh [--thread] [--build-dir DIR] [--jobs N]

Builds the half without LLVM with the address and undefined-behaviour sanitizers
and runs what the runtime has: the unit tests of manifests, artifacts (truncated
at every byte, with flipped bytes), tensor maps, numbers, the C ABI in the
emulator and on the fake driver; the C, C++ and Python examples; bsmm-launch;
and the Python package's tests, for which the sanitizers are preloaded.

  --thread          the thread sanitizer instead, with what uses threads
  --build-dir DIR   the build folder (default: build-asan, build-tsan)
  --jobs N          compile with N jobs (default: one a core)

BSMM_TEST_PYTHON names a Python with numpy; default: python3. The exit code is 0
when every part is clean.
EOF
}

kind=address,undefined
build=
jobs=$(nproc 2>/dev/null || echo 2)
own_option() {
  case $1 in
  --thread) kind=thread ;;
  *) return 1 ;;
  esac
}
parse_options "$@"
[ "$kind" = thread ] && default=build-tsan || default=build-asan
build=${build:-$root/$default}
make_build_folder
python=${BSMM_TEST_PYTHON:-python3}
kernels=$root/test/Unit/Runtime/Kernels
bin=$build/bin
failed=0 parts=0

# part NAME COMMAND...: a finding of a sanitizer ends a program with an error.
part() {
  local name=$1 start=$SECONDS
  shift
  parts=$((parts + 1))
  if "$@" >"$build/part.log" 2>&1; then
    printf '%-34s clean (%d s)\n' "$name" $((SECONDS - start))
  else
    printf '%-34s FAILED (%d s)\n' "$name" $((SECONDS - start))
    failed=$((failed + 1))
    cp "$build/part.log" "$build/failed-$failed.log"
    # The first finding, or else the end.
    { grep -m 1 -A 25 -E 'ERROR: |WARNING: ThreadSanitizer|runtime error:' "$build/part.log" ||
      tail -n 25 "$build/part.log"; } | cut -c1-200 | sed 's/^/    /'
  fi
}

heading "configure and build ($build, $kind)"
configure_build "$build" -DBSMM_RUNTIME_ONLY=ON -DBSMM_SANITIZE="$kind"
tests=(BSMMRuntimeTests BSMMRuntimeLibraryTests BSMMRuntimeNumbersTests BSMMRuntimeCudaTests)
targets=("${tests[@]}" bsmm-launch)
# Elsewhere there is one thread.
[ "$kind" = thread ] ||
  targets+=(BSMMCrossCheckTests bsmm-hardware-check bsmm-example-c bsmm-example-cpp)
ninja -C "$build" -j "$jobs" "${targets[@]}" >"$build/build.log" 2>&1 || {
  tail -n 30 "$build/build.log"
  fail "the build failed (above)"
}

export ASAN_OPTIONS=detect_stack_use_after_return=1:check_initialization_order=1:strict_init_order=1:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
fake=$(find "$build" -name 'libBSMMFakeCudaDriver.so' | sed -n 1p)
artifact=$build/kernels.bsmm

heading "run"
part pack "$bin/bsmm-launch" pack -o "$artifact" "$kernels/scale_tma.json" \
  "$kernels/gemm_fp8.json" "$kernels/count_rows.json"
filter='*'
[ "$kind" = thread ] && filter='*Thread*:HostGemm*:KernelCheck*:RuntimeLibrary.*:CudaBackend.*'
for name in "${targets[@]}"; do
  case $name in
  BSMM*) part "$name" "$build/test/Unit/$name" --gtest_brief=1 --gtest_filter="$filter" ;;
  esac
done
part "bsmm-launch, threads" "$bin/bsmm-launch" run "$artifact" --kernel=gemm_fp8 \
  --device=emulator -M 130 -N 70 -K 160 --alpha=0.75 --threads=4 --quiet
if [ "$kind" != thread ]; then
  for device in emulator cuda; do
    for example in c cpp; do
      part "example-$example, $device" env BSMM_CUDA_DRIVER="$fake" \
        "$bin/bsmm-example-$example" "$artifact" "$device"
    done
  done
  part "bsmm-launch, fake driver" env BSMM_CUDA_DRIVER="$fake" "$bin/bsmm-launch" run \
    "$artifact" --kernel=gemm_fp8 --device=cuda --shapes=33x20x48x2,1x1x16 --bench \
    --repetitions=3 --json="$build/times.json" --quiet
  part "bsmm-launch, lazy" "$bin/bsmm-launch" run "$artifact" --kernel=scale_tma \
    --device=emulator --mode=lazy --strict -M 33 -N 72 -K 72 --alpha=0.5 --no-verify --quiet
  part "random tensor maps" env BSMM_CUDA_DRIVER="$fake" "$bin/bsmm-hardware-check" maps \
    3000 1 "$build/maps.json"
  part "random boxes" env BSMM_CUDA_DRIVER="$fake" "$bin/bsmm-hardware-check" boxes 64 1 \
    "$build/boxes.json" "$root/test/Hardware/tma_boxes_sm90a.ptx"
fi
if "$python" -c "import numpy" 2>/dev/null; then
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
  preload=
  for library in $([ "$kind" = thread ] && echo tsan || echo asan ubsan); do
    preload="$preload $("$compiler" -print-file-name="lib$library.so")"
  done
  # The interpreter itself keeps memory to its end. torch brings a copy of the
  # C++ library's exceptions that the sanitizers' does not go with.
  [ "$kind" = thread ] && pattern='test_kernel.py' || pattern='test_*.py'
  part "Python package" env LD_PRELOAD="$preload" PYTHONDONTWRITEBYTECODE=1 \
    ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" BSMM_TEST_WITHOUT_TORCH=1 \
    BSMM_RUNTIME_LIBRARY="$build/lib/libbsmm_runtime.so" \
    "$python" "$root/scripts/run_python_tests.py" "$pattern"
else
  say "Python package: left out, $python has no numpy (BSMM_TEST_PYTHON)"
fi
echo "$parts parts, $failed with findings"
[ $failed -eq 0 ]

#!/usr/bin/env bash
# Checks the runtime on a real GPU: builds it without LLVM, runs the examples,
# compares our rules of tensor maps with the driver's, reads and writes boxes
# through random maps and compares with the emulator, runs kernels and compares
# with float64 and the emulator, looks for lost memory, and runs the tests of the
# Python package. One failing part does not stop the next.
#
#   scripts/gpu_runtime_check.sh [--parts=NAME,...] [FOLDER]
#
# --parts runs only these parts, by their names in summary.json or what stands
# before "-NUMBER" (boxes: boxes-1 to boxes-4). Set-up (configure, build, pack)
# always runs.
#
# Results go to FOLDER (default: $OUT, or gpu-runtime-check): log.txt,
# summary.json and the JSON of each part. Needs g++, CMake and the headers of
# nlohmann-json: those of the system, or a folder in BSMM_JSON_INCLUDE or
# .deps/include. Exit code 0 when every part is good.
#
# A machine without the compiler gets its FP8 kernels as an artifact:
# BSMM_FP8_ARTIFACT, default .deps/fp8.bsmm, with the families fp8_gemm (of
# examples/fp8_gemm.mlir) and fp8_rows_slow (of benchmark/fp8_rows_slow.mlir).
# Without it those parts are left out, and the log says so.

set -u
root=$(cd "$(dirname "$0")/.." && pwd)
parts= out=
for argument in "$@"; do
  case $argument in
    --parts=?*) parts=${argument#--parts=} ;;
    -*) echo "expected --parts=NAME,... and a folder, got $argument" >&2; exit 2 ;;
    *) out=$argument ;;
  esac
done
out=${out:-${OUT:-gpu-runtime-check}}
mkdir -p "$out"
out=$(cd "$out" && pwd)
log=$out/log.txt
build=${BSMM_CHECK_BUILD:-/tmp/bsmm-gpu-check}
kernels=$root/test/Unit/Runtime/Kernels
: >"$log"
names=() codes=() seconds=()

# Whether --parts asks for it.
wanted() {
  case $1 in configure | build | pack) return 0 ;; esac
  case ",$parts," in ,, | *",$1,"* | *",${1%-[0-9]*},"*) return 0 ;; esac
  return 1
}

# part NAME SECONDS COMMAND...: runs one part with a time limit.
part() {
  local name=$1 limit=$2 start=$SECONDS code
  wanted "$name" || return 0
  shift 2
  printf '\n=== %s: %s\n' "$name" "$*" >>"$log"
  # timeout runs programs; the functions below are exported.
  [ "$(type -t "$1")" = function ] && set -- bash -c '"$@"' bash "$@"
  timeout -k 5 "$limit" "$@" >"$build/part.log" 2>&1
  code=$?
  # Long outputs are cut in the middle.
  if [ "$(wc -c <"$build/part.log")" -gt 400000 ]; then
    { head -c 200000 "$build/part.log"; printf '\n[...]\n'
      tail -c 200000 "$build/part.log"; } >>"$log"
  else
    cat "$build/part.log" >>"$log"
  fi
  printf '=== %s: exit code %d after %d s\n' "$name" $code $((SECONDS - start)) >>"$log"
  printf '%-24s %s (%d s)\n' "$name" \
    "$([ $code -eq 0 ] && echo good || echo "FAILED, exit code $code")" $((SECONDS - start))
  [ $code -eq 0 ] || tail -n 5 "$build/part.log" | cut -c1-300 | sed 's/^/    /'
  names+=("$name") codes+=($code) seconds+=($((SECONDS - start)))
  return $code
}

# Both results must be the same bytes.
same_bits() {
  local kernels=$1 first=$build/gpu.bin second=$build/emulator.bin
  shift
  "$build/bin/bsmm-launch" run "$kernels" --quiet --device=cuda --output="$first" "$@" &&
    "$build/bin/bsmm-launch" run "$kernels" --quiet --device=emulator --output="$second" "$@" &&
    cmp "$first" "$second"
}

# The tests of the Python package take long and need little of the GPU: they run
# beside the other parts.
start_python() {
  rm -f "$build/python.code"
  {
    timeout -k 5 280 "$python" "$root/test/Hardware/python_check.py" --out "$out" \
      --library "$build/lib/libbsmm_runtime.so" "$@" >"$build/python.log" 2>&1
    echo $? >"$build/python.code"
  } &
}
finish_python() {
  until [ -s "$build/python.code" ]; do sleep 1; done
  cat "$build/python.log"
  return "$(cat "$build/python.code")"
}

find_json() {
  for folder in "${BSMM_JSON_INCLUDE:-}" "$root/.deps/include" /usr/include /usr/local/include; do
    [ -n "$folder" ] && [ -f "$folder/nlohmann/json.hpp" ] && { echo "$folder"; return; }
  done
}

mkdir -p "$build"
{ date; uname -a; nvidia-smi; nvcc --version; g++ --version; cmake --version; } >>"$log" 2>&1

# A CMake package for headers that came without one.
json=$(find_json)
if [ -z "$json" ]; then
  echo "expected nlohmann/json.hpp in BSMM_JSON_INCLUDE, .deps/include or /usr/include" | tee -a "$log"
fi
mkdir -p "$build/json"
cat >"$build/json/nlohmann_jsonConfig.cmake" <<CMAKE
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
set_target_properties(nlohmann_json::nlohmann_json PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "$json")
CMAKE

configure() {
  local generator=()
  command -v ninja >/dev/null && generator=(-G Ninja)
  cmake "${generator[@]}" -S "$root" -B "$build" -DBSMM_RUNTIME_ONLY=ON \
    -DBSMM_ENABLE_TESTS=OFF -DBSMM_HARDWARE_CHECKS=ON \
    -DBSMM_NLOHMANN_JSON_INCLUDE="$json" -Dnlohmann_json_DIR="$build/json"
}
export build root json
export -f configure same_bits finish_python
part configure 60 configure
part build 400 cmake --build "$build" -j "$(nproc)" --target \
  bsmm-launch bsmm-hardware-check bsmm-example-c bsmm-example-cpp \
  bsmm-example-fp8-c bsmm-example-fp8-cpp bsmm_runtime

launch=$build/bin/bsmm-launch
checker=$build/bin/bsmm-hardware-check
artifact=$build/kernels.bsmm
part devices 30 "$launch" devices
part pack 30 "$launch" pack -o "$artifact" "$kernels/scale_tma.json" \
  "$kernels/gemm_fp8.json" "$kernels/count_rows.json"
part example-c 60 "$build/bin/bsmm-example-c" "$artifact" cuda
part example-cpp 60 "$build/bin/bsmm-example-cpp" "$artifact" cuda

part maps 60 "$checker" maps 60000 1 "$out/maps.json"
# Several processes: a fault of the GPU ends one of them only.
for seed in 1 2 3 4; do
  part "boxes-$seed" 60 "$checker" boxes 2000 $seed "$out/boxes-$seed.json" \
    "$root/test/Hardware/tma_boxes_sm90a.ptx"
done
part lifetime 60 "$checker" lifetime 100 "$artifact" "$out/lifetime.json"

fp8=${BSMM_FP8_ARTIFACT:-$root/.deps/fp8.bsmm}
python=${BSMM_TEST_PYTHON:-python3}
has_python=false
if "$python" -c "import torch" 2>>"$log"; then
  has_python=true
  wanted python && start_python $([ -f "$fp8" ] && echo --artifact "$fp8")
else
  echo "Python package: left out, $python has no torch" | tee -a "$log"
fi

part gemm-shapes 60 "$launch" run "$artifact" --kernel=gemm_fp8 --device=cuda \
  --shapes=1x1x16,33x70x144x2,128x128x256,257x511x1000,1024x1024x1024x2 --alpha=0.75
part gemm-exact 60 "$launch" run "$artifact" --kernel=gemm_fp8 --device=cuda \
  --shapes=64x96x4096,200x136x8192 --distribution=exact
part gemm-repacked 60 "$launch" run "$artifact" --kernel=gemm_fp8 --device=cuda \
  -M 100 -N 60 -K 333 --pitch-a=337 --pitch-b=335 --pitch-d=61 --repack
part gemm-bench 60 "$launch" run "$artifact" --kernel=gemm_fp8 --device=cuda --bench \
  --shapes=512x512x512,1024x1024x1024 --json="$out/bench.json"
part scale-bench 60 "$launch" run "$artifact" --kernel=scale_tma --device=cuda --bench \
  --no-verify -M 4096 -N 8192 -K 8192 --alpha=0.5
part workspace 60 "$launch" run "$artifact" --kernel=count_rows --device=cuda \
  --no-verify -M 1000 -N 200 -K 0
part same-bits-gemm 120 same_bits "$artifact" --kernel=gemm_fp8 -M 70 -N 90 -K 208 --seed=7
part same-bits-scale 60 same_bits "$artifact" --kernel=scale_tma -M 70 -N 136 -K 136 --seed=8 --no-verify --alpha=1.7

# Kernels of the compiler: the examples of the documentation, every
# configuration by its index, and the emulator's bits of wgmma.
if [ -f "$fp8" ]; then
  part fp8-example-c 60 "$build/bin/bsmm-example-fp8-c" "$fp8" cuda
  part fp8-example-cpp 60 "$build/bin/bsmm-example-fp8-cpp" "$fp8" cuda
  $has_python && part fp8-example-python 90 env PYTHONPATH="$root/python" \
    BSMM_RUNTIME_LIBRARY="$build/lib/libbsmm_runtime.so" \
    "$python" "$root/examples/runtime/fp8_gemm.py" "$fp8" cuda
  part fp8-selected 90 "$launch" run "$fp8" --kernel=fp8_gemm --device=cuda --bench \
    --shapes=512x12288x3072,1152x3072x12288,300x264x400 --json="$out/fp8.json"
  index=0
  while [ $index -lt "$("$launch" inspect "$fp8" | grep -c '"manifest"')" ]; do
    part "fp8-kernel-$index" 60 "$launch" run "$fp8" --index=$index --device=cuda \
      --shapes=1x8x16,300x264x400,512x1024x3072
    part "fp8-bits-$index" 90 same_bits "$fp8" --index=$index -M 130 -N 136 -K 400 --seed=$index
    index=$((index + 1))
  done
else
  echo "FP8 kernels: left out, $fp8 is not there" | tee -a "$log"
fi
if command -v compute-sanitizer >/dev/null; then
  [ -f "$fp8" ] && part fp8-memcheck 90 compute-sanitizer --tool memcheck --error-exitcode 9 \
    "$launch" run "$fp8" --kernel=fp8_gemm --device=cuda -M 130 -N 136 -K 400 --no-verify
  part memcheck 90 compute-sanitizer --tool memcheck --error-exitcode 9 "$launch" run \
    "$artifact" --kernel=gemm_fp8 --device=cuda -M 50 -N 70 -K 80 --no-verify
fi
$has_python && part python 300 finish_python

{
  printf '{\n "parts": [\n'
  for i in "${!names[@]}"; do
    printf '  {"name": "%s", "exit_code": %d, "seconds": %d}%s\n' "${names[$i]}" \
      "${codes[$i]}" "${seconds[$i]}" "$([ "$i" -lt $((${#names[@]} - 1)) ] && echo ,)"
  done
  printf ' ]\n}\n'
} >"$out/summary.json"
# At most eight files: the parts of boxes become one.
if command -v python3 >/dev/null; then
  python3 - "$out" <<'PYTHON'
import glob, json, os, sys

out = sys.argv[1]
boxes = []
for path in sorted(glob.glob(os.path.join(out, "boxes-*.json"))):
    with open(path) as file:
        boxes.append(json.load(file))
    os.remove(path)
with open(os.path.join(out, "boxes.json"), "w") as file:
    json.dump(boxes, file, indent=1)
PYTHON
fi
for asked in ${parts//,/ }; do
  for name in "${names[@]}"; do
    [ "$asked" = "$name" ] || [ "$asked" = "${name%-[0-9]*}" ] && continue 2
  done
  names+=("$asked") codes+=(2)
  echo "$asked: no part of this name ran" | tee -a "$log"
done
failed=0
for code in "${codes[@]}"; do [ "$code" -eq 0 ] || failed=$((failed + 1)); done
echo "${#names[@]} parts, $failed failed"
[ $failed -eq 0 ]

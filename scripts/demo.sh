#!/usr/bin/env bash
# Builds bsmm and takes an NVFP4 GEMM from IR to a result. See --help.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/common.sh"

usage() {
  cat <<'EOF'
usage: scripts/demo.sh [--build-dir DIR] [--jobs N]

Installs what is missing (scripts/bootstrap.sh), builds the three programs it
needs and shows examples/nvfp4_gemm.mlir on its way: the IR, the layout proof,
the PTX, the cubin, and the result on random data. Every step checks that it
made what it shows; the exit code is 0 when all did. No GPU is needed.
EOF
}

build=$root/build
jobs=$(nproc 2>/dev/null || echo 2)
parse_options "$@"
make_build_folder

bash "$root/scripts/bootstrap.sh" --build-dir "$build"
. "$build/environment.sh"

heading "build bsmm-opt, bsmm-translate, bsmm-run ($jobs jobs)"
[ -f "$build/build.ninja" ] || configure_build "$build"
ninja -C "$build" -j "$jobs" bsmm-opt bsmm-translate bsmm-run ||
  fail "the build failed (above)"
opt=$build/bin/bsmm-opt
translate=$build/bin/bsmm-translate
run=$build/bin/bsmm-run

example=$root/examples/nvfp4_gemm.mlir
work=$build/demo
rm -rf "$work"
mkdir -p "$work"

heading "the IR: examples/nvfp4_gemm.mlir (abridged)"
"$opt" "$example" -o "$work/parsed.mlir" || fail "bsmm-opt refused the example"
grep -q 'bsmm.scaled_dot' "$work/parsed.mlir" ||
  fail "the example has no scaled dot"
# Without comments and index arithmetic.
sed -n '/bsmm\.kernel/,/bsmm\.return/p' "$example" |
  grep -vE '^ *(//|$)|= (arith\.(constant|[a-z]*i|index_cast)|gpu\.)' |
  sed 's/^    //'

heading "the layout proof: bsmm-opt --bsmm-verify-layouts=print=true"
"$opt" --mlir-print-op-on-diagnostic=false \
  --bsmm-verify-layouts=print=true "$example" -o /dev/null 2>"$work/proof.txt" ||
  { cat "$work/proof.txt" >&2; fail "the layouts are not proved"; }
sed -n 's/.*remark: proved: /proved: /p' "$work/proof.txt"
proofs=$(grep -c 'remark: proved: ' "$work/proof.txt" || true)
[ "$proofs" -ge 4 ] ||
  fail "expected proofs for A, B and both scales, got $proofs"

heading "the PTX's key instructions: bsmm-translate --bsmm-to-ptx"
"$translate" --bsmm-to-ptx "$example" -o "$work/nvfp4_gemm.ptx" ||
  fail "no PTX was made"
say "$(grep -E '^\.(version|target)' "$work/nvfp4_gemm.ptx" | paste -sd' '), $(wc -l <"$work/nvfp4_gemm.ptx") lines"
grep -oE '^[[:space:]]*(@%p[0-9]+[[:space:]]+)?(tcgen05|cp\.async\.bulk|mbarrier)[a-z0-9_.:]*' \
  "$work/nvfp4_gemm.ptx" | sed -E 's/^[[:space:]]*(@%p[0-9]+[[:space:]]+)?//' |
  sort | uniq -c >"$work/instructions.txt"
cat "$work/instructions.txt"
for form in 'tcgen05\.mma\..*block_scale' 'tcgen05\.cp\.' 'tcgen05\.ld\.' \
  'tcgen05\.commit\.' 'cp\.async\.bulk\.tensor\.5d\.shared' \
  'cp\.async\.bulk\.tensor\.3d\.global' 'mbarrier\.try_wait'; do
  grep -q "$form" "$work/instructions.txt" ||
    fail "the PTX has no instruction of the form $form"
done

# assemble FILE NAME KERNELS...: a line for the cubin and for every kernel.
assemble() {
  local log=$work/$2.ptxas.txt cubin=$work/$2.cubin kernel source=$1
  "$translate" --bsmm-to-cubin "$source" -o "$cubin" 2>"$log" ||
    { cat "$log" >&2; fail "no cubin was made of $source"; }
  # A cubin is an ELF file.
  [ "$(od -An -tx1 -N4 "$cubin" | tr -d ' \n')" = 7f454c46 ] ||
    fail "$cubin is not a cubin"
  say "$(basename "$cubin"): $(wc -c <"$cubin") bytes"
  shift 2
  for kernel in "$@"; do
    # What ptxas says of one kernel, from its name to the next one's.
    awk -v name="$kernel" '
      /Compiling entry function/ { mine = index($0, "\047" name "\047") }
      mine && match($0, /[0-9]+ bytes stack frame.*/) { stack = substr($0, RSTART) }
      mine && match($0, /Used [0-9]+ registers/) { used = substr($0, RSTART + 5, RLENGTH - 5) }
      END { if (used == "") exit 1; printf "  %s: %s, %s\n", name, used, stack }
    ' "$log" || fail "ptxas reported no registers of $kernel"
  done
}

heading "the cubin: bsmm-translate --bsmm-to-cubin"
if ptxas=$(find_cuda_tool ptxas); then
  say "ptxas of CUDA $(cuda_version "$ptxas"), sm_100a"
  assemble "$example" nvfp4_gemm nvfp4_gemm
else
  say "ptxas of CUDA >= 12.8 is not there: no cubin, PTX only"
fi

shapes=$root/examples/nvfp4_shapes.mlir
heading "products of whole tensors, three shapes: examples/nvfp4_shapes.mlir"
kernels=(gemm_128x7168x16384 gemm_128x4096x7168 gemm_128x7168x2048)
"$opt" --bsmm-problem-to-tile=chip=sm_100a "$shapes" \
  -o "$work/shapes.mlir" || fail "no kernels were made of $shapes"
if [ -n "$ptxas" ]; then
  assemble "$work/shapes.mlir" nvfp4_shapes "${kernels[@]}"
else
  "$translate" --bsmm-to-ptx "$work/shapes.mlir" -o "$work/shapes.ptx" ||
    fail "no PTX was made of $shapes"
  for kernel in "${kernels[@]}"; do
    grep -q "\.entry $kernel" "$work/shapes.ptx" ||
      fail "the PTX has no kernel $kernel"
    say "$kernel: compiled to PTX"
  done
fi

# result BACKEND WHAT: runs 128x512x1024 on random operands.
result() {
  heading "$2: bsmm-run --backend=$1, M = 128, N = 512, K = 1024"
  "$run" "$example" --backend="$1" -M 128 -N 512 -K 1024 \
    --output="$work/$1.npy" | tee "$work/$1.txt" ||
    fail "bsmm-run --backend=$1 failed"
  grep -q '^against float64: ' "$work/$1.txt" || fail "no errors were printed"
  # D is [1, 128, 512] f16 after a header of at least 10 bytes.
  [ "$(wc -c <"$work/$1.npy")" -ge $((128 * 512 * 2 + 10)) ] ||
    fail "the output has the wrong size"
}
result reference "its meaning on the CPU"
result emulator "its PTX in the emulator"

# Float64 sums rounded once, and f32 sums in the tensor core's order, may
# differ in the last bit; how often is worth seeing.
differing=$(cmp -l "$work/reference.npy" "$work/emulator.npy" | wc -l || true)
say "bytes of the output that differ between the two: $differing of $((128 * 512 * 2))"

heading "done"
say "everything that was made is in $work"

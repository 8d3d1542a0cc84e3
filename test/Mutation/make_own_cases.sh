#!/bin/sh
# Makes the launch cases of bsmm's own kernels that are scored
# (docs/mutation-testing.md). usage: make_own_cases.sh FOLDER
set -eu
here=$(dirname "$0")
inputs=$here/../Integration/Inputs
make() { # name, input, extents and options
  name=$1 input=$2
  shift 2
  case $input in */*) ;; *) input=$inputs/$input.mlir ;; esac
  python3 "$here/make_case.py" "$input" "$folder/$name" "$@"
}
folder=$1

examples=$here/../../examples

# All have a tail of K that ends inside of a scale tile.
# Two slots, a CTA for each tile.
make own-nvfp4 nvfp4 -M 256 -N 128 -K 1040 \
  --tile "block-n=128 block-k=256 stages=2 persistent=false"
# Six tiles a CTA with tails of M and N, three slots, two accumulators.
make own-nvfp4-persistent nvfp4 -M 200 -N 264 -K 784 --sms 1 \
  --tile "block-n=128 block-k=256 stages=3"
# One slot: every load waits for the multiplication before it.
make own-nvfp4-one-stage nvfp4 -M 256 -N 320 -K 272 --sms 1 \
  --tile "block-n=192 block-k=128 stages=1"
# 8-bit elements, four scale ids, narrow tiles.
make own-mxfp8 mxfp8 -M 200 -N 136 -K 416 --sms 1 \
  --tile "block-n=64 block-k=128 stages=2"
# Scales of 32 values in the fp4 kind with two scale ids.
make own-mxfp4 mxfp4 -M 128 -N 768 -K 544 --sms 1 \
  --tile "block-n=256 block-k=256 stages=2"
# Hopper: wgmma, a producer warpgroup and two of consumers, scales for each row,
# four tiles a CTA.
make own-fp8 "$examples/fp8_gemm.mlir" -M 200 -N 136 -K 208 --chip sm_90a --sms 1 \
  --tile "block-m=128 block-n=128 block-k=64 stages=2"
# The steps of a tile shared by a pair of CTAs, which add their sums through
# distributed shared memory.
make own-fp8-split "$examples/fp8_gemm.mlir" -M 72 -N 136 -K 400 --chip sm_90a --sms 2 \
  --tile "block-m=64 block-n=128 block-k=64 stages=2 split-k=2 persistent=false"

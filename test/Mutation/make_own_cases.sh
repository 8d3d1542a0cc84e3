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

fp8=$here/../../examples/fp8_gemm.mlir

# All have a tail of K, most of M and N, and few tiles and steps: a case takes
# seconds.

# NVFP4 for Blackwell. Two slots, a CTA for each tile.
make own-nvfp4 nvfp4 -M 256 -N 128 -K 1040 \
  --tile "block-n=128 block-k=256 stages=2 persistent=false"
# Six tiles a CTA with tails of M and N, three slots, two accumulators.
make own-nvfp4-persistent nvfp4 -M 200 -N 264 -K 784 --sms 1 \
  --tile "block-n=128 block-k=256 stages=3"
# One slot: every load waits for the multiplication before it.
make own-nvfp4-one-stage nvfp4 -M 256 -N 320 -K 272 --sms 1 \
  --tile "block-n=192 block-k=128 stages=1"
# The steps of a tile shared by six CTAs, of which the last one has none, and
# which add their sums through distributed shared memory.
make own-nvfp4-split nvfp4 -M 72 -N 192 -K 2448 \
  --tile "block-n=96 block-k=128 stages=2 persistent=false split-k=6"
# 128 rows of B times 64 of A, stored transposed.
make own-nvfp4-swap nvfp4 -M 72 -N 264 -K 528 --sms 1 \
  --tile "block-m=64 block-n=128 block-k=256 stages=2 swap-operands=true"
# Two warpgroups drain.
make own-nvfp4-eight-warps nvfp4 -M 136 -N 200 -K 528 --sms 1 \
  --tile "block-n=128 block-k=256 stages=2 epilogue-warps=8"
# Two accumulators that share columns, an output tile of four pieces.
make own-nvfp4-overlap nvfp4 -M 72 -N 776 -K 272 --sms 1 \
  --tile "block-n=256 block-k=128 stages=2"
# Four pieces by way of two slots.
make own-nvfp4-pieces nvfp4-f32 -M 136 -N 136 -K 528 --sms 1 \
  --tile "block-n=128 block-k=256 stages=2"
# One warp loads and multiplies, and drains a tile with the others when it has
# multiplied the next one; loads run ahead over the border of tiles.
make own-nvfp4-joined nvfp4 -M 136 -N 200 -K 528 --sms 1 --tile \
  "block-n=128 block-k=256 stages=2 tile-stages=2 specialize=none flatten=true"
# One warp loads and one multiplies, which join for the epilogue.
make own-nvfp4-k-loop nvfp4 -M 136 -N 200 -K 528 --sms 1 \
  --tile "block-n=128 block-k=256 stages=2 specialize=k-loop flatten=true"
# Tiles of 48 columns, which begin anywhere in a tile of scales.
make own-nvfp4-narrow nvfp4 -M 136 -N 200 -K 528 --sms 1 \
  --tile "block-n=48 block-k=256 stages=2"
# A launch that begins while the one before it runs.
make own-nvfp4-dependent nvfp4 -M 136 -N 136 -K 528 --sms 1 \
  --tile "block-n=128 block-k=256 stages=2 dependent-launch=true"
# Pairs of CTAs that load B and its scales once for both and release slots by
# commits that arrive in both; an odd number of rows of tiles, two for each CTA.
make own-nvfp4-cluster-m nvfp4 -M 264 -N 136 -K 784 --sms 2 \
  --tile "block-n=128 block-k=256 stages=2 cluster-m=2"
# The same with A, whose scales, one tile, each CTA loads on its own.
make own-nvfp4-cluster-n nvfp4 -M 136 -N 136 -K 208 --sms 2 \
  --tile "block-n=64 block-k=64 stages=2 cluster-n=2"
# 8-bit elements, four scale ids, narrow tiles.
make own-mxfp8 mxfp8 -M 200 -N 136 -K 416 --sms 1 \
  --tile "block-n=64 block-k=128 stages=2"
# Scales of 32 values in the fp4 kind with two scale ids.
make own-mxfp4 mxfp4 -M 128 -N 768 -K 544 --sms 1 \
  --tile "block-n=256 block-k=256 stages=2"

# FP8 for Hopper: wgmma, a producer warpgroup and two of consumers, scales for
# each row, four tiles a CTA.
make own-fp8 "$fp8" -M 200 -N 136 -K 208 --chip sm_90a --sms 1 \
  --tile "block-m=128 block-n=128 block-k=64 stages=2"
# A CTA for each tile, whose output is staged where the operands were.
make own-fp8-tile "$fp8" -M 200 -N 136 -K 208 --chip sm_90a \
  --tile "block-m=128 block-n=128 block-k=64 stages=2 persistent=false"
# The steps of a tile shared by a pair of CTAs.
make own-fp8-split "$fp8" -M 72 -N 136 -K 400 --chip sm_90a --sms 2 \
  --tile "block-m=64 block-n=128 block-k=64 stages=2 split-k=2 persistent=false"
# Two warpgroups with a tile each, an odd number of tiles and of slots.
make own-fp8-ping-pong "$fp8" -M 136 -N 72 -K 400 --chip sm_90a --sms 1 \
  --tile "block-m=64 block-n=64 block-k=128 stages=3 ping-pong=true"
# Pairs of CTAs that load B once for both.
make own-fp8-cluster "$fp8" -M 200 -N 136 -K 144 --chip sm_90a --sms 2 \
  --tile "block-m=64 block-n=64 block-k=64 stages=2 cluster-m=2"
# f32 scales of 1x128 and 128x128 blocks: two steps before the loop, two in it and
# one behind it.
make own-fp8-blocks fp8-blocks -M 136 -N 200 -K 624 --chip sm_90a --sms 1 \
  --tile "block-m=128 block-n=96 block-k=128 stages=2"
# An output of 8 bits.
make own-fp8-out fp8-out -M 136 -N 208 -K 144 --chip sm_90a --sms 1 \
  --tile "block-m=128 block-n=96 block-k=64 stages=2"
# CTAs that add their part of the steps to the output in global memory.
make own-fp8-add fp8-f32 -M 72 -N 136 -K 400 --chip sm_90a --sms 3 \
  --tile "block-m=64 block-n=64 block-k=64 stages=2 split-k=2 add-splits=true"

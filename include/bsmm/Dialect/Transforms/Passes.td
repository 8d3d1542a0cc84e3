//===- Passes.td - passes from bsmm to bsmm ----------------*- tablegen -*-===//

#ifndef BSMM_DIALECT_TRANSFORMS_PASSES_TD
#define BSMM_DIALECT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def BsmmVerifyLevel : Pass<"bsmm-verify-level"> {
  let summary = "check that all bsmm operations belong to one level";
  let description = [{
    Refuses operations of another level than `level`, wherever they are. A
    pipeline states with it what it expects and what it guarantees.

    Example: `bsmm-opt --bsmm-verify-level=level=tile kernel.mlir`
  }];
  let options = [
    Option<"level", "level", "std::string", "\"tile\"",
           "problem, tile or pipeline">
  ];
}

def BsmmVerifyScales : Pass<"bsmm-verify-scales"> {
  let summary = "refuse operations that would lose the order of scales";
  let description = [{
    A tensor with the encoding `#bsmm.scales<...>` has its bytes in an order that
    its shape does not tell. Operations of other dialects that slice, reshape,
    compute with or cast such a tensor to another order are refused; calls,
    branches and loops hand it on.

    Example: `tensor.cast` from `linear` to `blocked_128x4` is refused, because
    no byte would move; `bsmm.pack_scales` is the way.
  }];
}

def BsmmVerifyLayouts : Pass<"bsmm-verify-layouts"> {
  let summary = "prove that every scaled dot reads what was loaded for it";
  let description = [{
    Follows the operands of each `bsmm.scaled_dot` and `bsmm.dot` back through `reshape`,
    `trans` and `extract_rows` to their loads, composes the chain into one
    layout and compares it with what the tensor core reads. A chain that is not
    that layout is refused with both layouts and the first coordinate that
    differs. With `print`, each proof is printed as a remark.

    Example: a chain

    ```mlir
    %1 = bsmm.reshape %0 : tensor<1x1x4x2x256xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
    %2 = bsmm.trans %1 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN> to tensor<1x4x32x4x4xf8E4M3FN>
    %3 = bsmm.reshape %2 : tensor<1x4x32x4x4xf8E4M3FN> to tensor<128x16xf8E4M3FN>
    ```

    is `(4,32)x(4,4) : (4,16)x(512,1)`, which is what
    `tcgen05.cp.32x128b.warpx4` and the MMA read.
  }];
  let options = [
    Option<"print", "print", "bool", "false", "print each proof as a remark">
  ];
}

def BsmmProblemToTile : Pass<"bsmm-problem-to-tile", "::mlir::ModuleOp"> {
  let summary = "scaled_matmul on whole tensors to tile-level kernels";
  let description = [{
    Replaces every function that is one `bsmm.scaled_matmul` of its arguments
    (through `bsmm.view_scales`) by a tile-level kernel of the same name in the
    gpu.module `kernels`. Extents, pitches and batch are run-time arguments of
    the kernel, in the order of the launch schema (docs/abi.md); the options
    choose the tile, the walk over output tiles and the way of storing.

    Block scales must be in `blocked_128x4` order. K may be any number that the
    packing of the operands allows: the TMA unit fills what is missing with
    zeros, and scales of missing groups are neutralised (`limit_k`). Without
    block scales the kernel multiplies with `bsmm.dot`; `promote_every` of the
    numerics must then be 0 or `block-k`.

    With `choose-tile` block-m, block-n, block-k, split-k, cluster-m, cluster-n,
    epilogue-warps, persistent and swap-operands are chosen for the extents of
    each function, which must be fixed, by the model of docs/selection.md. The kernel takes other extents all
    the same.

    The epilogue is that of docs/abi.md: row scales (of both operands, both of
    one value or both of one for each row), alpha, beta * C, a bias, relu or silu
    and out_scale, each where the operation has it. With beta = 0 at run time C is
    not read.

    Example:

    ```mlir
    func.func @gemm(%a: tensor<128x1024xf4E2M1FN>, ...) -> tensor<128x512xf16> {
      %d = bsmm.scaled_matmul ins(...) outs(...) -> tensor<128x512xf16>
      return %d : tensor<128x512xf16>
    }
    ```

    becomes

    ```mlir
    gpu.module @kernels {
      bsmm.kernel @gemm(%a: !bsmm.tensor_map<1x128x256xf4E2M1FN> {bsmm.role = #bsmm.role<a>}, ...)
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"",
           "target of a module that states none, e.g. sm_100a">,
    Option<"blockM", "block-m", "int64_t", "128",
           "rows of an output tile: 128; without block scales 64, 128, 192 or "
           "256; with swap-operands as block-n else">,
    Option<"blockN", "block-n", "int64_t", "128",
           "columns of an output tile: a multiple of 16 up to 256">,
    Option<"blockK", "block-k", "int64_t", "256",
           "elements of K of a step: a multiple of 4 groups of scales up to "
           "4096; without block scales of 32 bytes, up to 1024 elements">,
    Option<"group", "group", "int64_t", "4",
           "tile rows that are walked together, 1 to 65536">,
    Option<"groupAll", "group-all", "bool", "false",
           "all tile rows together where A fills at most a third of the L2 "
           "cache, so that B is read from memory once">,
    Option<"persistent", "persistent", "bool", "true",
           "walk over output tiles instead of one CTA for each">,
    Option<"stages", "stages", "int64_t", "0",
           "slots of the load channel, 1 to 64; 0 for as many as fit">,
    Option<"tileStages", "tile-stages", "int64_t", "0",
           "accumulators in tensor memory that take turns with the tiles of a "
           "persistent kernel, as many as it holds; 0 for one or two, what suits "
           "the other options">,
    Option<"specialize", "specialize", "std::string", "\"default\"",
           "the loop whose work is shared out over roles: tile-loop, k-loop or "
           "none; default is tile-loop in a persistent kernel, and k-loop in "
           "others">,
    Option<"flatten", "flatten", "bool", "false",
           "loads run ahead over the border of tiles, as if the loops over "
           "tiles and over K were one; with roles that walk over the tiles they "
           "do so anyway. Needs persistent=true">,
    Option<"splitK", "split-k", "int64_t", "1",
           "CTAs of a cluster that share the steps along K of one tile, 1 to 8; "
           "more than 1 needs persistent=false or add-splits">,
    Option<"addSplits", "add-splits", "bool", "false",
           "the CTAs of split-k, up to 1024, add their sums to the output in "
           "global memory in any order, without a cluster; for an output of f32 "
           "without beta, bias and activation">,
    Option<"pingPong", "ping-pong", "bool", "false",
           "two warpgroups with an output tile each, one of which multiplies "
           "while the other one stores; needs persistent=true and no block "
           "scales">,
    Option<"clusterM", "cluster-m", "int64_t", "1",
           "CTAs of a cluster, with output tiles below each other, that load "
           "their common part of B once, 1 to 8">,
    Option<"clusterN", "cluster-n", "int64_t", "1",
           "the same with output tiles beside each other and A; not together "
           "with cluster-m">,
    Option<"epilogueWarps", "epilogue-warps", "int64_t", "4",
           "warps that drain accumulators in tensor memory, 4 or 8">,
    Option<"cacheA", "cache-a", "std::string", "\"normal\"",
           "hint to the L2 cache for A and its scales: normal, evict_first or "
           "evict_last">,
    Option<"cacheB", "cache-b", "std::string", "\"normal\"",
           "the same for B">,
    Option<"chooseTile", "choose-tile", "bool", "false",
           "choose the tile, split-k, cluster-m, cluster-n, epilogue-warps, "
           "persistent and swap-operands for the extents of the function; for "
           "block scales on targets with tensor memory">,
    Option<"swapOperands", "swap-operands", "bool", "false",
           "multiply the rows of B with those of A, and store the transposed "
           "sum: for few rows of A, since a multiplication has 128 rows and may "
           "have fewer columns. Needs block scales and block-n 128; block-m is a "
           "multiple of 16 up to 256">,
    Option<"predicatedStore", "predicated-store", "bool", "false",
           "store element by element, for outputs without 16-byte alignment">,
    Option<"dependentLaunch", "dependent-launch", "bool", "false",
           "let a launch begin while the one before it in its stream still "
           "runs; the kernel waits for that one before it reads or writes "
           "global memory">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def BsmmTileToPipeline : Pass<"bsmm-tile-to-pipeline"> {
  let summary = "tile-level kernels to the pipeline level";
  let description = [{
    Gives a tile-level kernel its asynchronous form.

    On targets with tensor memory (`bsmm.scaled_dot`) one warp loads the tiles
    of each step of the K loop into the slots of a channel, one warp issues the
    matrix operations, and a warpgroup drains the accumulator through the
    elementwise epilogue to the output. In a kernel that loops over output
    tiles, each of the three roles has its own loop over them and its own warps;
    where tensor memory holds two accumulators, perhaps with some columns in
    common, the next tile is multiplied while the last one is drained. The
    output tile passes through shared memory in pieces of a swizzle's width,
    narrower ones where the stages leave little room. In other kernels loading and multiplying are
    work of two warps of the draining warpgroup, which join for the epilogue.
    `bsmm.warp_specialize = true` on the loop over K gives a kernel that loops
    over output tiles the latter form in each tile; where a loop has the
    attribute and neither has `true`, one warp loads and multiplies, with loads
    so many steps ahead as slots allow. `bsmm.flatten` on the loop over output
    tiles: in these forms loads run ahead over the border of tiles, too.
    `bsmm.stages` on the loop over output tiles: so many accumulators, which
    tensor memory must hold beside the scales (two may share columns); with N of
    them, warps that join drain a tile when they have multiplied the next N - 1.
    `bsmm.split` on the K loop: as
    many CTAs of a cluster share its steps, and each adds, in the order of their
    ranks, what the others send it of its columns. Where the sum is transposed
    right behind the K loop, the accumulator's rows are columns of the output
    tile. `bsmm.epilogue_warps = 8` on
    the K loop: two warpgroups drain, each half of the columns, and get registers
    from that of the other two roles.

    On targets with wgmma (`bsmm.dot`) one or two consumer warpgroups multiply
    into their registers and drain them, and one thread of a last warpgroup
    loads. Each step is issued before the last one is waited for, so that slots
    are released one step late; with `promote_every` each step is a sum of its
    own that is added in f32, while the next one is multiplied where two of them
    fit the registers. The output tile passes through shared memory in
    pieces of a swizzle's width. `bsmm.split` on the K loop: as many CTAs of a
    cluster share its steps and add their sums. `bsmm.ping_pong` on the loop over
    output tiles: two consumer warpgroups with a tile each, one of which
    multiplies while the other one drains. Loads of a loop over output tiles that
    are the same in all CTAs of a cluster are shared out over them and sent to
    all (multicast).

    The number of slots is the K loop's `bsmm.stages`, or as many as shared
    memory holds, at most 8.

    The kernel must consist of a K loop around `bsmm.scaled_dot` or `bsmm.dot`,
    elementwise operations on its result, on what the epilogue loads and on
    scalars, and one store, optionally inside of one loop over output tiles;
    anything else is refused with the reason.

    Example:

    ```mlir
    %acc = scf.for %step = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
      %a_box = bsmm.tma_load %a[%l, %m, %k] : ...
      ...
      %next = bsmm.scaled_dot %a_tile scales %sfa_tile, %b_tile scales %sfb_tile, %sum : ...
      scf.yield %next : tensor<128x128xf32>
    }
    bsmm.tma_store %out, %d[%l, %m, %n] : ...
    ```

    becomes

    ```mlir
    bsmm.warp_role 0 {
      bsmm.leader {
        scf.for ... {
          %slot:4 = bsmm.acquire %loads[%i] : ...
          bsmm.load_async %a[%l, %m, %k] to %slot#0 signals %loads[%i] : ...
          ...
          bsmm.commit %loads[%i] : ...
        }
      }
    }
    bsmm.warp_role 1 {
      %accumulator = bsmm.acquire %results[%tile] : ...
      scf.for ... {
        %slot:4 = bsmm.wait %loads[%i] : ...
        bsmm.leader {
          bsmm.copy_scales %slot#1 to %sfa : ...
          bsmm.copy_scales %slot#3 to %sfb : ...
          bsmm.scaled_mma %slot#0 scales %sfa, %slot#2 scales %sfb, %accumulator accumulate %is_not_first : ...
          bsmm.release %loads[%i] : ...
        }
      }
      bsmm.leader {
        bsmm.commit %results[%tile] : ...
      }
    }
    %sum = bsmm.wait %results[%tile] : ...
    bsmm.drain %sum columns 32 { ... }
    bsmm.release %results[%tile] : ...
    ```
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

def BsmmVerifyChannels : Pass<"bsmm-verify-channels"> {
  let summary = "prove the protocol of every channel";
  let description = [{
    Checks, without running anything, that the two sides of every channel keep
    in step:

    * a channel has one place where slots are acquired and committed, and one
      where they are waited for and released, each pair in one block and with
      the same iteration; or its consumer takes the first step before a loop
      that releases each slot one step late, in a branch taken when there is a
      step; or the first steps of several before a loop of whole trips of so
      many, and those that fill no trip one by one after it;
    * both places run through the same iterations: loops with the same bounds
      around them, counting from the same value in steps of one;
    * a slot filled by transactions gets exactly one copy for each of its
      buffers, so that the bytes announced are the bytes delivered;
    * the buffers of a slot and parts of them are used only while the slot is
      held; when it is given away, multiplications into registers and copies to
      global memory that read it have been waited for, and what the tensor core
      reads or writes by itself is given away by `mma_commit`;
    * a buffer over the slots of a channel is used after a barrier of all its
      consumers behind their last release, or after a result that was committed
      behind the last release by `mma_commit`;
    * as many threads or warps arrive as the channel's arrivals say;
    * a warp that has both sides of a channel does first what it waits for: in
      each trip it waits for slots that it has filled, and fills slots that it
      has released;
    * a producer that runs ahead over the end of a trip of an outer loop fills
      at most the slots that are free before the consumer's next trip.

    Example: a channel whose consumer forgets to release is refused with
    "expected a bsmm.release after the wait".
  }];
}

def BsmmAssignMemory : Pass<"bsmm-assign-memory"> {
  let summary = "give buffers and barriers their places";
  let description = [{
    Places the slots of all channels, the other buffers and the barriers in
    dynamic shared memory, each aligned to its swizzle pattern, and the
    accumulators and scales in tensor memory; records the sums on the kernel.
    Buffers over the slots of a channel lie there, one after the other. What does
    not fit the target, or the slots, is refused with the sums.

    Example: the channel

    ```mlir
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads>
        : !bsmm.channel<3, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
    ```

    gets 49152 bytes for its slots, and its six barriers after them:

    ```mlir
    %0 = bsmm.create_channel producer = <transaction>, consumer = <threads>
        {barrier_offset = 49152 : i64, offsets = array<i64: 0>, slot_stride = 16384 : i64}
        : !bsmm.channel<3, !bsmm.buffer<128x64xf16, shared, swizzle_128B>>
    ```
  }];
}

def BsmmCarryRemainders : Pass<"bsmm-carry-remainders"> {
  let summary = "counters instead of remainders in loops";
  let description = [{
    A value that an scf.for counts up by a constant and of which its body takes
    the remainder or the quotient by a constant at least as large, such as the
    slot and the phase of a channel: the loop carries remainder and quotient as
    well; so with its counter, where that begins at 0 or more. Those of a value
    ahead by less than the divisor follow from them, and of one as much before,
    in a branch that is taken from so many trips on. Powers of two are left
    alone.

    Example:

    ```mlir
    scf.for %k = %lower to %upper step %step iter_args(%i = %init) -> (i32) : i32 {
      %slot = arith.remui %i, %c5 : i32
      ...
    ```

    becomes

    ```mlir
    %first = arith.remui %init, %c5 : i32
    ...
    scf.for %k = %lower to %upper step %step iter_args(%i = %init, %slot = %first, %round = ...) -> (i32, i32, i32) : i32 {
      ...
      %next = arith.addi %slot, %c1 : i32
      %wraps = arith.cmpi eq, %next, %c5 : i32
      %next_slot = arith.select %wraps, %c0, %next : i32
    ```

    Since version 1.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def BsmmSkipDivisions : Pass<"bsmm-skip-divisions"> {
  let summary = "branches around divisions whose quotient is 0";
  let description = [{
    An unsigned quotient or remainder by a value that is no constant becomes a
    branch: no division where the dividend is smaller than the divisor. A
    quotient and a remainder of the same values in a block are one division.
    What finds the place of an output tile from its number divides by numbers
    that mostly are larger: the tiles of a batch, those of a group that has all
    rows.

    Example:

    ```mlir
    %batch = arith.divui %tile, %tiles : i32
    ```

    becomes

    ```mlir
    %divides = arith.cmpi uge, %tile, %tiles : i32
    %batch = scf.if %divides -> (i32) {
      %quotient = arith.divui %tile, %tiles : i32
      scf.yield %quotient : i32
    } else {
      scf.yield %c0 : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // BSMM_DIALECT_TRANSFORMS_PASSES_TD

//===- BsmmPipelineOps.td - explicit asynchrony, memory and channels ---*- tablegen -*-===//

#ifndef BSMM_DIALECT_IR_BSMMPIPELINEOPS_TD
#define BSMM_DIALECT_IR_BSMMPIPELINEOPS_TD

include "bsmm/Dialect/IR/BsmmTypes.td"
include "bsmm/Dialect/IR/BsmmInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Bsmm_PipelineOp<string mnemonic, list<Trait> traits = []>
    : Bsmm_Op<mnemonic, traits # [Bsmm_LevelOpInterface]> {
  code levelDeclaration = [{
    static ::bsmm::Level getLevel() { return ::bsmm::Level::Pipeline; }
  }];
  let extraClassDeclaration = levelDeclaration;
}

def Bsmm_AllocOp : Bsmm_PipelineOp<"alloc"> {
  let summary = "memory that lives as long as the CTA";
  let description = [{
    A buffer in shared or tensor memory outside of any channel. `offset` is its
    place (bytes of dynamic shared memory, or columns of tensor memory), given
    by `bsmm-assign-memory`.

    Example:

    ```mlir
    %0 = bsmm.alloc : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    ```

    With `over` the buffer lies in shared memory where the slots of a channel
    are, and beside the other buffers over it. It is there when no slot is in
    use any more: `bsmm-verify-channels` proves that each use comes after the
    last slot has been read by all who read it.

    ```mlir
    %1 = bsmm.alloc : !bsmm.buffer<128x64xbf16, shared, swizzle_128b>
        over %slots : !bsmm.channel<8 x [...]>
    ```

    Since version 1.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset,
                       Optional<Bsmm_ChannelType>:$over);
  let results = (outs Bsmm_BufferType:$buffer);
  let assemblyFormat = [{
    attr-dict `:` qualified(type($buffer))
    (`over` $over^ `:` qualified(type($over)))?
  }];
  let builders = [OpBuilder<(ins "::bsmm::BufferType":$buffer), [{
    build($_builder, $_state, buffer, nullptr, nullptr);
  }]>];
  let hasVerifier = 1;
}

def Bsmm_SelectBufferOp : Bsmm_PipelineOp<"select_buffer", [
    Pure, AllTypesMatch<["first", "second", "result"]>]> {
  let summary = "one of two buffers by turns";
  let description = [{
    Gives `first` when `iteration` (i32) is even and `second` when it is odd,
    two buffers of `bsmm.alloc`: what a step writes for the tensor core lies
    elsewhere than what the last step's multiplication may still be reading.
    With a warpgroup's number instead each of two has a buffer of its own.

    Example:

    ```mlir
    %scales = bsmm.select_buffer %it of %0, %1
        : !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    ```

    Since version 1.
  }];
  let arguments = (ins I32:$iteration, Bsmm_BufferType:$first,
                       Bsmm_BufferType:$second);
  let results = (outs Bsmm_BufferType:$result);
  let assemblyFormat = [{
    $iteration `of` $first `,` $second attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Bsmm_CreateChannelOp : Bsmm_PipelineOp<"create_channel"> {
  let summary = "a ring of slots with full and empty barriers";
  let description = [{
    Makes a channel: `slots` slots, each with its buffers, a barrier that says
    that the slot is full and one that says that it is empty. `producer` and
    `consumer` say how each side arrives. `offsets` (one for each buffer of the
    first slot; slots follow each other at `slot_stride` bytes or columns) and
    `barrier_offset` are given by `bsmm-assign-memory`.

    With `cluster`, slots are filled by copies of all CTAs of the cluster
    (`multicast`), and a consumer's release counts in every one of them: the
    same slot of each CTA is filled again when all CTAs have read theirs. The
    consumer's count is that of one CTA. The tensor core arrives when it is
    done: a producer of slots that `mma_commit` releases waits for the last ones
    (`bsmm.wait_released`), so that no CTA ends while others arrive there.

    A channel may have several consumers that take turns, each in a role of its
    own with the arrivals of `consumer`, such as two warpgroups that multiply
    every other output tile. An order channel, one slot without buffers, says
    whose turn it is: the producer's while the slot is empty, the consumer's
    while it is full.

    With `overlap`, two accumulators in tensor memory share that many columns:
    the last ones of slot 0 are the first ones of slot 1. A slot is acquired
    when the one before has been released, which gives away the shared columns
    only; the consumer may drain the others until it waits for the next slot
    (`bsmm.slot_column` says where they are). One full and one empty barrier
    serve both slots.

    This is the only place where barriers are made.

    Example:

    ```mlir
    %0 = bsmm.create_channel producer = <transaction>, consumer = <mma_commit>
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    %1 = bsmm.create_channel producer = <warps, count = 4>, consumer = <warps, count = 4>
        : !bsmm.channel<1>
    ```

    Since version 1.
  }];
  let arguments = (ins
    Bsmm_ArrivalAttr:$producer, Bsmm_ArrivalAttr:$consumer, UnitAttr:$cluster,
    OptionalAttr<I64Attr>:$overlap, OptionalAttr<DenseI64ArrayAttr>:$offsets,
    OptionalAttr<I64Attr>:$slot_stride,
    OptionalAttr<I64Attr>:$barrier_offset);
  let results = (outs Bsmm_ChannelType:$channel);
  let assemblyFormat = [{
    `producer` `=` $producer `,` `consumer` `=` $consumer
    (`,` `cluster` $cluster^)? (`overlap` $overlap^)? attr-dict `:`
    type($channel)
  }];
  let extraClassDeclaration = levelDeclaration # [{
    /// Full barriers of the channel, and empty ones.
    int64_t getBarrierSlots() {
      return getOverlap() ? 1 : getChannel().getType().getSlots();
    }
    /// Distance of two slots that share columns.
    int64_t getOverlappingStride();
  }];
  let hasVerifier = 1;
}

def Bsmm_SlotColumnOp : Bsmm_PipelineOp<"slot_column", [Pure]> {
  let summary = "a column of an accumulator that shares columns with the next";
  let description = [{
    The columns of a slot of a channel with `overlap`, in the order in which
    they are drained: the shared ones first. That order runs from the last
    column backwards in slot 0, and from the first one forwards in slot 1; in a
    role of several warpgroups each has an equal part of the columns, and its
    own order. The result (i32) is the first of the `columns` columns of the
    accumulator that come after `first` others in that order.

    Example:

    ```mlir
    %c = bsmm.slot_column %ch[%it] first 64 columns 32
        : !bsmm.channel<2, !bsmm.buffer<128x256xf32, tensor_memory, accumulator>>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_ChannelType:$channel, I32:$iteration,
                       I64Attr:$first, I64Attr:$columns);
  let results = (outs I32:$column);
  let assemblyFormat = [{
    $channel `[` $iteration `]` `first` $first `columns` $columns attr-dict `:`
    qualified(type($channel))
  }];
  let hasVerifier = 1;
}

class Bsmm_ChannelAccessOp<string mnemonic>
    : Bsmm_PipelineOp<mnemonic> {
  let arguments = (ins Bsmm_ChannelType:$channel, I32:$iteration);
  let results = (outs Variadic<Bsmm_BufferType>:$buffers);
  let assemblyFormat = [{
    $channel `[` $iteration `]` attr-dict `:` qualified(type($channel))
    (`->` qualified(type($buffers))^)?
  }];
  let hasVerifier = 1;
}

def Bsmm_AcquireOp : Bsmm_ChannelAccessOp<"acquire"> {
  let summary = "producer: wait until a slot is empty";
  let description = [{
    Waits until the slot of iteration `iteration` (i32, counted from 0 over the
    life of the CTA; slot = iteration mod slots) is empty and gives its
    buffers to the producer. A producer that arrives by transactions announces
    the bytes of the whole slot here.

    Example:

    ```mlir
    %buf = bsmm.acquire %ch[%it] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
        -> !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    ```

    Since version 1.
  }];
}

def Bsmm_WaitOp : Bsmm_ChannelAccessOp<"wait"> {
  let summary = "consumer: wait until a slot is full";
  let description = [{
    Waits until the slot of iteration `iteration` (i32) is full and gives its
    buffers to the consumer.

    Example:

    ```mlir
    %buf = bsmm.wait %ch[%it] : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
        -> !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    ```

    Since version 1.
  }];
}

class Bsmm_ChannelSignalOp<string mnemonic>
    : Bsmm_PipelineOp<mnemonic> {
  let arguments = (ins Bsmm_ChannelType:$channel, I32:$iteration);
  let assemblyFormat = "$channel `[` $iteration `]` attr-dict `:` qualified(type($channel))";
  let hasVerifier = 1;
}

def Bsmm_WaitReleasedOp : Bsmm_ChannelSignalOp<"wait_released"> {
  let summary = "producer: wait until all slots are empty";
  let description = [{
    Waits until the slots of all iterations before `iteration` (i32), as many as
    the producer has had, have been released: with `cluster` by the consumers of
    all CTAs. It comes after the producer's last commit. Nothing arrives at the
    channel's barriers after it.

    Example:

    ```mlir
    bsmm.wait_released %ch[%it]
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    ```

    Since version 1.
  }];
  let hasCanonicalizeMethod = 1;
}

def Bsmm_CommitOp : Bsmm_ChannelSignalOp<"commit"> {
  let summary = "producer: the slot is filled";
  let description = [{
    Says that the slot of an iteration is filled, or will be when the
    operations issued so far are complete. Transactions need nothing more than
    their copies; a tensor core commits; threads arrive.

    Example:

    ```mlir
    bsmm.commit %ch[%it]
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    ```

    Since version 1.
  }];
}

def Bsmm_ReleaseOp : Bsmm_ChannelSignalOp<"release"> {
  let summary = "consumer: the slot may be filled again";
  let description = [{
    Says that the slot of an iteration has been read, or will have been when
    the operations issued so far are complete.

    Example:

    ```mlir
    bsmm.release %ch[%it]
        : !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    ```

    Since version 1.
  }];
}

def Bsmm_WarpRoleOp : Bsmm_PipelineOp<"warp_role", [
    SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "code for one warp or for whole warpgroups";
  let description = [{
    Its body is executed by the threads of `count` warps of the CTA, from warp
    `warp` on; the other warps go on. Threads of a warp are together again at
    its end. A role has one warp, or those of whole warpgroups: draining an
    accumulator and reallocating registers are work of whole warpgroups.

    Single warps of a role may have roles of their own right inside of it, such
    as the loading and the multiplying one of a warpgroup that gives registers
    to others.

    `registers` gives each thread of the role that many registers while it runs
    (a multiple of 8 from 24 to 256; PTX ISA 9.7.20, setmaxnreg); the roles of a kernel
    together must fit the register file.

    Example:

    ```mlir
    bsmm.warp_role 4 {
    }
    bsmm.warp_role 0 count 4 registers 232 {
    }
    ```

    Since version 1.
  }];
  let arguments = (ins I64Attr:$warp, DefaultValuedAttr<I64Attr, "1">:$count,
                       OptionalAttr<I64Attr>:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $warp (`count` $count^)? (`registers` $registers^)? attr-dict-with-keyword
    $body
  }];
  let extraClassDeclaration = levelDeclaration # [{
    /// Whether the role has whole warpgroups, and not one warp.
    bool isWarpgroup() { return getCount() >= 4; }
    /// Threads that execute the body.
    int64_t getNumThreads();
  }];
  let hasVerifier = 1;
}

def Bsmm_LeaderOp : Bsmm_PipelineOp<"leader", [
    SingleBlock, NoTerminator, RecursiveMemoryEffects,
    ParentOneOf<["::bsmm::WarpRoleOp", "::mlir::scf::ForOp",
                 "::mlir::scf::IfOp"]>]> {
  let summary = "code for one elected thread of a role";
  let description = [{
    Its body is executed by one thread of the role's first warp, always the same
    one: copies and tensor core operations are issued by one thread, and the
    completion of tensor core operations is tracked for each issuing thread.

    With `each_warpgroup` each warpgroup of the role has such a thread.

    Example:

    ```mlir
    bsmm.leader {
    }
    ```

    Since version 1.
  }];
  let arguments = (ins UnitAttr:$each_warpgroup);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`each_warpgroup` $each_warpgroup^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Bsmm_WarpgroupIndexOp : Bsmm_PipelineOp<"warpgroup_index"> {
  let summary = "number of the warpgroup in its role";
  let description = [{
    The number (i32) of the executing warpgroup among those of the role, from 0
    on. A branch on it does not keep the role together.

    Example: `%0 = bsmm.warpgroup_index`

    Since version 1.
  }];
  let results = (outs I32:$index);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Bsmm_ClusterRankOp : Bsmm_PipelineOp<"cluster_rank", [Pure]> {
  let summary = "number of the CTA in its cluster";
  let description = [{
    The number (i32) of the CTA in its cluster, from 0 on (PTX ISA,
    %cluster_ctarank).

    Example: `%0 = bsmm.cluster_rank`

    Since version 1.
  }];
  let results = (outs I32:$rank);
  let assemblyFormat = "attr-dict";
}

def Bsmm_SliceRowsOp : Bsmm_PipelineOp<"slice_rows", [Pure]> {
  let summary = "some rows of a buffer in shared memory";
  let description = [{
    The rows of a buffer from `row` (i32) on, as many as the result has. The row
    is a multiple of 8, so that the slice consists of whole swizzle atoms, and
    the buffer is one panel wide, so that its rows follow each other.

    Example:

    ```mlir
    %1 = bsmm.slice_rows %0[%row]
        : !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
        to !bsmm.buffer<64x64xbf16, shared, swizzle_128B>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$source, I32:$row);
  let results = (outs Bsmm_BufferType:$result);
  let assemblyFormat = [{
    $source `[` $row `]` attr-dict `:` qualified(type($source)) `to`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Bsmm_SliceScalesOp : Bsmm_PipelineOp<"slice_scales", [Pure]> {
  let summary = "some scale tiles of a buffer in shared memory";
  let description = [{
    The tiles of 128 rows and 4 groups of a buffer with layout `scale_tiles`
    from number `tile` (i32) on, as many as the result has. Tiles are numbered
    as they lie: all groups of 128 rows, then those of the next 128. The result
    has all groups of some rows, or some groups of 128 rows, and divides the
    buffer.

    Example:

    ```mlir
    %1 = bsmm.slice_scales %0[%tile]
        : !bsmm.buffer<256x16xf8E4M3FN, shared, scale_tiles>
        to !bsmm.buffer<128x8xf8E4M3FN, shared, scale_tiles>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$source, I32:$tile);
  let results = (outs Bsmm_BufferType:$result);
  let assemblyFormat = [{
    $source `[` $tile `]` attr-dict `:` qualified(type($source)) `to`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Bsmm_ReduceClusterOp : Bsmm_PipelineOp<"reduce_cluster"> {
  let summary = "sum of the accumulators of a cluster's CTAs";
  let description = [{
    Adds, in the order of their ranks, the accumulators that the CTAs of a
    cluster have for one tile, each the sum of other steps of K. Every CTA gets
    the total of its share of the columns: those from rank times the result's
    columns on. The CTAs send each other their parts through `buffer` in shared
    memory: one place of the size of the result for each of the other CTAs.

    Executed by all warpgroups of one role, once in a kernel: the CTAs of the
    cluster meet in it.

    Example:

    ```mlir
    %total = bsmm.reduce_cluster %sum through %buffer
        : !bsmm.accumulator<128x192xf32, warpgroups = 2>,
          !bsmm.buffer<128x96xf32, shared, row_major>
        -> !bsmm.accumulator<128x96xf32, warpgroups = 2>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_AccumulatorType:$accumulator,
                       Bsmm_BufferType:$buffer);
  let results = (outs Bsmm_AccumulatorType:$result);
  let assemblyFormat = [{
    $accumulator `through` $buffer attr-dict `:` qualified(type($accumulator))
    `,` qualified(type($buffer)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Bsmm_SendPartialOp : Bsmm_PipelineOp<"send_partial"> {
  let summary = "send values of a drain to another CTA of the cluster";
  let description = [{
    Inside of a `bsmm.drain` from tensor memory: writes the thread's values,
    this CTA's part of sums that CTA `cta` (i32, its rank, not this CTA's) of the
    cluster completes, to the place of this CTA in that one's `buffer`. The
    buffer has a place for each of the other CTAs; `row` and `column` (i32) are
    the row of the accumulator and the first column of the share of `cta`.

    The values are there for `bsmm.add_partials` after that one's
    `bsmm.wait_partials`, whose barrier counts their bytes. `barrier_offset` is
    its place, assigned by `bsmm-assign-memory`.

    Example:

    ```mlir
    bsmm.send_partial %v, %exchange[%row, %column] to %rank
        : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$values, Bsmm_BufferType:$buffer,
                       I32:$row, I32:$column, I32:$cta,
                       OptionalAttr<I64Attr>:$barrier_offset);
  let assemblyFormat = [{
    $values `,` $buffer `[` $row `,` $column `]` `to` $cta attr-dict `:`
    type($values) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Bsmm_WaitPartialsOp : Bsmm_PipelineOp<"wait_partials"> {
  let summary = "wait for what the other CTAs of the cluster send";
  let description = [{
    Waits until each of the other CTAs of the cluster has sent the values of its
    place in `buffer`, all rows and columns, by `bsmm.send_partial`. The bytes
    are counted by a barrier that serves once: there is one wait for a buffer,
    outside of loops. `barrier_offset` is its place in shared memory, assigned
    by `bsmm-assign-memory`.

    Executed by the threads that read the values.

    Example:

    ```mlir
    bsmm.wait_partials %exchange : !bsmm.buffer<128x32xf32, shared, row_major>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$buffer,
                       OptionalAttr<I64Attr>:$barrier_offset);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Bsmm_AddPartialsOp : Bsmm_PipelineOp<"add_partials", [
    AllTypesMatch<["values", "result"]>]> {
  let summary = "sum of a drain's values and what other CTAs have sent";
  let description = [{
    Inside of a `bsmm.drain` from tensor memory: adds the thread's values and
    those that `bsmm.send_partial` of the other CTAs of the cluster has written
    to this one's `buffer`, in the order of the ranks, so that the sum does not
    depend on who comes first. `row` and `column` (i32) are the row of the
    accumulator and the first column in this CTA's share.

    Example:

    ```mlir
    %sum = bsmm.add_partials %v, %exchange[%row, %column]
        : vector<32xf32>, !bsmm.buffer<128x32xf32, shared, row_major>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$values, Bsmm_BufferType:$buffer,
                       I32:$row, I32:$column);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $values `,` $buffer `[` $row `,` $column `]` attr-dict `:` type($values) `,`
    qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Bsmm_SynchronizeClusterOp : Bsmm_PipelineOp<"synchronize_cluster"> {
  let summary = "all threads of the cluster meet";
  let description = [{
    A barrier of all CTAs of the cluster, executed by all their threads. What
    they wrote to shared memory before it, that of other CTAs included, is seen
    after it.

    Example: `bsmm.synchronize_cluster`

    Since version 1.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Bsmm_LoadAsyncOp : Bsmm_PipelineOp<"load_async"> {
  let summary = "start the copy of a tile from global to shared memory";
  let description = [{
    Issues the TMA boxes that make up a tile; their bytes arrive at the full
    barrier of the slot. Coordinates as in `bsmm.tma_load`. With `multicast` the
    bytes arrive at the same place of every CTA of the cluster: each CTA loads
    its share of a buffer, the rows given by a `bsmm.slice_rows`. `cache` is a
    hint to the L2 cache.

    Example:

    ```mlir
    bsmm.load_async %a[%l, %m, %k] to %buf signals %ch[%it]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN>,
          !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
          !bsmm.channel<2, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_TensorMapType:$map, Variadic<I32>:$coordinates,
                       Bsmm_BufferType:$destination,
                       Bsmm_ChannelType:$channel, I32:$iteration,
                       UnitAttr:$multicast,
                       OptionalAttr<Bsmm_CacheEvictionAttr>:$cache);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $destination `signals` $channel `[`
    $iteration `]` (`multicast` $multicast^)? attr-dict `:` qualified(type($map)) `,` qualified(type($destination)) `,`
    qualified(type($channel))
  }];
  let hasVerifier = 1;
}

def Bsmm_MaskScalesOp : Bsmm_PipelineOp<"mask_scales"> {
  let summary = "set the scales of missing groups to zero";
  let description = [{
    Sets the scales of groups `valid` and later (i32, counted from the first
    group of the buffer) to zero, in shared memory, by the threads of one warp,
    and makes that visible to the tensor core. The bytes of such padding groups
    may be anything, NaN codes included.

    Example:

    ```mlir
    bsmm.mask_scales %buf from %valid
        : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$buffer, I32:$valid);
  let assemblyFormat = "$buffer `from` $valid attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Bsmm_DecodeOperandOp : Bsmm_PipelineOp<"decode_operand"> {
  let summary = "values times block scales, as 16-bit floats";
  let description = [{
    Writes every value of an operand tile in shared memory times its block scale
    to another buffer of the same shape, of f16 or bf16: how block-scaled
    operands are multiplied by tensor cores without block scales. An e4m3 scale
    counts as its absolute value; a product that the type has not is rounded to
    nearest even. Row `r` of the operand has the scales of row `row + r` (i32) of
    the scale buffer. Groups `valid` and later (i32) count as zero, whatever
    values and scales are.

    Executed by all threads of a role's warpgroups, which meet at a barrier after
    it, when the tensor core sees what they wrote.

    Example:

    ```mlir
    bsmm.decode_operand %codes scales %scales row %c0 valid %groups to %values
        : !bsmm.buffer<128x64xf4E2M1FN, shared, swizzle_32B>,
          !bsmm.buffer<128x4xf8E4M3FN, shared, scale_tiles>
        to !bsmm.buffer<128x64xbf16, shared, swizzle_128B>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$source, Bsmm_BufferType:$scales,
                       I32:$row, I32:$valid, Bsmm_BufferType:$destination);
  let assemblyFormat = [{
    $source `scales` $scales `row` $row `valid` $valid `to` $destination
    attr-dict `:` qualified(type($source)) `,` qualified(type($scales)) `to`
    qualified(type($destination))
  }];
  let hasVerifier = 1;
}

def Bsmm_CopyScalesOp : Bsmm_PipelineOp<"copy_scales"> {
  let summary = "scales from shared memory to tensor memory";
  let description = [{
    Issues the copies of the 512-byte scale tiles of a buffer to tensor memory,
    in order before later tensor core operations of the same thread.

    Example:

    ```mlir
    bsmm.copy_scales %s to %t
        : !bsmm.buffer<128x16xf8E4M3FN, shared, scale_tiles>
        to !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$source, Bsmm_BufferType:$destination);
  let assemblyFormat = [{
    $source `to` $destination attr-dict `:` qualified(type($source)) `to`
    qualified(type($destination))
  }];
  let hasVerifier = 1;
}

def Bsmm_ScaledMmaOp : Bsmm_PipelineOp<"scaled_mma"> {
  let summary = "start the block-scaled multiplications of a tile";
  let description = [{
    Issues the tensor core operations that add the product of the tiles A
    `[m, k]` and B `[n, k]` in shared memory, scaled by SA and SB in tensor
    memory, to the accumulator. `accumulate` (i1) false overwrites the
    accumulator. `scale_b_offset` (i32, a multiple of 32 below 128) is the
    row of SB's buffer that belongs to the first row of B.

    Example:

    ```mlir
    bsmm.scaled_mma %a scales %sa, %b scales %sb, %acc accumulate %p
        : !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
          !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
          !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>,
          !bsmm.buffer<128x16xf8E4M3FN, tensor_memory, scale_tiles>,
          !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$a, Bsmm_BufferType:$scale_a,
                       Bsmm_BufferType:$b, Bsmm_BufferType:$scale_b,
                       Bsmm_BufferType:$accumulator, I1:$accumulate,
                       Optional<I32>:$scale_b_offset);
  let assemblyFormat = [{
    $a `scales` $scale_a `,` $b `scales` $scale_b
    (`offset` `(` $scale_b_offset^ `)`)? `,` $accumulator
    `accumulate` $accumulate attr-dict `:` qualified(type($a)) `,` qualified(type($scale_a)) `,`
    qualified(type($b)) `,` qualified(type($scale_b)) `,` qualified(type($accumulator))
  }];
  let hasVerifier = 1;
}

def Bsmm_ZeroAccumulatorOp : Bsmm_PipelineOp<"zero_accumulator", [Pure]> {
  let summary = "an accumulator of zeros in registers";
  let description = [{
    The sum of nothing: what a reduction of no steps gives. A sum of some steps
    starts with a `bsmm.mma` without accumulator.

    Example:

    ```mlir
    %acc = bsmm.zero_accumulator : !bsmm.accumulator<128x256xf32, warpgroups = 2>
    ```

    Since version 1.
  }];
  let results = (outs Bsmm_AccumulatorType:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Bsmm_MmaOp : Bsmm_PipelineOp<"mma"> {
  let summary = "start the multiplications of a tile into registers";
  let description = [{
    Issues, as one group, the tensor core operations that compute the product of
    the tiles A `[m, k]` and B `[n, k]` in shared memory and add it to an
    accumulator in registers, or start a new one with it. The result may be
    passed to further `bsmm.mma`; anything else needs `bsmm.wait_mma`, which the
    verifiers of `bsmm.drain` and `bsmm.add_accumulators` check. Executed by all warpgroups of the role, each for its rows.

    With `column` the product's columns from there on are computed, as many as
    the accumulator has: the rows of B from there on, a multiple of 8. With `k`
    only so many elements of K are multiplied, from the first one given on; both
    are multiples of one instruction's (32 bytes).

    Example:

    ```mlir
    %first = bsmm.mma %a, %b
        : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>,
          !bsmm.buffer<256x128xf8E4M3FN, shared, swizzle_128B>
        -> !bsmm.accumulator<128x256xf32, warpgroups = 2>
    %sum = bsmm.mma %a, %b add %first
        : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>,
          !bsmm.buffer<256x128xf8E4M3FN, shared, swizzle_128B>
        -> !bsmm.accumulator<128x256xf32, warpgroups = 2>
    %right = bsmm.mma %a, %b column 128 k 64 for 32
        : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>,
          !bsmm.buffer<256x128xf8E4M3FN, shared, swizzle_128B>
        -> !bsmm.accumulator<128x128xf32, warpgroups = 2>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$a, Bsmm_BufferType:$b,
                       Optional<Bsmm_AccumulatorType>:$accumulator,
                       OptionalAttr<I64Attr>:$column, OptionalAttr<I64Attr>:$k,
                       OptionalAttr<I64Attr>:$num_k);
  let results = (outs Bsmm_AccumulatorType:$result);
  let assemblyFormat = [{
    $a `,` $b (`column` $column^)? (`k` $k^ `for` $num_k)?
    (`add` $accumulator^)? attr-dict `:` qualified(type($a)) `,`
    qualified(type($b)) `->` custom<SumType>(ref($accumulator),
    type($accumulator), type($result))
  }];
  // All columns and all of K.
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a,
                                 "::mlir::Value":$b,
                                 "::mlir::Value":$accumulator), [{
    build($_builder, $_state, result, a, b, accumulator,
          /*column=*/::mlir::IntegerAttr(), /*k=*/::mlir::IntegerAttr(),
          /*num_k=*/::mlir::IntegerAttr());
  }]>];
  let extraClassDeclaration = levelDeclaration # [{
    /// Elements of K that are multiplied.
    int64_t getDepth() {
      return getNumK() ? int64_t(*getNumK()) : getA().getType().getShape()[1];
    }
  }];
  let hasVerifier = 1;
}

def Bsmm_WaitMmaOp : Bsmm_PipelineOp<"wait_mma", [
    AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "wait for groups of multiplications";
  let description = [{
    Waits until at most `pending` groups (`bsmm.mma`) issued by the role are
    unfinished. The operands of finished groups may be overwritten; with 0
    pending groups the result holds the sum. So it does with `complete`, which
    says that at least `pending` groups have been issued since the last one that
    adds to it.

    Example:

    ```mlir
    %done = bsmm.wait_mma %sum pending 0 : !bsmm.accumulator<128x256xf32, warpgroups = 2>
    %left = bsmm.mma %a, %b column 0
        : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>,
          !bsmm.buffer<256x128xf8E4M3FN, shared, swizzle_128B>
        -> !bsmm.accumulator<128x128xf32, warpgroups = 2>
    %right = bsmm.mma %a, %b column 128
        : !bsmm.buffer<128x128xf8E4M3FN, shared, swizzle_128B>,
          !bsmm.buffer<256x128xf8E4M3FN, shared, swizzle_128B>
        -> !bsmm.accumulator<128x128xf32, warpgroups = 2>
    %sum_of_left = bsmm.wait_mma %left pending 1 complete
        : !bsmm.accumulator<128x128xf32, warpgroups = 2>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_AccumulatorType:$accumulator, I64Attr:$pending,
                       UnitAttr:$complete);
  let results = (outs Bsmm_AccumulatorType:$result);
  let assemblyFormat = [{
    $accumulator `pending` $pending (`complete` $complete^)? attr-dict `:`
    qualified(type($accumulator))
  }];
  let extraClassDeclaration = levelDeclaration # [{
    /// Whether the result holds the sum.
    bool isComplete() { return getPending() == 0 || getComplete(); }
  }];
  let hasVerifier = 1;
}

def Bsmm_AddAccumulatorsOp : Bsmm_PipelineOp<"add_accumulators", [
    Pure, AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "sum of two accumulators in registers";
  let description = [{
    Adds element by element in f32, rounding to nearest even: how a partial sum
    of the tensor core is promoted to full precision. Both must have been
    waited for.

    Example:

    ```mlir
    %1 = bsmm.add_accumulators %sum, %partial : !bsmm.accumulator<128x128xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_AccumulatorType:$lhs, Bsmm_AccumulatorType:$rhs);
  let results = (outs Bsmm_AccumulatorType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` qualified(type($lhs))";
  let hasVerifier = 1;
}

def Bsmm_JoinAccumulatorsOp : Bsmm_PipelineOp<"join_accumulators", [Pure]> {
  let summary = "accumulators in registers side by side";
  let description = [{
    The accumulator whose columns are those of `parts`, from left to right. All
    have the same rows and warpgroups, split by rows, and have been waited for.
    Split by columns they have the same columns, and lie below each other. It
    moves nothing: a thread's registers of the parts follow each other.

    Example:

    ```mlir
    %sum = bsmm.join_accumulators %left, %right
        : !bsmm.accumulator<128x96xf32, warpgroups = 2>,
          !bsmm.accumulator<128x96xf32, warpgroups = 2>
        -> !bsmm.accumulator<128x192xf32, warpgroups = 2>
    ```

    Since version 1.
  }];
  let arguments = (ins Variadic<Bsmm_AccumulatorType>:$parts);
  let results = (outs Bsmm_AccumulatorType:$result);
  let assemblyFormat = [{
    $parts attr-dict `:` qualified(type($parts)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Bsmm_ReadScalesOp : Bsmm_PipelineOp<"read_scales"> {
  let summary = "read the block scales of an accumulator's rows or columns";
  let description = [{
    Reads the f32 scales of one group of K that belong to the sums which a
    thread has of an accumulator in registers, for `bsmm.add_scaled`. The tile
    starts at row or column `start` (i32) of the product, a multiple of
    `alignment`; the scale of every `block` rows or columns is `p[base + (start +
    i) / block * stride + group * stride_group]`. From the limits (i32) on
    scales are zero, and nothing is read.

    * `dimension` 0: a scale for each row (`block` 1); the thread's rows in
      ascending order, two for each block of 64 rows.
    * `dimension` 1: a scale for every `block` columns, a multiple of 8; as many
      as the warpgroup's columns may touch.

    Example:

    ```mlir
    %sa = bsmm.read_scales %p[%m] group %g limits [%M, %groups] base %o
        strides [%one, %s] dimension 0 block 1 alignment 128
        of !bsmm.accumulator<128x128xf32, warpgroups = 2> : vector<2xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_GlobalPointer:$pointer, I32:$start, I32:$group,
                       I32:$limit, I32:$limit_group, I64:$base, I64:$stride,
                       I64:$stride_group, I64Attr:$dimension, I64Attr:$block,
                       I64Attr:$alignment, TypeAttr:$accumulator);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $pointer `[` $start `]` `group` $group `limits` `[` $limit `,` $limit_group
    `]` `base` $base `strides` `[` $stride `,` $stride_group `]` `dimension`
    $dimension `block` $block `alignment` $alignment `of` $accumulator attr-dict
    `:` type($result)
  }];
  let extraClassDeclaration = levelDeclaration # [{
    /// Scales that a thread reads.
    static int64_t getNumScales(::bsmm::AccumulatorType type,
                                int64_t dimension, int64_t block,
                                int64_t alignment);
    /// Multiple at which the first column of every warpgroup lies in its
    /// block; `block` when it is the first one of a block.
    static int64_t getUnit(::bsmm::AccumulatorType type, int64_t block,
                           int64_t alignment);
  }];
  let hasVerifier = 1;
}

def Bsmm_AddScaledOp : Bsmm_PipelineOp<"add_scaled", [
    Pure, AllTypesMatch<["sum", "partial", "result"]>]> {
  let summary = "an accumulator plus scaled sums";
  let description = [{
    `sum + partial * (sa * sb)` for every element, with the scales of its row and
    column as `bsmm.read_scales` gives them: the product of the scales is
    rounded to f32, the multiplication and the addition are one operation with
    one rounding. The tile starts at column `start` (i32), a multiple of
    `alignment`, and each scale of a column belongs to `block` of them. Both
    accumulators must have been waited for.

    Example:

    ```mlir
    %1 = bsmm.add_scaled %sum, %partial scales %sa, %sb start %n block 128
        alignment 128 : !bsmm.accumulator<64x128xf32>, vector<2xf32>,
        vector<1xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_AccumulatorType:$sum,
                       Bsmm_AccumulatorType:$partial,
                       AnyVectorOfNonZeroRank:$scale_a,
                       AnyVectorOfNonZeroRank:$scale_b, I32:$start,
                       I64Attr:$block, I64Attr:$alignment);
  let results = (outs Bsmm_AccumulatorType:$result);
  let assemblyFormat = [{
    $sum `,` $partial `scales` $scale_a `,` $scale_b `start` $start `block`
    $block `alignment` $alignment attr-dict `:` qualified(type($sum)) `,`
    type($scale_a) `,` type($scale_b)
  }];
  let hasVerifier = 1;
}

def Bsmm_DrainOp : Bsmm_PipelineOp<"drain", [
    AttrSizedOperandSegments, SingleBlock, NoTerminator,
    RecursiveMemoryEffects]> {
  let summary = "read an accumulator piece by piece";
  let description = [{
    Executed by all threads of whole warpgroups. The body is executed once for
    every `columns` columns, in order, with the row (i32) and the column (i32)
    of the thread's first value and the thread's values. `first` and `extent`
    limit it to that many of the columns that the warpgroup holds, from its
    `first` one on. From tensor memory, `at` limits it to `extent` columns from
    a column (i32) on that each warpgroup computes; the body's column counts
    from there. With `when` (i1, from tensor memory, the same for all threads of
    a warp) false, nothing is read and the values are zeros: for a sum of no
    terms, which nobody has written.

    * From tensor memory each thread owns one row: the values are `columns`
      consecutive columns of it. With `transposed` the accumulator is the
      transpose of the tile: a thread owns one column of the tile, the values
      are `columns` consecutive rows of it, and `at` and `first` count rows.
    * From registers the values are `columns / 2` values in the order of wgmma
      (PTX ISA 9.7.16.5.1): value `i` lies `8 * (i / 2 % 2)` rows below and
      `8 * (i / 4) + i % 2` columns beyond the first one. The body is executed
      for each block of 64 rows that a warpgroup holds.

    Example:

    ```mlir
    bsmm.drain %acc columns 32 {
    ^bb0(%row: i32, %column: i32, %values: vector<32xf32>):
    } : !bsmm.buffer<128x128xf32, tensor_memory, accumulator>
    ```

    Since version 1.
  }];
  let arguments = (ins
    AnyTypeOf<[Bsmm_BufferType, Bsmm_AccumulatorType]>:$accumulator,
    Optional<I32>:$at, Optional<I1>:$when, I64Attr:$columns,
    DefaultValuedAttr<I64Attr, "0">:$first, OptionalAttr<I64Attr>:$extent,
    UnitAttr:$transposed);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $accumulator (`at` $at^)? (`when` $when^)? `columns` $columns
    (`first` $first^)? (`extent` $extent^)? (`transposed` $transposed^)?
    attr-dict-with-keyword $body `:` qualified(type($accumulator))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = levelDeclaration # [{
    /// Whether the accumulator lies in registers.
    bool isFromRegisters();
    /// Columns of the accumulator that a thread's warpgroup holds.
    int64_t getAllColumns();
    /// Columns that are drained.
    int64_t getNumColumns();
    /// The thread's values in one execution of the body.
    ::mlir::VectorType getValuesType();
  }];
}

def Bsmm_ReadVectorOp : Bsmm_PipelineOp<"read_vector"> {
  let summary = "read what belongs to the values of a drain from a vector";
  let description = [{
    Inside of a `bsmm.drain`: for each of the thread's values, the element of a
    vector in global memory at `offset` plus the value's row (`dimension` 0) or
    column (`dimension` 1). `start` is the row or column of the thread's first
    value (i32); elements from `limit` on are zero. One element, which belongs
    to all values, may also be read before the drain.

    Example:

    ```mlir
    %v = bsmm.read_vector %p[%column] offset %n limit %N dimension 1
        : vector<32xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_GlobalPointer:$pointer, I32:$start, I32:$offset,
                       I32:$limit, I64Attr:$dimension);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $pointer `[` $start `]` `offset` $offset `limit` $limit `dimension`
    $dimension attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Bsmm_StageVectorOp : Bsmm_PipelineOp<"stage_vector"> {
  let summary = "start the copy of a vector to shared memory";
  let description = [{
    Executed by all threads of whole warpgroups: each warpgroup of the role
    copies elements `offset`, `offset + 1`, ... (i32) of a vector in global
    memory to its own row of a buffer `[warpgroups, elements]`; elements from
    `limit` (i32) on become zero. The copy is complete after
    `bsmm.wait_vectors`, for all threads of the warpgroup after a barrier that
    follows it. What an epilogue reads of row scales, column scales and a bias
    is so underway while the tile is multiplied.

    Example:

    ```mlir
    bsmm.stage_vector %p[%n] limit %N to %buf
        : !bsmm.buffer<2x256xf32, shared, row_major>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_GlobalPointer:$pointer, I32:$offset, I32:$limit,
                       Bsmm_BufferType:$buffer);
  let assemblyFormat = [{
    $pointer `[` $offset `]` `limit` $limit `to` $buffer attr-dict `:`
    qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Bsmm_WaitVectorsOp : Bsmm_PipelineOp<"wait_vectors"> {
  let summary = "wait for the copies of bsmm.stage_vector";
  let description = [{
    Waits until the copies of vectors that this thread has started are complete.

    Example: `bsmm.wait_vectors`

    Since version 1.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Bsmm_ReadStagedOp : Bsmm_PipelineOp<"read_staged"> {
  let summary = "read what belongs to the values of a drain from a staged vector";
  let description = [{
    Inside of a `bsmm.drain`: for each of the thread's values, the element of the
    warpgroup's row of a buffer at the value's row (`dimension` 0) or column
    (`dimension` 1). `start` is the row or column of the thread's first value
    (i32).

    Example:

    ```mlir
    %v = bsmm.read_staged %buf[%column] dimension 1
        : !bsmm.buffer<2x256xf32, shared, row_major> -> vector<16xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$buffer, I32:$start, I64Attr:$dimension);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $buffer `[` $start `]` `dimension` $dimension attr-dict `:`
    qualified(type($buffer)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Bsmm_ReadGlobalOp : Bsmm_PipelineOp<"read_global"> {
  let summary = "read what belongs to the values of a drain from a matrix";
  let description = [{
    Inside of a `bsmm.drain`: for each of the thread's values, the element of a
    matrix in global memory at its row and column, or zero where they reach the
    limits (i32). `row` and `column` are those of the thread's first value;
    `stride` is the pitch of a row in elements (i64); `base` is the offset of
    the matrix in elements (i64).

    Example:

    ```mlir
    %v = bsmm.read_global %p[%row, %column] base %o stride %s limits [%M, %N]
        : vector<32xf16>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_GlobalPointer:$pointer, I32:$row, I32:$column,
                       I64:$base, I64:$stride, I32:$limit_row,
                       I32:$limit_column);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $pointer `[` $row `,` $column `]` `base` $base `stride` $stride `limits` `[`
    $limit_row `,` $limit_column `]` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Bsmm_ConvertValuesOp : Bsmm_PipelineOp<"convert_values", [Pure]> {
  let summary = "f32 values rounded to 8 bits";
  let description = [{
    Rounds an even number of f32 values to f8E4M3FN or f8E5M2, to nearest even;
    what is beyond the largest finite value becomes that value, NaN stays NaN
    (PTX ISA, cvt.rn.satfinite).

    Example:

    ```mlir
    %1 = bsmm.convert_values %0 : vector<16xf32> to vector<16xf8E4M3FN>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$source);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Bsmm_WriteSharedOp : Bsmm_PipelineOp<"write_shared"> {
  let summary = "write the values of a drain to shared memory";
  let description = [{
    Writes the thread's values to their rows and columns of a buffer, at their
    swizzled places. `row` and `column` (i32) are those of the thread's first
    value in the buffer. The values are consecutive columns of one row, unless
    they stand in a drain that says otherwise.

    Example:

    ```mlir
    bsmm.write_shared %v, %buf[%row, %column]
        : vector<32xf16>, !bsmm.buffer<128x128xf16, shared, swizzle_128B>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$values, Bsmm_BufferType:$buffer,
                       I32:$row, I32:$column);
  let assemblyFormat = [{
    $values `,` $buffer `[` $row `,` $column `]` attr-dict `:` type($values)
    `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Bsmm_WriteGlobalOp : Bsmm_PipelineOp<"write_global"> {
  let summary = "write the values of a drain to global memory";
  let description = [{
    Writes the thread's values to their rows and columns of a matrix in global
    memory, each one only where row and column are below the limits (i32). `row`
    and `column` are those of the thread's first value; `stride` is the pitch of
    a row in elements (i64); `base` is the offset of the matrix in elements
    (i64). Outside of a drain from registers the values are consecutive columns
    of one row.

    Example:

    ```mlir
    bsmm.write_global %v, %p[%row, %column] base %o stride %s limits [%M, %N]
        : vector<32xf16>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$values,
                       Bsmm_GlobalPointer:$pointer, I32:$row, I32:$column,
                       I64:$base, I64:$stride, I32:$limit_row,
                       I32:$limit_column);
  let assemblyFormat = [{
    $values `,` $pointer `[` $row `,` $column `]` `base` $base `stride` $stride
    `limits` `[` $limit_row `,` $limit_column `]` attr-dict `:` type($values)
  }];
  let hasVerifier = 1;
}

def Bsmm_StoreAsyncOp : Bsmm_PipelineOp<"store_async"> {
  let summary = "start the copy of a tile from shared to global memory";
  let description = [{
    Issues the TMA stores of a tile and closes their group. The writes of the
    CTA's threads to the buffer must be visible to the TMA unit
    (`bsmm.publish`). Coordinates and `add` as in `bsmm.tma_store`.

    Example:

    ```mlir
    bsmm.store_async %buf, %d[%l, %m, %n]
        : !bsmm.buffer<128x128xf16, shared, swizzle_128B>,
          !bsmm.tensor_map<1x128x128xf16>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_BufferType:$source, Bsmm_TensorMapType:$map,
                       Variadic<I32>:$coordinates, UnitAttr:$add);
  let assemblyFormat = [{
    $source `,` $map `[` $coordinates `]` (`add` $add^)? attr-dict `:` qualified(type($source)) `,`
    qualified(type($map))
  }];
  let hasVerifier = 1;
}

def Bsmm_WaitStoresOp : Bsmm_PipelineOp<"wait_stores"> {
  let summary = "wait for the stores of this thread";
  let description = [{
    Waits until at most `pending` of the stores that this thread has issued have
    still to read shared memory (`read`), or to complete.

    Example: `bsmm.wait_stores read pending 1`

    Since version 1.
  }];
  let arguments = (ins UnitAttr:$read,
                       DefaultValuedAttr<I64Attr, "0">:$pending);
  let assemblyFormat = "(`read` $read^)? (`pending` $pending^)? attr-dict";
  let hasVerifier = 1;
}

def Bsmm_SynchronizeOp : Bsmm_PipelineOp<"synchronize"> {
  let summary = "all threads of the CTA meet";
  let description = [{
    A barrier of the whole CTA, or of the warpgroups whose role it stands in,
    that also orders tensor-memory operations of the threads before it against
    those after it.

    With `each_warpgroup` each warpgroup of the role does so on its own.

    Example: `bsmm.synchronize`

    Since version 1.
  }];
  let arguments = (ins UnitAttr:$each_warpgroup);
  let assemblyFormat = "(`each_warpgroup` $each_warpgroup^)? attr-dict";
  let hasVerifier = 1;
}

def Bsmm_PublishOp : Bsmm_PipelineOp<"publish"> {
  let summary = "make shared-memory writes visible to the CTA and the TMA unit";
  let description = [{
    Executed by all threads of the CTA, or of the warpgroups whose role it stands
    in: orders their writes to shared memory before later asynchronous reads
    (proxy fence) and meets at a barrier.

    With `each_warpgroup` each warpgroup of the role does so on its own.

    Example: `bsmm.publish`

    Since version 1.
  }];
  let arguments = (ins UnitAttr:$each_warpgroup);
  let assemblyFormat = "(`each_warpgroup` $each_warpgroup^)? attr-dict";
  let hasVerifier = 1;
}

#endif // BSMM_DIALECT_IR_BSMMPIPELINEOPS_TD

//===- BsmmTypes.td - types of the bsmm dialect ------------*- tablegen -*-===//

#ifndef BSMM_DIALECT_IR_BSMMTYPES_TD
#define BSMM_DIALECT_IR_BSMMTYPES_TD

include "bsmm/Dialect/IR/BsmmAttributes.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

/// A pointer to global memory.
def Bsmm_GlobalPointer : LLVM_PointerInAddressSpace<1>;

def Bsmm_TensorMapType : Bsmm_Type<"TensorMap", "tensor_map"> {
  let summary = "a tensor in global memory as the TMA unit sees it";
  let description = [{
    A kernel argument that names a tensor in global memory. The shape is the
    tile that one load or store moves, outermost dimension first, in elements;
    the extents of the tensor itself are run-time values. A tile may need
    several TMA boxes: they are derived.

    Example:

    ```mlir
    !bsmm.tensor_map<1x128x256xf4E2M1FN>
    ```

    Since version 1.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Bsmm_BufferType : Bsmm_Type<"Buffer", "buffer"> {
  let summary = "a tile in shared or tensor memory";
  let description = [{
    A tile of elements at a fixed place of shared memory or tensor memory,
    with the layout of its elements:

    * shared memory: `row_major`, `swizzle_32B`, `swizzle_64B` and
      `swizzle_128B` (panels of that many bytes along the inner dimension, each
      holding all rows, 16-byte units exchanged as the TMA unit and the tensor
      core do it), `scale_tiles` (512-byte tiles of 128x4 scale factors);
    * tensor memory: `accumulator` and `scale_tiles`.

    Example:

    ```mlir
    !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>
    ```

    Since version 1.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    EnumParameter<Bsmm_MemorySpace>:$memorySpace,
    EnumParameter<Bsmm_BufferLayout>:$layout
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes that the buffer takes in shared memory; 0 for tensor memory.
    int64_t getSharedBytes() const;
    /// Alignment of the buffer in shared memory, in bytes: its swizzle pattern,
    /// so that the base-offset field of a descriptor is 0, and the TMA unit's
    /// own rule at least.
    int64_t getSharedAlignment() const;
    /// 32-bit columns that the buffer takes in tensor memory; 0 for shared.
    int64_t getTensorMemoryColumns() const;
  }];
}

def Bsmm_AccumulatorType : Bsmm_Type<"Accumulator", "accumulator"> {
  let summary = "an accumulator in the registers of warpgroups";
  let description = [{
    The sum of a tile in registers, spread over the threads of the role that
    issues and drains it: its rows are split evenly among the `warpgroups` of
    the role (1 when not stated), in blocks of 64 rows laid out as `wgmma`
    leaves them (PTX ISA 9.7.16.5.1). With `by_columns` its columns are split
    among them instead, and each warpgroup holds all rows. It is an SSA value: an operation on it gives the new value, so
    that nothing can use the sum before the wait that makes it valid. It never
    leaves its role; accumulators in tensor memory are `!bsmm.buffer`s.

    Example:

    ```mlir
    !bsmm.accumulator<128x256xf32, warpgroups = 2>
    ```

    Since version 1.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "int64_t":$warpgroups,
    "bool":$byColumns
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Rows and columns that each warpgroup holds.
    int64_t getWarpgroupRows() const;
    int64_t getWarpgroupColumns() const;
    /// Blocks of 64 rows that each warpgroup holds.
    int64_t getRowBlocks() const { return getWarpgroupRows() / 64; }
  }];
}

def Bsmm_ChannelType : Bsmm_Type<"Channel", "channel"> {
  let summary = "a ring of slots between two roles";
  let description = [{
    A ring of `slots` slots, each holding one buffer of every listed type. A
    producer acquires a slot, fills it and commits; a consumer waits for it,
    reads it and releases it. A channel without buffers carries no data: two
    roles take turns by it (an order channel).

    Example:

    ```mlir
    !bsmm.channel<4, !bsmm.buffer<128x256xf4E2M1FN, shared, swizzle_128B>>
    !bsmm.channel<1>
    ```

    Since version 1.
  }];
  let parameters = (ins
    "int64_t":$slots,
    OptionalArrayRefParameter<"::bsmm::BufferType">:$buffers
  );
  let assemblyFormat = "`<` $slots (`,` $buffers^)? `>`";
  let extraClassDeclaration = [{
    /// Where the buffers of a slot lie; shared memory when there are none.
    ::bsmm::MemorySpace getMemorySpace() const;
  }];
  let genVerifyDecl = 1;
}

#endif // BSMM_DIALECT_IR_BSMMTYPES_TD

//===- BsmmAttributes.td - attributes of the bsmm dialect --*- tablegen -*-===//

#ifndef BSMM_DIALECT_IR_BSMMATTRIBUTES_TD
#define BSMM_DIALECT_IR_BSMMATTRIBUTES_TD

include "bsmm/Dialect/IR/BsmmDialect.td"
include "mlir/IR/TensorEncoding.td"

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class Bsmm_Enum<string name, string doc, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, doc, cases> {
  let cppNamespace = "::bsmm";
  let genSpecializedAttr = 0;
}

def Bsmm_Level : Bsmm_Enum<"Level", "level of the dialect", [
  I32EnumAttrCase<"Problem", 0, "problem">,
  I32EnumAttrCase<"Tile", 1, "tile">,
  I32EnumAttrCase<"Pipeline", 2, "pipeline">
]>;
def Bsmm_LevelAttr : EnumAttr<Bsmm_Dialect, Bsmm_Level, "level"> {
  let assemblyFormat = "`<` $value `>`";
}

def Bsmm_ScaleOrder : Bsmm_Enum<"ScaleOrder", "order of scale factors", [
  I32EnumAttrCase<"Linear", 0, "linear">,
  I32EnumAttrCase<"Blocked128x4", 1, "blocked_128x4">,
  I32EnumAttrCase<"ColumnMajor", 2, "column_major">
]>;

def Bsmm_Activation : Bsmm_Enum<"Activation", "epilogue activation", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Relu", 1, "relu">,
  I32EnumAttrCase<"Silu", 2, "silu">
]>;
def Bsmm_ActivationAttr : EnumAttr<Bsmm_Dialect, Bsmm_Activation,
                                   "activation"> {
  let assemblyFormat = "`<` $value `>`";
}

def Bsmm_GridRule : Bsmm_Enum<"GridRule", "how many CTAs are launched", [
  I32EnumAttrCase<"Tile", 0, "tile">,
  I32EnumAttrCase<"Persistent", 1, "persistent">
]>;
def Bsmm_GridRuleAttr : EnumAttr<Bsmm_Dialect, Bsmm_GridRule, "grid"> {
  let description = [{
    `tile` launches one CTA for each output tile; `persistent` launches at
    most one CTA for each streaming multiprocessor, and each CTA walks over
    output tiles.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Bsmm_CacheEviction : Bsmm_Enum<"CacheEviction",
    "which of the lines of the L2 cache go first", [
  I32EnumAttrCase<"EvictFirst", 0, "evict_first">,
  I32EnumAttrCase<"EvictLast", 1, "evict_last">
]>;
def Bsmm_CacheEvictionAttr
    : EnumAttr<Bsmm_Dialect, Bsmm_CacheEviction, "cache"> {
  let description = [{
    A hint to the L2 cache for what a copy reads: `evict_first` for data that is
    read once, `evict_last` for data that is read again (PTX ISA,
    createpolicy). Without it lines go in the usual order.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Bsmm_ArgumentRole : Bsmm_Enum<"ArgumentRole", "role of a kernel argument", [
  I32EnumAttrCase<"A", 0, "a">,
  I32EnumAttrCase<"B", 1, "b">,
  I32EnumAttrCase<"ScaleA", 2, "sfa">,
  I32EnumAttrCase<"ScaleB", 3, "sfb">,
  I32EnumAttrCase<"C", 4, "c">,
  I32EnumAttrCase<"D", 5, "d">,
  I32EnumAttrCase<"RowScaleA", 6, "sa">,
  I32EnumAttrCase<"RowScaleB", 7, "sb">,
  I32EnumAttrCase<"Bias", 8, "bias">,
  I32EnumAttrCase<"M", 9, "m">,
  I32EnumAttrCase<"N", 10, "n">,
  I32EnumAttrCase<"K", 11, "k">,
  I32EnumAttrCase<"L", 12, "l">,
  I32EnumAttrCase<"PitchScaleA", 13, "pitch_sfa">,
  I32EnumAttrCase<"BatchStrideScaleA", 14, "batch_stride_sfa">,
  I32EnumAttrCase<"PitchScaleB", 15, "pitch_sfb">,
  I32EnumAttrCase<"BatchStrideScaleB", 16, "batch_stride_sfb">,
  I32EnumAttrCase<"PitchC", 17, "pitch_c">,
  I32EnumAttrCase<"BatchStrideC", 18, "batch_stride_c">,
  I32EnumAttrCase<"PitchD", 19, "pitch_d">,
  I32EnumAttrCase<"BatchStrideD", 20, "batch_stride_d">,
  I32EnumAttrCase<"Alpha", 21, "alpha">,
  I32EnumAttrCase<"Beta", 22, "beta">,
  I32EnumAttrCase<"OutScale", 23, "out_scale">
]>;
def Bsmm_ArgumentRoleAttr : EnumAttr<Bsmm_Dialect, Bsmm_ArgumentRole, "role"> {
  let description = [{
    What a kernel argument is for, as in the launch schema `bsmm.launch/1`
    (docs/abi.md). Roles appear in the order of the schema.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Bsmm_Overflow : Bsmm_Enum<"Overflow", "what the output cast does on overflow", [
  I32EnumAttrCase<"Infinity", 0, "infinity">,
  I32EnumAttrCase<"Saturate", 1, "saturate">
]>;

def Bsmm_MemorySpace : Bsmm_Enum<"MemorySpace", "memory of a buffer", [
  I32EnumAttrCase<"Shared", 0, "shared">,
  I32EnumAttrCase<"TensorMemory", 1, "tensor_memory">
]>;

def Bsmm_BufferLayout : Bsmm_Enum<"BufferLayout", "placement of a buffer's elements", [
  I32EnumAttrCase<"RowMajor", 0, "row_major">,
  I32EnumAttrCase<"Swizzle32B", 1, "swizzle_32B">,
  I32EnumAttrCase<"Swizzle64B", 2, "swizzle_64B">,
  I32EnumAttrCase<"Swizzle128B", 3, "swizzle_128B">,
  I32EnumAttrCase<"ScaleTiles", 4, "scale_tiles">,
  I32EnumAttrCase<"Accumulator", 5, "accumulator">
]>;

def Bsmm_ArrivalKind : Bsmm_Enum<"ArrivalKind", "how a side of a channel arrives", [
  I32EnumAttrCase<"Transaction", 0, "transaction">,
  I32EnumAttrCase<"MmaCommit", 1, "mma_commit">,
  I32EnumAttrCase<"Threads", 2, "threads">,
  I32EnumAttrCase<"Warps", 3, "warps">
]>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Bsmm_TargetAttr : Bsmm_Attr<"Target", "target"> {
  let summary = "GPU target that a module or kernel is compiled for";
  let description = [{
    The GPU target, one of the rows of `bsmm/Target/Target.h`
    (docs/targets.md).

    Example:

    ```mlir
    module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
    }
    ```

    Since version 1.
  }];
  let parameters = (ins StringRefParameter<"name of the target">:$chip);
  let assemblyFormat = "`<` $chip `>`";
  let genVerifyDecl = 1;
}

def Bsmm_ScalesAttr : Bsmm_Attr<"Scales", "scales",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "order of a scale-factor tensor";
  let description = [{
    Encoding of a scale-factor tensor of logical shape `[rows, groups]` or
    `[batch, rows, groups]`: the scale of row `m` and of the `vec` elements of
    K that start at `group * vec`. The extents of the tensor type are the valid
    ones. With `rows` a scale belongs to so many rows of its operand, and the
    tensor has one row for all of them.

    Scales of 16 or 32 elements are those of block-scaled tensor cores, of 8
    bits. Scales of 128 elements are f32, of one row or of 128, and are applied
    to the sums of 128 products.

    * `linear`: row-major, as the shape says.
    * `column_major`: the scales of a group follow each other, one for each row.
    * `blocked_128x4`: the order that tensor cores read. Rows are padded to a
      multiple of 128 and groups to a multiple of 4; each 128x4 tile is 512
      contiguous bytes with element `(m, g)` at
      `(m % 32) * 16 + (m / 32 % 4) * 4 + g % 4`; tiles follow each other along
      groups, then rows, then batch (PTX ISA, "Scale factor layouts" of
      tcgen05.mma).

    Example:

    ```mlir
    tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
    ```

    Since version 1.
  }];
  let parameters = (ins
    EnumParameter<Bsmm_ScaleOrder>:$order,
    "int64_t":$vec,
    DefaultValuedParameter<"int64_t", "1">:$rows
  );
  let assemblyFormat = [{
    `<` $order `,` `vec` `=` $vec (`,` `rows` `=` $rows^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Bsmm_NumericsAttr : Bsmm_Attr<"Numerics", "numerics"> {
  let summary = "numeric choices of a matrix multiplication";
  let description = [{
    * `accumulate`: type of the accumulator.
    * `promote_every`: add the tensor core's partial sum to an f32 accumulator
      every so many elements of K; 0 means never (fast accumulation).
    * `contract`: whether the epilogue may fuse multiply and add.
    * `overflow`: `infinity` or `saturate` in the cast to the output type.

    Example: `#bsmm.numerics<accumulate = f32, overflow = infinity>`

    Since version 1.
  }];
  let parameters = (ins
    "::mlir::Type":$accumulate,
    DefaultValuedParameter<"int64_t", "0">:$promote_every,
    DefaultValuedParameter<"bool", "false">:$contract,
    DefaultValuedParameter<"::bsmm::Overflow", "::bsmm::Overflow::Infinity">:$overflow
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Bsmm_TileAttr : Bsmm_Attr<"Tile", "tile"> {
  let summary = "tile of a kernel: rows, columns and depth";
  let description = [{
    The output tile (`m` rows, `n` columns) that a CTA computes at a time and
    the extent `k` of the reduction that one step of its loop consumes, all in
    elements.

    Example: `#bsmm.tile<m = 128, n = 128, k = 256>`

    Since version 1.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Bsmm_ArrivalAttr : Bsmm_Attr<"Arrival", "arrival"> {
  let summary = "how one side of a channel signals";
  let description = [{
    * `transaction`: one thread announces the bytes, the copies deliver them.
    * `mma_commit`: the tensor core arrives when all its earlier operations of
      the issuing thread are complete.
    * `threads`: `count` threads arrive.
    * `warps`: one thread of each of `count` warps arrives.

    Example: `#bsmm.arrival<threads, count = 128>`

    Since version 1.
  }];
  let parameters = (ins
    EnumParameter<Bsmm_ArrivalKind>:$kind,
    DefaultValuedParameter<"int64_t", "1">:$count
  );
  let assemblyFormat = "`<` $kind (`,` `count` `=` $count^)? `>`";
  let genVerifyDecl = 1;
}

#endif // BSMM_DIALECT_IR_BSMMATTRIBUTES_TD

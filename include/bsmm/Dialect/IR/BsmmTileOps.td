//===- BsmmTileOps.td - the program of one CTA over tensors ---------*- tablegen -*-===//

#ifndef BSMM_DIALECT_IR_BSMMTILEOPS_TD
#define BSMM_DIALECT_IR_BSMMTILEOPS_TD

include "bsmm/Dialect/IR/BsmmTypes.td"
include "bsmm/Dialect/IR/BsmmInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Bsmm_TileOp<string mnemonic, list<Trait> traits = []>
    : Bsmm_Op<mnemonic, traits # [Bsmm_LevelOpInterface]> {
  code levelDeclaration = [{
    static ::bsmm::Level getLevel() { return ::bsmm::Level::Tile; }
  }];
  let extraClassDeclaration = levelDeclaration;
}

def Bsmm_TmaLoadOp : Bsmm_TileOp<"tma_load", [
    MemoryEffects<[MemRead]>]> {
  let summary = "load a tile through a tensor map";
  let description = [{
    Loads the tile at the given coordinates (i32, in elements, outermost
    dimension first). Elements outside of the tensor are zero. `cache` is a hint
    to the L2 cache.

    Example:

    ```mlir
    %t = bsmm.tma_load %a[%l, %m, %k]
        : !bsmm.tensor_map<1x128x256xf4E2M1FN> -> tensor<1x128x256xf4E2M1FN>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_TensorMapType:$map, Variadic<I32>:$coordinates,
                       OptionalAttr<Bsmm_CacheEvictionAttr>:$cache);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $map `[` $coordinates `]` attr-dict `:` qualified(type($map)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Bsmm_TmaStoreOp : Bsmm_TileOp<"tma_store", [
    MemoryEffects<[MemWrite]>]> {
  let summary = "store a tile through a tensor map";
  let description = [{
    Stores the tile at the given coordinates (i32, in elements, outermost
    dimension first). Elements outside of the tensor are not stored.

    With `add` the tile, of f32, is added to what the tensor holds, each element
    as one atomic addition (PTX ISA, cp.reduce.async.bulk.tensor). The tensor
    holds zeros before the kernel, which the launch schema says. Several CTAs
    that add to an element do so in any order.

    Example:

    ```mlir
    bsmm.tma_store %t, %d[%l, %m, %n]
        : tensor<1x128x128xf16>, !bsmm.tensor_map<1x128x128xf16>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, Bsmm_TensorMapType:$map,
                       Variadic<I32>:$coordinates, UnitAttr:$add);
  let assemblyFormat = [{
    $tile `,` $map `[` $coordinates `]` (`add` $add^)? attr-dict `:` type($tile) `,` qualified(type($map))
  }];
  let hasVerifier = 1;
}

def Bsmm_PredicatedStoreOp : Bsmm_TileOp<"predicated_store", [
    MemoryEffects<[MemWrite]>]> {
  let summary = "store a tile element by element";
  let description = [{
    Stores the elements of a tile `[1, rows, columns]` that lie inside of the
    output: the path for outputs whose base address or pitch breaks the
    16-byte rule of the TMA unit. `limits` are the extents M and N of the
    output (i32), `strides` the strides of batch and row in elements (i64).

    Example:

    ```mlir
    bsmm.predicated_store %t, %d[%l, %m, %n] limits [%M, %N]
        strides [%sl, %sm] : tensor<1x128x128xf16>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, Bsmm_GlobalPointer:$pointer,
                       Variadic<I32>:$coordinates, I32:$limit_m, I32:$limit_n,
                       I64:$stride_batch, I64:$stride_row);
  let assemblyFormat = [{
    $tile `,` $pointer `[` $coordinates `]` `limits` `[` $limit_m `,` $limit_n
    `]` `strides` `[` $stride_batch `,` $stride_row `]` attr-dict `:`
    type($tile)
  }];
  let hasVerifier = 1;
}

def Bsmm_PredicatedLoadOp : Bsmm_TileOp<"predicated_load", [
    MemoryEffects<[MemRead]>]> {
  let summary = "load a tile element by element";
  let description = [{
    Loads the elements of a tile `[1, rows, columns]` that lie inside of a
    matrix in global memory; the others are zero. It is how an epilogue reads C:
    base address and pitch need no alignment beyond that of an element.
    `limits` are the extents M and N of the matrix (i32), `strides` the strides
    of batch and row in elements (i64).

    Example:

    ```mlir
    %t = bsmm.predicated_load %c[%l, %m, %n] limits [%M, %N]
        strides [%sl, %sm] : tensor<1x128x128xf16>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_GlobalPointer:$pointer,
                       Variadic<I32>:$coordinates, I32:$limit_m, I32:$limit_n,
                       I64:$stride_batch, I64:$stride_row);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $pointer `[` $coordinates `]` `limits` `[` $limit_m `,` $limit_n `]`
    `strides` `[` $stride_batch `,` $stride_row `]` attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

def Bsmm_VectorLoadOp : Bsmm_TileOp<"vector_load", [
    MemoryEffects<[MemRead]>]> {
  let summary = "load consecutive elements of a vector in global memory";
  let description = [{
    Loads elements `offset`, `offset + 1`, ... (i32) of a vector; those from
    `limit` (i32) on are zero. It is how an epilogue reads row scales, column
    scales and a bias.

    Example:

    ```mlir
    %v = bsmm.vector_load %p[%n] limit %N : tensor<256xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_GlobalPointer:$pointer, I32:$offset, I32:$limit);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $pointer `[` $offset `]` `limit` $limit attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Bsmm_ScaleLoadOp : Bsmm_TileOp<"scale_load", [
    MemoryEffects<[MemRead]>]> {
  let summary = "load the block scales of a tile's rows for one group of K";
  let description = [{
    A vector with the scale of each row of a tile of A or B, for one group of
    elements of K. The scales are f32 in global memory, one for every `block`
    rows: that of row `i` of the tile at `[batch, row, group]` is
    `p[batch * stride_batch + (row + i) / block * stride_row +
    group * stride_group]`. Rows and groups from the limits (i32) on have a
    scale of zero, and nothing is read for them. Strides are in elements (i64).

    Example:

    ```mlir
    %v = bsmm.scale_load %p[%l, %n, %g] limits [%N, %groups]
        strides [%sl, %sr, %one] block 128 : tensor<256xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins Bsmm_GlobalPointer:$pointer, I32:$batch, I32:$row,
                       I32:$group, I32:$limit_row, I32:$limit_group,
                       I64:$stride_batch, I64:$stride_row, I64:$stride_group,
                       I64Attr:$block);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $pointer `[` $batch `,` $row `,` $group `]` `limits` `[` $limit_row `,`
    $limit_group `]` `strides` `[` $stride_batch `,` $stride_row `,`
    $stride_group `]` `block` $block attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Bsmm_BroadcastOp : Bsmm_TileOp<"broadcast", [Pure]> {
  let summary = "a vector repeated along the other dimension of a tile";
  let description = [{
    A tile of rank 2 whose element `[i, j]` is the element of the vector at the
    index of dimension `dimension`: 0 repeats it along rows (a scale of each
    row), 1 along columns (a bias of each column). A vector of one element
    stands for all.

    Example:

    ```mlir
    %1 = bsmm.broadcast %0 dimension 1 : tensor<256xf32> to tensor<128x256xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, I64Attr:$dimension);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $source `dimension` $dimension attr-dict `:` type($source) `to`
    type($result)
  }];
  let hasVerifier = 1;
}

def Bsmm_SaturatingCastOp : Bsmm_TileOp<"saturating_cast", [
    Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "f32 values rounded to 8 bits";
  let description = [{
    Rounds to f8E4M3FN or f8E5M2, to nearest even. What is beyond the largest
    finite value becomes that value, infinities included; NaN stays NaN (PTX ISA,
    cvt.rn.satfinite).

    Example:

    ```mlir
    %1 = bsmm.saturating_cast %0 : tensor<128x256xf32> to tensor<128x256xf8E4M3FN>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Bsmm_ReshapeOp : Bsmm_TileOp<"reshape", [Pure]> {
  let summary = "same elements, in the same order, in another shape";
  let description = [{
    Keeps the row-major order of the elements and changes the shape. It never
    moves data: a chain of `reshape` and `trans` between a load and a dot folds
    into one layout.

    Example:

    ```mlir
    %1 = bsmm.reshape %0 : tensor<1x1x4x2x256xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Bsmm_TransOp : Bsmm_TileOp<"trans", [Pure]> {
  let summary = "permute the dimensions of a tile";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the source.

    Example:

    ```mlir
    %1 = bsmm.trans %0 [0, 3, 2, 1, 4] : tensor<1x4x32x4x4xf8E4M3FN>
        to tensor<1x4x32x4x4xf8E4M3FN>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, DenseI64ArrayAttr:$order);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $source $order attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Bsmm_ExtractRowsOp : Bsmm_TileOp<"extract_rows", [Pure]> {
  let summary = "some rows of a tile";
  let description = [{
    The rows `[offset, offset + rows of the result)` of a tile of rank 2. The
    offset (i32) is a run-time value: a tile of B whose columns are no multiple
    of 128 starts inside of a scale tile at some places.

    Example:

    ```mlir
    %1 = bsmm.extract_rows %0[%half] : tensor<256x16xf8E4M3FN>
        to tensor<192x16xf8E4M3FN>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, I32:$offset);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $source `[` $offset `]` attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Bsmm_ExtractColumnsOp : Bsmm_TileOp<"extract_columns", [Pure]> {
  let summary = "some columns of a tile";
  let description = [{
    The columns `[offset, offset + columns of the result)` of a tile of rank 2.
    The offset (i32) is a run-time value: the tensor core reads scales of B from
    a multiple of 32 columns on, so that a tile that starts 16 columns later is
    part of a wider product.

    Example:

    ```mlir
    %1 = bsmm.extract_columns %0[%first] : tensor<128x64xf32>
        to tensor<128x48xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, I32:$offset);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $source `[` $offset `]` attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Bsmm_ScaledDotOp : Bsmm_TileOp<"scaled_dot", [
    Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "block-scaled matrix multiplication of tiles";
  let description = [{
    `result = accumulator + (A * SA) (B * SB)` with A `[m, k]`, B `[k, n]`, SA
    `[m, k / vec]`, SB `[n, k / vec]`. A scale is read as its absolute value
    when it is e4m3, and multiplies the `vec` elements of K of its group.

    `limit_k` is the number of groups of K that are valid from here on (i32);
    scales of later groups count as zero whatever their bytes hold. Without it
    all groups are valid, padding groups of the last scale tile as well: the
    launch manifest then asks for a K of whole scale tiles, 4 groups.

    Example:

    ```mlir
    %d = bsmm.scaled_dot %a scales %sa, %b scales %sb, %acc
        : tensor<128x256xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<256x128xf4E2M1FN>, tensor<128x16xf8E4M3FN>,
          tensor<128x128xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$a, AnyStaticShapeTensor:$scale_a,
    AnyStaticShapeTensor:$b, AnyStaticShapeTensor:$scale_b,
    AnyStaticShapeTensor:$accumulator, Optional<I32>:$limit_k);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $a `scales` $scale_a `,` $b `scales` $scale_b `,` $accumulator
    (`limit_k` `(` $limit_k^ `)`)? attr-dict `:`
    type($a) `,` type($scale_a) `,` type($b) `,` type($scale_b) `,`
    type($accumulator)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = levelDeclaration # [{
    int64_t getM();
    int64_t getN();
    int64_t getK();
    /// Elements of K that share one scale.
    int64_t getScaleVectorSize();
  }];
}

def Bsmm_DotOp : Bsmm_TileOp<"dot", [
    Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "matrix multiplication of tiles";
  let description = [{
    `result = accumulator + A B` with A `[m, k]` and B `[k, n]`, both K-major in
    memory.

    Tensor cores may keep fewer bits of a sum than the accumulator's type has
    (wgmma with 8-bit operands: 13 bits of fraction). With `promote_every` the
    sum of that many elements of K is added to the accumulator in full
    precision; without it the tensor core alone accumulates.

    `scales` are vectors of f32 for the rows of A and the columns of B: the sum
    of the tile's products is multiplied by `sa[i] * sb[j]`, rounded to f32, and
    added to the accumulator with one rounding. They need a `promote_every` of
    k.

    Example:

    ```mlir
    %d = bsmm.dot %a, %b, %acc
        : tensor<128x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>,
          tensor<128x256xf32>
    %e = bsmm.dot %a, %b, %acc promote_every 128 scales(%sa, %sb)
        : tensor<128x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>,
          tensor<128x256xf32>, tensor<128xf32>, tensor<256xf32>
    ```

    Since version 1.
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$a, AnyStaticShapeTensor:$b,
    AnyStaticShapeTensor:$accumulator, OptionalAttr<I64Attr>:$promote_every,
    Variadic<AnyStaticShapeTensor>:$scales);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`promote_every` $promote_every^)?
    (`scales` `(` $scales^ `)`)? attr-dict `:`
    type($a) `,` type($b) `,` type($accumulator) (`,` type($scales)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = levelDeclaration # [{
    int64_t getM();
    int64_t getN();
    int64_t getK();
  }];
}

def Bsmm_GroupedOrderOp : Bsmm_TileOp<"grouped_order", [Pure]> {
  let summary = "cache-friendly order of output tiles";
  let description = [{
    Maps the linear number of an output tile to its row and column (i32).
    Groups of `group` tile rows are walked column by column, so that tiles
    computed at the same time share operands in the L2 cache. The last group
    may have fewer rows. With `all` true the tile rows are one group: where A
    stays in the cache as a whole, B is then read from memory once.

    Example:

    ```mlir
    %m, %n = bsmm.grouped_order %tile of %tiles_m, %tiles_n group 4
    %i, %j = bsmm.grouped_order %tile of %tiles_m, %tiles_n group 4 all %fits
    ```

    Since version 1.
  }];
  let arguments = (ins I32:$linear, I32:$tiles_m, I32:$tiles_n,
                       I32Attr:$group, Optional<I1>:$all);
  let results = (outs I32:$row, I32:$column);
  let assemblyFormat = [{
    $linear `of` $tiles_m `,` $tiles_n `group` $group (`all` $all^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // BSMM_DIALECT_IR_BSMMTILEOPS_TD

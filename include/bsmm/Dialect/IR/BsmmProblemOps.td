//===- BsmmProblemOps.td - operations on whole tensors --------------*- tablegen -*-===//

#ifndef BSMM_DIALECT_IR_BSMMPROBLEMOPS_TD
#define BSMM_DIALECT_IR_BSMMPROBLEMOPS_TD

include "bsmm/Dialect/IR/BsmmTypes.td"
include "bsmm/Dialect/IR/BsmmInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Bsmm_ProblemOp<string mnemonic, list<Trait> traits = []>
    : Bsmm_Op<mnemonic, traits # [Bsmm_LevelOpInterface]> {
  code levelDeclaration = [{
    static ::bsmm::Level getLevel() { return ::bsmm::Level::Problem; }
  }];
  let extraClassDeclaration = levelDeclaration;
}

def Bsmm_ScaledMatmulOp : Bsmm_ProblemOp<"scaled_matmul", [
    Pure, AttrSizedOperandSegments, DestinationStyleOpInterface]> {
  let summary = "block-scaled matrix multiplication of whole tensors";
  let description = [{
    Computes
    `D = cast(act(alpha * (acc * sa[m] * sb[n]) + beta * C + bias[n]) * out_scale)`
    with `acc[m, n] = sum_k A[m, k] SA[m, k / vec] B[n, k] SB[n, k / vec]`,
    batched over a leading dimension when the operands have rank 3. Both
    operands are K-major: A is `[L, M, K]`, B is `[L, N, K]`, C and D are
    `[L, M, N]`; the block scales are `[L, M, ceil(K / vec)]` and
    `[L, N, ceil(K / vec)]` and say their order and vector size in their
    encoding. The epilogue is computed in f32, in that order; `beta` absent
    means that C is not read.

    Block scales are given for both operands or for neither; without them the
    operands are multiplied as they are. Scales of f32 for 8-bit operands belong
    to 128 elements of K, of one row of A and of 128 rows of B:
    `acc = sum_g (SA[m, g] SB[n / 128, g]) sum_(k in g) A[m, k] B[n, k]`, where
    the product of the two scales is rounded to f32, and each sum of 128
    products, which the tensor core makes, is multiplied by it and added in f32
    with one rounding. `row_scales` are vectors of f32, of M
    values for A and of N values for B, or of one value for a whole tensor.

    Example:

    ```mlir
    #sf = #bsmm.scales<blocked_128x4, vec = 16>
    %d = bsmm.scaled_matmul
        ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
            tensor<128x64xf8E4M3FN, #sf>, tensor<512x1024xf4E2M1FN>,
            tensor<512x64xf8E4M3FN, #sf>)
        outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
    %e = bsmm.scaled_matmul
        ins(%f, %g : tensor<128x1024xf8E4M3FN>, tensor<512x1024xf8E4M3FN>)
        outs(%h : tensor<128x512xbf16>)
        row_scale_a(%ra : tensor<128xf32>) row_scale_b(%rb : tensor<1xf32>)
        -> tensor<128x512xbf16>
    ```

    Since version 1.
  }];
  let arguments = (ins
    AnyRankedTensor:$a,
    Optional<AnyRankedTensor>:$scale_a,
    AnyRankedTensor:$b,
    Optional<AnyRankedTensor>:$scale_b,
    AnyRankedTensor:$init,
    Optional<AnyRankedTensor>:$row_scale_a,
    Optional<AnyRankedTensor>:$row_scale_b,
    Optional<F32>:$alpha,
    Optional<F32>:$beta,
    Optional<AnyRankedTensor>:$bias,
    Optional<F32>:$out_scale,
    DefaultValuedAttr<Bsmm_ActivationAttr, "::bsmm::Activation::None">:$activation,
    OptionalAttr<Bsmm_NumericsAttr>:$numerics
  );
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` custom<ScaledOperands>($a, type($a), $scale_a, type($scale_a),
                                     $b, type($b), $scale_b, type($scale_b)) `)`
    `outs` `(` $init `:` type($init) `)`
    (`row_scale_a` `(` $row_scale_a^ `:` type($row_scale_a) `)`)?
    (`row_scale_b` `(` $row_scale_b^ `:` type($row_scale_b) `)`)?
    (`alpha` `(` $alpha^ `)`)? (`beta` `(` $beta^ `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)? (`out_scale` `(` $out_scale^ `)`)?
    attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = levelDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
    /// Whether the operands have block scales.
    bool isBlockScaled() { return bool(getScaleA()); }
    /// Elements of K that share one block scale; 0 without block scales.
    int64_t getScaleVectorSize();
    /// Whether the block scales multiply sums of blocks, and not the operands:
    /// f32 scales.
    bool scalesSums();
  }];
}

def Bsmm_PackScalesOp : Bsmm_ProblemOp<"pack_scales", [Pure]> {
  let summary = "linear scales to blocked scales";
  let description = [{
    Reorders scale factors from `linear` to `blocked_128x4` order. Logical
    shape, element type and vector size stay.

    Example:

    ```mlir
    %1 = bsmm.pack_scales %0
        : tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
        to tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Bsmm_UnpackScalesOp : Bsmm_ProblemOp<"unpack_scales", [Pure]> {
  let summary = "blocked scales to linear scales";
  let description = [{
    The inverse of `bsmm.pack_scales`; padding is dropped.

    Example:

    ```mlir
    %1 = bsmm.unpack_scales %0
        : tensor<128x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
        to tensor<128x64xf8E4M3FN, #bsmm.scales<linear, vec = 16>>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Bsmm_ViewScalesOp : Bsmm_ProblemOp<"view_scales", [Pure]> {
  let summary = "physical view of a blocked scale tensor as a scale tensor";
  let description = [{
    Takes the physical form of a blocked scale tensor for the scale tensor
    itself; no data moves. `memory_order` lists the dimensions of the source
    from outermost to innermost in memory. Written in that order, the source
    must enumerate the 512-byte tiles of 128x4 scales one after another, as
    the result's encoding says: the verifier composes the two layouts and
    refuses every other view with the first coordinate that differs.

    Both usual views are accepted: the user's 6-D view
    `[32, 4, rest_m, 4, rest_k, L]` with memory order `[5, 2, 4, 0, 1, 3]`,
    and the 5-D view of the TMA unit `[L, rest_m, rest_k, 2, 256]`.

    Example:

    ```mlir
    %1 = bsmm.view_scales %0 memory_order [5, 2, 4, 0, 1, 3]
        : tensor<32x4x2x4x16x1xf8E4M3FN>
        to tensor<1x256x64xf8E4M3FN, #bsmm.scales<blocked_128x4, vec = 16>>
    ```

    Since version 1.
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       DenseI64ArrayAttr:$memory_order);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `memory_order` $memory_order attr-dict `:` type($source) `to`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // BSMM_DIALECT_IR_BSMMPROBLEMOPS_TD

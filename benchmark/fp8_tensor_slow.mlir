// D[m, n] = sa * sb * sum over k of A[m, k] B[n, k]: FP8 with one scale for
// each of A and B. Partial sums move from the tensor core's
// accumulator to f32 registers every 128 values of K.
module attributes {bsmm.target = #bsmm.target<"sm_90a">} {
  func.func @fp8_tensor_slow(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>,
                             %sa: tensor<1xf32>, %sb: tensor<1xf32>,
                             %init: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
    %d = bsmm.scaled_matmul
        ins(%a, %b : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>)
        outs(%init : tensor<?x?xbf16>)
        row_scale_a(%sa : tensor<1xf32>) row_scale_b(%sb : tensor<1xf32>)
        {numerics = #bsmm.numerics<accumulate = f32, promote_every = 128>}
        -> tensor<?x?xbf16>
    return %d : tensor<?x?xbf16>
  }
}

// RUN: bsmm-opt %s --bsmm-verify-scales --verify-diagnostics --split-input-file

#blocked = #bsmm.scales<blocked_128x4, vec = 16>
#linear = #bsmm.scales<linear, vec = 16>

// Handing on, asking, packing and casts that keep the order are fine.
func.func @fine(%s: tensor<?x64xf8E4M3FN, #linear>, %c: i1) -> tensor<128x64xf8E4M3FN, #blocked> {
  %0 = tensor.cast %s : tensor<?x64xf8E4M3FN, #linear> to tensor<128x64xf8E4M3FN, #linear>
  %1 = bsmm.pack_scales %0 : tensor<128x64xf8E4M3FN, #linear> to tensor<128x64xf8E4M3FN, #blocked>
  %2 = scf.if %c -> tensor<128x64xf8E4M3FN, #blocked> {
    scf.yield %1 : tensor<128x64xf8E4M3FN, #blocked>
  } else {
    %3 = func.call @fine(%s, %c) : (tensor<?x64xf8E4M3FN, #linear>, i1) -> tensor<128x64xf8E4M3FN, #blocked>
    scf.yield %3 : tensor<128x64xf8E4M3FN, #blocked>
  }
  return %2 : tensor<128x64xf8E4M3FN, #blocked>
}

// -----

#blocked = #bsmm.scales<blocked_128x4, vec = 16>
#linear = #bsmm.scales<linear, vec = 16>

func.func @cast(%s: tensor<128x64xf8E4M3FN, #linear>) -> tensor<128x64xf8E4M3FN, #blocked> {
  // expected-error @below {{expected to keep the order of scales}}
  %0 = tensor.cast %s : tensor<128x64xf8E4M3FN, #linear> to tensor<128x64xf8E4M3FN, #blocked>
  return %0 : tensor<128x64xf8E4M3FN, #blocked>
}

// -----

#blocked = #bsmm.scales<blocked_128x4, vec = 16>

func.func @extract(%s: tensor<128x64xf8E4M3FN, #blocked>, %i: index) -> f8E4M3FN {
  // expected-error @below {{expected only bsmm operations on scales in order #bsmm.scales<blocked_128x4, vec = 16>}}
  %0 = tensor.extract %s[%i, %i] : tensor<128x64xf8E4M3FN, #blocked>
  return %0 : f8E4M3FN
}

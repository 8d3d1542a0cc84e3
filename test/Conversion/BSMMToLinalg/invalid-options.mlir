// RUN: not bsmm-opt %s --convert-bsmm-to-linalg=accumulate=f16 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not bsmm-opt %s --bsmm-to-cpu=accumulate=double 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not bsmm-opt %s --convert-bsmm-to-linalg=persistent-ctas=0 2>&1 | FileCheck %s --check-prefix=CTAS

// TYPE: error: option accumulate: expected f64 or f32, got 'f16'
// NAME: error: option accumulate: expected f64 or f32, got 'double'
// CTAS: error: option persistent-ctas: expected 1 or more, got 0
module {
}

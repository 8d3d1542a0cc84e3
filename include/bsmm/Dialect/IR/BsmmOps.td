//===- BsmmOps.td - all of the bsmm dialect ----------------*- tablegen -*-===//

#ifndef BSMM_DIALECT_IR_BSMMOPS_TD
#define BSMM_DIALECT_IR_BSMMOPS_TD

include "bsmm/Dialect/IR/BsmmKernelOps.td"
include "bsmm/Dialect/IR/BsmmProblemOps.td"
include "bsmm/Dialect/IR/BsmmTileOps.td"
include "bsmm/Dialect/IR/BsmmPipelineOps.td"

#endif // BSMM_DIALECT_IR_BSMMOPS_TD

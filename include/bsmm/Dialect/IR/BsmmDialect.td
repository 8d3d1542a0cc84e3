//===- BsmmDialect.td - the bsmm dialect -------------------*- tablegen -*-===//
//
// The dialect and the base classes of its operations, types and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_DIALECT_IR_BSMMDIALECT_TD
#define BSMM_DIALECT_IR_BSMMDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Bsmm_Dialect : Dialect {
  let name = "bsmm";
  let cppNamespace = "::bsmm";
  let summary = "Block-scaled matrix multiplication";
  let description = [{
    The `bsmm` dialect describes block-scaled matrix multiplication (NVFP4,
    MXFP4/6/8, scaled FP8) at three levels, each a complete language:

    * the *problem level*: whole tensors, value semantics
      (`bsmm.scaled_matmul`);
    * the *tile level*: the program of one CTA over tensors
      (`bsmm.tma_load`, `bsmm.scaled_dot`, ...);
    * the *pipeline level*: explicit asynchrony, memory and channels
      (`bsmm.acquire`, `bsmm.load_async`, `bsmm.scaled_mma`, ...).

    Every operation belongs to exactly one level and says so through
    `bsmm::LevelOpInterface`. Element types are MLIR's own (`f4E2M1FN`,
    `f8E4M3FN`, `f8E8M0FNU`, ...); shapes count elements, also where two
    elements share a byte.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOperations();
    /// Name of the discardable attribute that gives a module its target.
    static constexpr ::llvm::StringLiteral getTargetAttrName() {
      return ::llvm::StringLiteral("bsmm.target");
    }
    /// Name of the argument attribute that gives a kernel argument its role.
    static constexpr ::llvm::StringLiteral getRoleAttrName() {
      return ::llvm::StringLiteral("bsmm.role");
    }
    /// Loop attribute: how many CTAs of a cluster share the steps of the loop
    /// over K, i64.
    static constexpr ::llvm::StringLiteral getSplitAttrName() {
      return ::llvm::StringLiteral("bsmm.split");
    }
    /// Loop attribute: the warpgroups that multiply take turns with the tiles
    /// of a loop over output tiles, each with a whole one, unit.
    static constexpr ::llvm::StringLiteral getPingPongAttrName() {
      return ::llvm::StringLiteral("bsmm.ping_pong");
    }
    /// Loop attribute: how many warps drain accumulators in tensor memory, i64.
    static constexpr ::llvm::StringLiteral getEpilogueWarpsAttrName() {
      return ::llvm::StringLiteral("bsmm.epilogue_warps");
    }
    /// Loop attribute: whether the operations of the loop's body are shared out
    /// over roles, which run through the loop on their own, bool.
    static constexpr ::llvm::StringLiteral getWarpSpecializeAttrName() {
      return ::llvm::StringLiteral("bsmm.warp_specialize");
    }
    /// Loop attribute: the loop and the one inside of it are one sequence for
    /// the loads, unit.
    static constexpr ::llvm::StringLiteral getFlattenAttrName() {
      return ::llvm::StringLiteral("bsmm.flatten");
    }
    /// Loop attribute: number of slots of the channels made for the loop.
    static constexpr ::llvm::StringLiteral getStagesAttrName() {
      return ::llvm::StringLiteral("bsmm.stages");
    }
  }];
}

class Bsmm_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Bsmm_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Bsmm_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Bsmm_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

class Bsmm_Op<string mnemonic, list<Trait> traits = []>
    : Op<Bsmm_Dialect, mnemonic, traits>;

#endif // BSMM_DIALECT_IR_BSMMDIALECT_TD

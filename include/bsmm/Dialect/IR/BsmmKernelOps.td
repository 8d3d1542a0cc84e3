//===- BsmmKernelOps.td - the kernel and its return -----------------*- tablegen -*-===//

#ifndef BSMM_DIALECT_IR_BSMMKERNELOPS_TD
#define BSMM_DIALECT_IR_BSMMKERNELOPS_TD

include "bsmm/Dialect/IR/BsmmTypes.td"
include "bsmm/Dialect/IR/BsmmInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Bsmm_KernelOp : Bsmm_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove,
    HasParent<"::mlir::gpu::GPUModuleOp">]> {
  let summary = "a GPU kernel at the tile or pipeline level";
  let description = [{
    The program of one CTA. Its attributes are a serialisation of the launch
    schema `bsmm.launch/1` (docs/abi.md): level, target, grid rule, block size
    in threads, cluster size in CTAs (1 when not stated), the CTAs that add to
    the same output tile (`split_k`, 1 when not stated), tile and dynamic
    shared memory in bytes. With `dependent_launch` a launch may begin while the
    one before it in its stream still runs: the kernel waits for that one before
    it reads or writes global memory. Arguments carry their role (`bsmm.role`),
    in the order of the schema.

    The last conversion turns it into an `llvm.func` with `nvvm.kernel`, whose
    tensor maps are 128-byte grid-constant parameters.

    Example:

    ```mlir
    gpu.module @kernels {
      bsmm.kernel @copy(
          %a: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<a>},
          %d: !bsmm.tensor_map<1x128x64xf16> {bsmm.role = #bsmm.role<d>})
          attributes {level = #bsmm.level<tile>,
                      target = #bsmm.target<"sm_100a">} {
        %c0 = arith.constant 0 : i32
        %t = bsmm.tma_load %a[%c0, %c0, %c0]
            : !bsmm.tensor_map<1x128x64xf16> -> tensor<1x128x64xf16>
        bsmm.tma_store %t, %d[%c0, %c0, %c0]
            : tensor<1x128x64xf16>, !bsmm.tensor_map<1x128x64xf16>
        bsmm.return
      }
    }
    ```

    Since version 1.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    Bsmm_LevelAttr:$level,
    OptionalAttr<Bsmm_TargetAttr>:$target,
    OptionalAttr<Bsmm_TileAttr>:$tile,
    OptionalAttr<Bsmm_GridRuleAttr>:$grid,
    OptionalAttr<I64Attr>:$block_size,
    OptionalAttr<I64Attr>:$cluster_size,
    OptionalAttr<I64Attr>:$split_k,
    UnitAttr:$dependent_launch,
    OptionalAttr<I64Attr>:$dynamic_shared_memory,
    OptionalAttr<I64Attr>:$tensor_memory_columns,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    /// The target stated here or on the closest enclosing module; null if none.
    ::bsmm::TargetAttr resolveTarget();
    /// The argument with a role; null if there is none.
    ::mlir::BlockArgument findArgument(::bsmm::ArgumentRole role);
    /// CTAs of a cluster; 1 without clusters.
    int64_t getNumClusterCtas() {
      return int64_t(getClusterSize().value_or(1));
    }
  }];
}

def Bsmm_ReturnOp : Bsmm_Op<"return", [
    Pure, HasParent<"::bsmm::KernelOp">, Terminator, ReturnLike]> {
  let summary = "end of a kernel";
  let description = [{
    Ends the body of a `bsmm.kernel`; kernels return nothing.

    Example: `bsmm.return`

    Since version 1.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // BSMM_DIALECT_IR_BSMMKERNELOPS_TD

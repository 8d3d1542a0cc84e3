//===- BsmmInterfaces.td - interfaces of bsmm operations ---*- tablegen -*-===//

#ifndef BSMM_DIALECT_IR_BSMMINTERFACES_TD
#define BSMM_DIALECT_IR_BSMMINTERFACES_TD

include "mlir/IR/OpBase.td"

def Bsmm_LevelOpInterface : OpInterface<"LevelOpInterface"> {
  let cppNamespace = "::bsmm";
  let description = [{
    Says which level of the dialect an operation belongs to. `bsmm.kernel`
    states the level of its body and refuses operations of another one.
  }];
  let verify = [{ return ::bsmm::detail::verifyLevelOp($_op); }];
  let methods = [
    StaticInterfaceMethod<"The level that this operation belongs to.",
                          "::bsmm::Level", "getLevel", (ins)>
  ];
}


#endif // BSMM_DIALECT_IR_BSMMINTERFACES_TD

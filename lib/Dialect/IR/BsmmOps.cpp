//===- BsmmOps.cpp - generated parts of the operations --------------------===//

#include "bsmm/Dialect/IR/Bsmm.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace bsmm;

/// `a (scales sa)?, b (scales sb)? : type(a) (, type(sa))?, type(b) (, ...)?`
static ParseResult parseScaledOperands(
    OpAsmParser &parser, OpAsmParser::UnresolvedOperand &a, Type &aType,
    std::optional<OpAsmParser::UnresolvedOperand> &scaleA, Type &scaleAType,
    OpAsmParser::UnresolvedOperand &b, Type &bType,
    std::optional<OpAsmParser::UnresolvedOperand> &scaleB, Type &scaleBType) {
  auto parseScaled =
      [&](OpAsmParser::UnresolvedOperand &operand,
          std::optional<OpAsmParser::UnresolvedOperand> &scale) -> ParseResult {
    if (parser.parseOperand(operand))
      return failure();
    if (failed(parser.parseOptionalKeyword("scales")))
      return success();
    return parser.parseOperand(scale.emplace());
  };
  if (parseScaled(a, scaleA) || parser.parseComma() || parseScaled(b, scaleB) ||
      parser.parseColon() || parser.parseType(aType))
    return failure();
  if (scaleA && (parser.parseComma() || parser.parseType(scaleAType)))
    return failure();
  if (parser.parseComma() || parser.parseType(bType))
    return failure();
  if (scaleB && (parser.parseComma() || parser.parseType(scaleBType)))
    return failure();
  return success();
}

static void printScaledOperands(OpAsmPrinter &printer, ScaledMatmulOp, Value a,
                                Type aType, Value scaleA, Type scaleAType,
                                Value b, Type bType, Value scaleB,
                                Type scaleBType) {
  auto printScaled = [&](Value operand, Value scale) {
    printer << operand;
    if (scale)
      printer << " scales " << scale;
  };
  printScaled(a, scaleA);
  printer << ", ";
  printScaled(b, scaleB);
  printer << " : " << aType;
  if (scaleA)
    printer << ", " << scaleAType;
  printer << ", " << bType;
  if (scaleB)
    printer << ", " << scaleBType;
}

/// One type: that of the sum and of what is added to it, if anything is.
static ParseResult
parseSumType(OpAsmParser &parser,
             std::optional<OpAsmParser::UnresolvedOperand> accumulator,
             Type &accumulatorType, Type &resultType) {
  if (parser.parseType(resultType))
    return failure();
  if (accumulator)
    accumulatorType = resultType;
  return success();
}

static void printSumType(OpAsmPrinter &printer, Operation *, Value, Type,
                         Type resultType) {
  printer << resultType;
}

#define GET_OP_CLASSES
#include "bsmm/Dialect/IR/BsmmOps.cpp.inc"

void BsmmDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "bsmm/Dialect/IR/BsmmOps.cpp.inc"
      >();
}

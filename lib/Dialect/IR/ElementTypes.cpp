//===- ElementTypes.cpp - MLIR types and rows of the target table ---------===//

#include "bsmm/Dialect/IR/ElementTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using bsmm::target::ElementType;

ElementType bsmm::getOperandElementType(Type type) {
  return llvm::TypeSwitch<Type, ElementType>(type)
      .Case<Float4E2M1FNType>([](Type) { return ElementType::E2M1; })
      .Case<Float6E2M3FNType>([](Type) { return ElementType::E2M3; })
      .Case<Float6E3M2FNType>([](Type) { return ElementType::E3M2; })
      .Case<Float8E4M3FNType>([](Type) { return ElementType::E4M3; })
      .Case<Float8E5M2Type>([](Type) { return ElementType::E5M2; })
      .Case<Float16Type>([](Type) { return ElementType::F16; })
      .Case<BFloat16Type>([](Type) { return ElementType::BF16; })
      .Case<FloatTF32Type>([](Type) { return ElementType::TF32; })
      .Case<Float32Type>([](Type) { return ElementType::F32; })
      .Case<Float64Type>([](Type) { return ElementType::F64; })
      .Default([](Type) { return ElementType::None; });
}

ElementType bsmm::getScaleElementType(Type type) {
  return llvm::TypeSwitch<Type, ElementType>(type)
      .Case<Float8E8M0FNUType>([](Type) { return ElementType::UE8M0; })
      .Case<Float8E4M3FNType>([](Type) { return ElementType::UE4M3; })
      .Case<Float32Type>([](Type) { return ElementType::F32; })
      .Default([](Type) { return ElementType::None; });
}

unsigned bsmm::getElementBits(Type type) {
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

int64_t bsmm::getPackedBytes(Type type, int64_t count) {
  return (count * getElementBits(type) + 7) / 8;
}

std::string bsmm::whyNotScaledFormat(Type a, Type b, Type scale,
                                     int64_t vectorSize) {
  target::MmaQuery query;
  query.a = getOperandElementType(a);
  query.b = getOperandElementType(b);
  query.hasScale = true;
  query.scaleType = getScaleElementType(scale);
  query.scaleVector = vectorSize;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (query.a == ElementType::None || query.b == ElementType::None) {
    os << "expected operands of f4E2M1FN, f6E2M3FN, f6E3M2FN, f8E4M3FN or "
          "f8E5M2, got "
       << a << " and " << b;
    return text;
  }
  if (query.scaleType == ElementType::None ||
      query.scaleType == ElementType::F32) {
    os << "expected scales of f8E4M3FN or f8E8M0FNU, got " << scale
       << "; convert the scales explicitly, since rounding them to another "
          "type changes their value";
    return text;
  }
  for (const target::Gpu &gpu : target::gpus)
    if (target::selectForm(gpu, query))
      return text;
  os << "no target multiplies " << a << " and " << b << " with scales of "
     << scale << " for every " << vectorSize << " elements; expected one of ";
  // The formats of the table, each once.
  llvm::SmallVector<std::string> seen;
  for (const target::InstructionForm &form : target::instructionForms) {
    if (!form.isBlockScaled())
      continue;
    std::string row = (target::typeNames(form.aTypes) + " with " +
                       std::string(target::info(form.scaleType).mlirName) +
                       " for every " + std::to_string(form.scaleVector));
    if (llvm::is_contained(seen, row))
      continue;
    os << (seen.empty() ? "" : "; ") << row;
    seen.push_back(row);
  }
  return text;
}

std::string bsmm::whyNotBlockScaledSums(Type a, Type b) {
  auto isFp8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  if (isFp8(a) && isFp8(b))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << "expected operands of f8E4M3FN or f8E5M2 "
                                    "with block scales of f32, got "
                                 << a << " and " << b;
  return text;
}

std::string bsmm::whyNotDenseFormat(Type a, Type b) {
  target::MmaQuery query;
  query.a = getOperandElementType(a);
  query.b = getOperandElementType(b);
  query.hasScale = true;
  query.accumulator = ElementType::F32;
  std::string text;
  if (query.a != ElementType::None && query.b != ElementType::None)
    for (const target::Gpu &gpu : target::gpus)
      if (target::selectForm(gpu, query))
        return text;
  llvm::raw_string_ostream os(text);
  os << "no target multiplies " << a << " and " << b
     << " without block scales into f32; expected f16, bf16 or tf32 for both, "
        "or types of 8, 6 and 4 bits";
  return text;
}

const bsmm::target::InstructionForm *
bsmm::selectWgmmaForm(const target::Gpu &gpu, Type a, Type b, int64_t n,
                      std::string &reason) {
  target::MmaQuery query;
  query.hasFamily = true;
  query.family = target::Family::Wgmma;
  query.a = getOperandElementType(a);
  query.b = getOperandElementType(b);
  query.hasScale = true;
  query.accumulator = ElementType::F32;
  query.ctaGroup = 1;
  query.m = 64;
  query.n = n;
  const target::InstructionForm *form = target::selectForm(gpu, query);
  if (!form)
    reason = target::whyNotSupported(gpu, query);
  return form;
}

const bsmm::target::InstructionForm *
bsmm::selectTcgen05Form(const target::Gpu &gpu, Type a, Type b, Type scale,
                        int64_t vectorSize, int64_t m, int64_t n,
                        std::string &reason) {
  target::MmaQuery query;
  query.hasFamily = true;
  query.family = target::Family::Tcgen05;
  query.a = getOperandElementType(a);
  query.b = getOperandElementType(b);
  query.hasScale = true;
  query.scaleType = getScaleElementType(scale);
  query.scaleVector = vectorSize;
  query.accumulator = ElementType::F32;
  query.ctaGroup = 1;
  query.m = m;
  query.n = n;
  const target::InstructionForm *first = nullptr;
  for (const target::InstructionForm *form : target::forms(gpu, query)) {
    if (form->packedSubByte)
      return form;
    first = first ? first : form;
  }
  if (!first)
    reason = target::whyNotSupported(gpu, query);
  return first;
}

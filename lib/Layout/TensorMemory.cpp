//===- TensorMemory.cpp - layouts of tcgen05 tensor memory ----------------===//

#include "bsmm/Layout/TensorMemory.h"

using namespace bsmm::layout;

Result<uint32_t> bsmm::layout::tensorMemoryAddress(int64_t lane,
                                                   int64_t column) {
  if (lane < 0 || lane >= tensorMemoryLanes || column < 0 ||
      column >= tensorMemoryColumns)
    return makeError("expected lane 0..127 and column 0..511 of tensor "
                     "memory, got lane ",
                     lane, " and column ", column);
  return uint32_t(lane << 16 | column);
}

Result<TiledLayout> bsmm::layout::accumulatorLayout(AccumulatorLayout layout,
                                                    int64_t n) {
  bool pair = layout == AccumulatorLayout::A || layout == AccumulatorLayout::B;
  int64_t step = pair ? 16 : 8;
  if (n < step || n > 256 || n % step != 0)
    return makeError("expected an accumulator of N = ", step,
                     " to 256 in steps of ", step, ", got ", n);

  // Atoms of 8 columns, because N need not be a power of two.
  std::vector<ImageRun> m;
  std::vector<Dim> outputs = {{"lane", 7}, {"column", 3}};
  switch (layout) {
  case AccumulatorLayout::A:
    m = {{"lane", {1, 2, 4, 8, 16, 32, 64}}, {"cta", {1}}};
    outputs.push_back({"cta", 1});
    break;
  case AccumulatorLayout::B:
    m = {{"lane", {1, 2, 4, 8, 16, 32}}, {"cta", {1}}};
    outputs.push_back({"cta", 1});
    break;
  case AccumulatorLayout::D:
    m = {{"lane", {1, 2, 4, 8, 16, 32, 64}}};
    break;
  case AccumulatorLayout::F:
    m = {{"lane", {1, 2, 4, 8, 32, 64}}};
    break;
  }
  // The second half of N sits in the upper lanes of layout B, which its atom
  // does not reach.
  if (layout == AccumulatorLayout::B)
    outputs[0].bits = 6;
  auto atom =
      LinearLayout::get({{"m", m}, {"n", {{"column", {1, 2, 4}}}}}, outputs);
  if (!atom)
    return Error{atom.error()};
  if (layout == AccumulatorLayout::B)
    return TiledLayout::get(
        *atom, {{"n", n / 16, {{"column", 8}}}, {"n", 2, {{"lane", 64}}}});
  return TiledLayout::get(*atom, {{"n", n / 8, {{"column", 8}}}});
}

const char *bsmm::layout::transferShapeName(TransferShape shape) {
  switch (shape) {
  case TransferShape::Lanes32Bits32:
    return ".32x32b";
  case TransferShape::Lanes16Bits64:
    return ".16x64b";
  case TransferShape::Lanes16Bits128:
    return ".16x128b";
  case TransferShape::Lanes16Bits256:
    return ".16x256b";
  case TransferShape::Lanes16Bits32x2:
    return ".16x32bx2";
  }
  return "unknown";
}

int64_t bsmm::layout::transferRegisters(TransferShape shape) {
  switch (shape) {
  case TransferShape::Lanes16Bits128:
    return 2;
  case TransferShape::Lanes16Bits256:
    return 4;
  default:
    return 1;
  }
}

int64_t bsmm::layout::maxTransferRepeat(TransferShape shape) {
  return 128 / transferRegisters(shape);
}

int64_t bsmm::layout::transferColumns(TransferShape shape) {
  switch (shape) {
  case TransferShape::Lanes16Bits64:
    return 2;
  case TransferShape::Lanes16Bits128:
    return 4;
  case TransferShape::Lanes16Bits256:
    return 8;
  default:
    return 1;
  }
}

Result<LinearLayout> bsmm::layout::transferLayout(TransferShape shape,
                                                  int64_t repeat,
                                                  int64_t halfSplit) {
  if (repeat < 1 || repeat > maxTransferRepeat(shape) ||
      (repeat & (repeat - 1)) != 0)
    return makeError("expected a repeat of ", transferShapeName(shape),
                     " that is a power of two in 1..", maxTransferRepeat(shape),
                     ", got ", repeat);
  bool split = shape == TransferShape::Lanes16Bits32x2;
  if (split && (halfSplit < repeat || halfSplit % repeat != 0 ||
                halfSplit + repeat > tensorMemoryColumns))
    return makeError("expected a half split of .16x32bx2 that is a positive "
                     "multiple of its ",
                     repeat, " columns and stays within ", tensorMemoryColumns,
                     ", got ", halfSplit);
  if (!split && halfSplit != 0)
    return makeError("expected no half split for ", transferShapeName(shape),
                     ", got ", halfSplit);

  std::vector<ImageRun> thread, registers;
  switch (shape) {
  case TransferShape::Lanes32Bits32:
    thread = {{"lane", {1, 2, 4, 8, 16}}};
    break;
  case TransferShape::Lanes16Bits64:
    thread = {{"lane", {8}}, {"column", {1}}, {"lane", {1, 2, 4}}};
    break;
  case TransferShape::Lanes16Bits128:
    thread = {{"column", {1, 2}}, {"lane", {1, 2, 4}}};
    registers = {{"lane", {8}}};
    break;
  case TransferShape::Lanes16Bits256:
    thread = {{"column", {2, 4}}, {"lane", {1, 2, 4}}};
    registers = {{"column", {1}}, {"lane", {8}}};
    break;
  case TransferShape::Lanes16Bits32x2:
    thread = {{"lane", {1, 2, 4, 8}}, {"column", {halfSplit}}};
    break;
  }
  // Repetition continues with the next columns.
  int64_t columns = transferColumns(shape);
  ImageRun rest = {"column", {}};
  for (int64_t i = 1; i < repeat; i *= 2) {
    rest.values.push_back(columns);
    columns *= 2;
  }
  registers.push_back(rest);

  int64_t width = split ? halfSplit + repeat : columns;
  unsigned columnBits = 0;
  while ((int64_t(1) << columnBits) < width)
    ++columnBits;
  unsigned laneBits = shape == TransferShape::Lanes32Bits32 ? 5 : 4;
  return LinearLayout::get({{"thread", thread}, {"register", registers}},
                           {{"lane", laneBits}, {"column", columnBits}});
}

const char *bsmm::layout::copyShapeName(CopyShape shape) {
  switch (shape) {
  case CopyShape::Rows128Bits256:
    return ".128x256b";
  case CopyShape::Rows128Bits128:
    return ".128x128b";
  case CopyShape::Rows4Bits256:
    return ".4x256b";
  case CopyShape::Rows64Bits128Pairs02_13:
    return ".64x128b.warpx2::02_13";
  case CopyShape::Rows64Bits128Pairs01_23:
    return ".64x128b.warpx2::01_23";
  case CopyShape::Rows32Bits128:
    return ".32x128b.warpx4";
  }
  return "unknown";
}

/// `columns` words of 4 bytes a row; `copies` are the lanes that multicast
/// adds.
static LinearLayout makeCopy(std::vector<int64_t> rows,
                             std::vector<int64_t> copies,
                             std::vector<int64_t> columns) {
  unsigned columnBits = columns.size();
  std::vector<InputDim> inputs = {
      {"row", {{"lane", std::move(rows)}}},
      {"byte", {{"byte", {1, 2}}, {"column", std::move(columns)}}}};
  std::vector<std::string> replication;
  if (!copies.empty()) {
    inputs.push_back({"replica", {{"lane", std::move(copies)}}});
    replication.push_back("replica");
  }
  return *LinearLayout::get(
      inputs, {{"lane", 7}, {"column", columnBits}, {"byte", 2}}, replication);
}

const LinearLayout &bsmm::layout::copyLayout(CopyShape shape) {
  static const LinearLayout full256 =
      makeCopy({1, 2, 4, 8, 16, 32, 64}, {}, {1, 2, 4});
  static const LinearLayout full128 =
      makeCopy({1, 2, 4, 8, 16, 32, 64}, {}, {1, 2});
  static const LinearLayout rows4 = makeCopy({32, 64}, {}, {1, 2, 4});
  static const LinearLayout pairs02 =
      makeCopy({1, 2, 4, 8, 16, 32}, {64}, {1, 2});
  static const LinearLayout pairs01 =
      makeCopy({1, 2, 4, 8, 16, 64}, {32}, {1, 2});
  static const LinearLayout rows32 =
      makeCopy({1, 2, 4, 8, 16}, {32, 64}, {1, 2});
  switch (shape) {
  case CopyShape::Rows128Bits256:
    return full256;
  case CopyShape::Rows128Bits128:
    return full128;
  case CopyShape::Rows4Bits256:
    return rows4;
  case CopyShape::Rows64Bits128Pairs02_13:
    return pairs02;
  case CopyShape::Rows64Bits128Pairs01_23:
    return pairs01;
  case CopyShape::Rows32Bits128:
    break;
  }
  return rows32;
}

//===- EpiloguePatterns.cpp - the way out of tensor memory to NVVM --------===//

#include "Common.h"
#include "bsmm/Dialect/IR/ElementTypes.h"
#include "bsmm/Dialect/Transforms/BoxPlan.h"
#include "bsmm/Target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace bsmm;

/// Columns of tensor memory that a thread reads before it waits for them; they
/// take as many of its registers.
static constexpr int64_t columnsInFlight = 64;

/// The release behind a drain of tensor memory, if any: the slot is given back
/// when its columns are in registers, whatever is done with them then.
static ReleaseOp findReleaseAfter(DrainOp drain) {
  auto release = dyn_cast_or_null<ReleaseOp>(drain->getNextNode());
  auto wait = drain.getAccumulator().getDefiningOp<WaitOp>();
  return release && wait && wait.getChannel() == release.getChannel() &&
                 wait.getIteration() == release.getIteration()
             ? release
             : ReleaseOp();
}

namespace {
/// Warp w reads lanes 32w..32w+31 (PTX ISA 9.7.17.8): with .32x32b thread t of
/// the warpgroup owns row t, register i holds column i.
struct DrainPattern : KernelPattern<DrainOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(DrainOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<BufferType>(op.getAccumulator().getType());
    if (!type)
      return failure();
    Location loc = op.getLoc();
    const KernelValues &kernel = getKernelValues(op);
    int64_t columns = op.getColumns();
    Value warp = arith::AndIOp::create(
        rewriter, loc, kernel.warp,
        constantI32(rewriter, loc, target::threads::warpsPerWarpgroup - 1));
    Value row = arith::AndIOp::create(
        rewriter, loc, kernel.thread,
        constantI32(rewriter, loc, target::threads::perWarpgroup - 1));
    // The lane lies in bits 16..31 of an address.
    Value lane = arith::ShLIOp::create(
        rewriter, loc, warp,
        constantI32(rewriter, loc, 16 + 5 /* 32 lanes a warp */));
    Value base =
        arith::AddIOp::create(rewriter, loc, adaptor.getAccumulator(), lane);
    if (adaptor.getAt())
      base = arith::AddIOp::create(rewriter, loc, base, adaptor.getAt());
    Type words = columns == 1
                     ? Type(rewriter.getI32Type())
                     : Type(VectorType::get({columns}, rewriter.getI32Type()));
    auto values = VectorType::get({columns}, rewriter.getF32Type());
    Block &body = op.getBody().front();
    // Loads that are waited for together hide each other's latency.
    int64_t together = std::max(columns, columnsInFlight);
    int64_t first = op.getFirst(), end = first + op.getNumColumns();
    ReleaseOp release = findReleaseAfter(op);
    for (int64_t start = first; start < end; start += together) {
      int64_t count = std::min(together, end - start) / columns;
      auto buildWaits = [&] {
        if (start != first)
          return;
        if (op->hasAttr(waitsForClusterAttrName))
          buildClusterWait(rewriter, loc, kernel);
        if (auto barrier =
                op->getAttrOfType<IntegerAttr>(waitsForPartialsAttrName))
          buildPartialsWait(rewriter, loc, kernel, barrier.getInt());
      };
      auto buildLoads = [&] {
        SmallVector<Value> loaded;
        for (int64_t index = 0; index < count; ++index)
          loaded.push_back(NVVM::Tcgen05LdOp::create(
              rewriter, loc, words, /*pack=*/UnitAttr(),
              NVVM::Tcgen05LdStShapeAttr::get(
                  op.getContext(), NVVM::Tcgen05LdStShape::SHAPE_32X32B),
              tensorMemoryPointer(rewriter, loc, base, start + index * columns),
              Value()));
        buildWaits();
        NVVM::Tcgen05WaitOp::create(rewriter, loc, NVVM::Tcgen05WaitKind::LOAD);
        return loaded;
      };
      SmallVector<Value> pieces;
      if (Value when = adaptor.getWhen()) {
        // A branch around the loads costs less than a choice for each value.
        auto branch =
            scf::IfOp::create(rewriter, loc, SmallVector<Type>(count, words),
                              when, /*addThenBlock=*/true, true);
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(branch.thenBlock());
        scf::YieldOp::create(rewriter, loc, buildLoads());
        rewriter.setInsertionPointToStart(branch.elseBlock());
        buildWaits();
        // A constant would be written to all registers before the branch.
        Value zeros = constantI32(rewriter, loc, 0);
        zeros = buildOpaque(rewriter, loc, zeros.getType(), zeros, "=r,0",
                            /*staysInPlace=*/true);
        if (columns != 1)
          zeros = vector::BroadcastOp::create(rewriter, loc, words, zeros);
        scf::YieldOp::create(rewriter, loc, SmallVector<Value>(count, zeros));
        llvm::append_range(pieces, branch.getResults());
      } else {
        pieces = buildLoads();
      }
      if (release && start + together >= end)
        rewriter.moveOpBefore(release, rewriter.getInsertionBlock(),
                              rewriter.getInsertionPoint());
      for (auto [index, loaded] : llvm::enumerate(pieces)) {
        int64_t column = start + int64_t(index) * columns;
        Value vector = loaded;
        if (columns == 1)
          vector = vector::BroadcastOp::create(
              rewriter, loc, VectorType::get({1}, rewriter.getI32Type()),
              vector);
        IRMapping mapping;
        Value place = constantI32(rewriter, loc, column);
        mapping.map(body.getArgument(0), op.getTransposed() ? place : row);
        mapping.map(body.getArgument(1), op.getTransposed() ? row : place);
        mapping.map(body.getArgument(2),
                    vector::BitCastOp::create(rewriter, loc, values, vector)
                        .getResult());
        for (Operation &inner : body) {
          Operation *clone = rewriter.clone(inner, mapping);
          if (op.getTransposed() && clone->getDialect() == op->getDialect())
            clone->setAttr(transposedAttrName, rewriter.getUnitAttr());
        }
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Bytes from a row of a buffer to the next one: a swizzle's width, or a row.
static int64_t getRowPitch(BufferType type) {
  layout::SwizzleMode mode = getSwizzleMode(type.getLayout());
  return mode == layout::SwizzleMode::None
             ? getPackedBytes(type.getElementType(), type.getShape()[1])
             : layout::swizzleWidth(mode);
}

/// Rows after which every swizzle repeats (PTX ISA 5.5.7).
static constexpr int64_t swizzleRows = 8;

struct WriteSharedPattern : KernelPattern<WriteSharedOp> {
  using KernelPattern::KernelPattern;

  /// A row as another one, and how many rows it lies behind that one, a number
  /// after which the swizzle repeats. Both have the same address but for a
  /// constant, which is part of the instruction: one register, where ptxas
  /// keeps addresses of their own over the loop over K.
  static std::pair<Value, int64_t> splitRow(Value row) {
    APInt rows;
    auto sum = row.getDefiningOp<arith::AddIOp>();
    if (!sum || !matchPattern(sum.getRhs(), m_ConstantInt(&rows)) ||
        rows.getSExtValue() % swizzleRows != 0)
      return {row, 0};
    return {sum.getLhs(), rows.getSExtValue()};
  }

  /// `count` values from value `first` on, as 32-bit words.
  static Value buildWords(OpBuilder &builder, Location loc, Value values,
                          int64_t first, int64_t count) {
    auto type = cast<VectorType>(values.getType());
    Value piece = vector::ExtractStridedSliceOp::create(
        builder, loc, values, ArrayRef<int64_t>{first},
        ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
    int64_t words = count * getElementBits(type.getElementType()) / 32;
    return vector::BitCastOp::create(
        builder, loc, VectorType::get({words}, builder.getI32Type()), piece);
  }

  LogicalResult
  matchAndRewrite(WriteSharedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BufferType type = op.getBuffer().getType();
    int64_t count = cast<VectorType>(op.getValues().getType()).getDimSize(0);
    int64_t bits = getElementBits(type.getElementType());
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto byteOf = [&](Value column) -> Value {
      Value product =
          arith::MulIOp::create(rewriter, loc, column, constant(bits));
      return arith::DivUIOp::create(rewriter, loc, product, constant(8));
    };
    auto placeOf = [&](Value row, Value byte) -> Value {
      return advance(rewriter, loc, adaptor.getBuffer(),
                     buildRowOffset(rewriter, loc, type, row, byte));
    };
    if (op->hasAttr(transposedAttrName)) {
      // One by one: the threads of a warp have neighbouring columns.
      for (int64_t index = 0; index < count; ++index) {
        Value row = arith::AddIOp::create(rewriter, loc, adaptor.getRow(),
                                          constant(index));
        Value value = vector::ExtractOp::create(rewriter, loc,
                                                adaptor.getValues(), index);
        LLVM::StoreOp::create(rewriter, loc, value,
                              placeOf(row, byteOf(adaptor.getColumn())));
      }
    } else if (!op->hasAttr(fragmentAttrName)) {
      // Consecutive columns: 16 bytes at a time.
      Value firstByte = byteOf(adaptor.getColumn());
      int64_t perUnit = 128 / bits;
      for (int64_t unit = 0; unit < count / perUnit; ++unit) {
        Value byte = arith::AddIOp::create(rewriter, loc, firstByte,
                                           constant(unit * 16));
        Value place = placeOf(adaptor.getRow(), byte);
        Value words = buildWords(rewriter, loc, adaptor.getValues(),
                                 unit * perUnit, perUnit);
        LLVM::StoreOp::create(rewriter, loc, words, place, /*alignment=*/16);
      }
    } else if (bits == 16 && count % 8 == 0) {
      storeMatrices(rewriter, op, adaptor, byteOf, placeOf);
    } else {
      // Two neighbouring columns at a time, of the first row or 8 below it.
      auto [row, rowsBefore] = splitRow(adaptor.getRow());
      for (int64_t index = 0; index < count; index += 2) {
        auto [rows, columns] = getValueOffset(op, index);
        Value column = arith::AddIOp::create(rewriter, loc, adaptor.getColumn(),
                                             constant(columns));
        Value words = vector::ExtractStridedSliceOp::create(
            rewriter, loc, adaptor.getValues(), ArrayRef<int64_t>{index},
            ArrayRef<int64_t>{2}, ArrayRef<int64_t>{1});
        Value place = advance(rewriter, loc, placeOf(row, byteOf(column)),
                              (rowsBefore + rows) * getRowPitch(type));
        LLVM::StoreOp::create(rewriter, loc, words, place,
                              /*alignment=*/2 * bits / 8);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }

  /// Four 8x8 matrices at a time: lane l gives the address of row l mod 8 of
  /// matrix l / 8; the matrices are the first 8 rows, the next 8, and the same
  /// of the next 8 columns (PTX ISA, stmatrix).
  void storeMatrices(ConversionPatternRewriter &rewriter, WriteSharedOp op,
                     OpAdaptor adaptor, function_ref<Value(Value)> byteOf,
                     function_ref<Value(Value, Value)> placeOf) const {
    Location loc = op.getLoc();
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto add = [&](Value a, Value b) -> Value {
      return arith::AddIOp::create(rewriter, loc, a, b);
    };
    auto subtract = [&](Value a, Value b) -> Value {
      return arith::SubIOp::create(rewriter, loc, a, b);
    };
    auto multiply = [&](Value a, int64_t factor) -> Value {
      return arith::MulIOp::create(rewriter, loc, a, constant(factor));
    };
    auto bitsOf = [&](Value value, int64_t shift, int64_t mask) -> Value {
      Value shifted =
          arith::ShRUIOp::create(rewriter, loc, value, constant(shift));
      return arith::AndIOp::create(rewriter, loc, shifted, constant(mask));
    };
    Value lane =
        bitsOf(findEpilogueThread(op, getKernelValues(op).thread), 0, 31);
    // From the place of this lane's first value to that of lane 0.
    auto [laneRow, rowsBefore] = splitRow(adaptor.getRow());
    Value firstRow = subtract(laneRow, bitsOf(lane, 2, 7));
    Value firstColumn =
        subtract(adaptor.getColumn(), multiply(bitsOf(lane, 0, 3), 2));
    Value row = add(firstRow, bitsOf(lane, 0, 15));
    Value column = add(firstColumn, multiply(bitsOf(lane, 4, 1), 8));
    int64_t count = cast<VectorType>(op.getValues().getType()).getDimSize(0);
    MLIRContext *context = op.getContext();
    for (int64_t first = 0; first < count; first += 8) {
      Value words = buildWords(rewriter, loc, adaptor.getValues(), first, 8);
      SmallVector<Value> sources;
      for (int64_t index = 0; index < 4; ++index)
        sources.push_back(
            vector::ExtractOp::create(rewriter, loc, words, index));
      Value place = advance(
          rewriter, loc, placeOf(row, byteOf(add(column, constant(first * 2)))),
          rowsBefore * getRowPitch(op.getBuffer().getType()));
      NVVM::StMatrixOp::create(
          rewriter, loc, place, sources,
          NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row),
          NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
          NVVM::LdStMatrixEltTypeAttr::get(context,
                                           NVVM::LdStMatrixEltType::B16));
    }
  }
};

/// The distinct offsets of an operation's values in a dimension, and for each
/// value the number of its offset.
struct ValueOffsets {
  SmallVector<int64_t> offsets;
  SmallVector<int64_t> numbers;

  ValueOffsets(Operation *op, int64_t count, int64_t dimension) {
    for (int64_t index = 0; index < count; ++index) {
      auto [row, column] = getValueOffset(op, index);
      int64_t offset = dimension == 0 ? row : column;
      auto found = llvm::find(offsets, offset);
      numbers.push_back(found - offsets.begin());
      if (found == offsets.end())
        offsets.push_back(offset);
    }
  }
};

struct ReadVectorPattern : KernelPattern<ReadVectorOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ReadVectorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getResult().getType());
    ValueOffsets offsets(op, type.getDimSize(0), op.getDimension());
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    Value start = arith::AddIOp::create(rewriter, loc, adaptor.getOffset(),
                                        adaptor.getStart());
    Value address =
        LLVM::GEPOp::create(rewriter, loc, adaptor.getPointer().getType(),
                            type.getElementType(), adaptor.getPointer(),
                            ValueRange{arith::ExtSIOp::create(
                                rewriter, loc, rewriter.getI64Type(), start)});
    auto load = [&](int64_t offset) -> Value {
      Value place = LLVM::GEPOp::create(
          rewriter, loc, address.getType(), type.getElementType(), address,
          ArrayRef<LLVM::GEPArg>{int32_t(offset)});
      return LLVM::LoadOp::create(rewriter, loc, type.getElementType(), place);
    };
    auto isInside = [&](int64_t offset) -> Value {
      Value index =
          arith::AddIOp::create(rewriter, loc, start, constant(offset));
      return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                   index, adaptor.getLimit());
    };
    auto gather = [&](function_ref<Value(int64_t)> read) -> Value {
      SmallVector<Value> distinct, values;
      for (int64_t offset : offsets.offsets)
        distinct.push_back(read(offset));
      for (int64_t number : offsets.numbers)
        values.push_back(distinct[number]);
      return vector::FromElementsOp::create(rewriter, loc, type, values);
    };
    // Nearly all tiles lie inside as a whole.
    int64_t last = *llvm::max_element(offsets.offsets);
    auto branch = scf::IfOp::create(rewriter, loc, TypeRange{type},
                                    isInside(last), true, true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, gather(load));
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, gather([&](int64_t offset) {
                           return buildGuardedLoad(
                               rewriter, loc, type.getElementType(),
                               isInside(offset), [&] { return load(offset); });
                         }));
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

/// Address of row `row` (i32), column `column` of a matrix with an offset and a
/// pitch in elements (i64).
static Value buildMatrixAddress(OpBuilder &builder, Location loc, Value pointer,
                                Type element, Value base, Value stride,
                                Value row, Value column) {
  Type i64 = builder.getI64Type();
  Value offset = arith::MulIOp::create(
      builder, loc, arith::ExtSIOp::create(builder, loc, i64, row), stride);
  offset = arith::AddIOp::create(builder, loc, offset, base);
  offset = arith::AddIOp::create(
      builder, loc, offset, arith::ExtSIOp::create(builder, loc, i64, column));
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), element, pointer,
                             ValueRange{offset});
}

struct ReadGlobalPattern : KernelPattern<ReadGlobalOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ReadGlobalOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getResult().getType());
    Type element = type.getElementType();
    ValueOffsets rows(op, type.getDimSize(0), 0);
    SmallVector<Value> rowNumbers, starts, isRow;
    for (int64_t offset : rows.offsets) {
      Value row = arith::AddIOp::create(rewriter, loc, adaptor.getRow(),
                                        constantI32(rewriter, loc, offset));
      isRow.push_back(arith::CmpIOp::create(rewriter, loc,
                                            arith::CmpIPredicate::slt, row,
                                            adaptor.getLimitRow()));
      starts.push_back(buildMatrixAddress(
          rewriter, loc, adaptor.getPointer(), element, adaptor.getBase(),
          adaptor.getStride(), row, adaptor.getColumn()));
    }
    SmallVector<Value> values;
    for (int64_t index = 0; index < type.getDimSize(0); ++index) {
      int64_t offset = getValueOffset(op, index).second;
      Value column = arith::AddIOp::create(rewriter, loc, adaptor.getColumn(),
                                           constantI32(rewriter, loc, offset));
      Value isColumn =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                column, adaptor.getLimitColumn());
      int64_t row = rows.numbers[index];
      Value isInside =
          arith::AndIOp::create(rewriter, loc, isRow[row], isColumn);
      values.push_back(
          buildGuardedLoad(rewriter, loc, element, isInside, [&]() -> Value {
            Value place = LLVM::GEPOp::create(
                rewriter, loc, starts[row].getType(), element, starts[row],
                ArrayRef<LLVM::GEPArg>{int32_t(offset)});
            return LLVM::LoadOp::create(rewriter, loc, element, place);
          }));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, values);
    return success();
  }
};

/// Two values at a time; the first one becomes the low byte.
struct ConvertValuesPattern : KernelPattern<ConvertValuesOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(ConvertValuesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getResult().getType());
    auto pair = VectorType::get({2}, rewriter.getI8Type());
    SmallVector<Value> bytes;
    for (int64_t index = 0; index < type.getDimSize(0); index += 2) {
      Value low =
          vector::ExtractOp::create(rewriter, loc, adaptor.getSource(), index);
      Value high = vector::ExtractOp::create(rewriter, loc, adaptor.getSource(),
                                             index + 1);
      Value codes = NVVM::ConvertF32x2ToF8x2Op::create(
          rewriter, loc, pair, high, low, NVVM::FPRoundingMode::RN,
          NVVM::SaturationMode::SATFINITE, /*relu=*/false,
          type.getElementType());
      for (int64_t half : {0, 1})
        bytes.push_back(vector::ExtractOp::create(rewriter, loc, codes, half));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(
        op, VectorType::get(type.getShape(), rewriter.getI8Type()), bytes);
    return success();
  }
};

struct WriteGlobalPattern : KernelPattern<WriteGlobalOp> {
  using KernelPattern::KernelPattern;
  LogicalResult
  matchAndRewrite(WriteGlobalOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getValues().getType());
    // Codes of 8 bits are bytes.
    Type element = getTypeConverter()->convertType(type.getElementType());
    ValueOffsets rows(op, type.getDimSize(0), 0);
    auto plus = [&](Value value, int64_t offset) -> Value {
      if (offset == 0)
        return value;
      return arith::AddIOp::create(rewriter, loc, value,
                                   constantI32(rewriter, loc, offset));
    };
    auto isBelow = [&](Value value, Value limit) -> Value {
      return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                   value, limit);
    };
    for (auto [number, rowOffset] : llvm::enumerate(rows.offsets)) {
      Value row = plus(adaptor.getRow(), rowOffset);
      auto inRow = scf::IfOp::create(
          rewriter, loc, isBelow(row, adaptor.getLimitRow()), false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(inRow.thenBlock());
      Value start = buildMatrixAddress(
          rewriter, loc, adaptor.getPointer(), element, adaptor.getBase(),
          adaptor.getStride(), row, adaptor.getColumn());
      for (int64_t index = 0; index < type.getDimSize(0); ++index) {
        if (rows.numbers[index] != int64_t(number))
          continue;
        int64_t offset = getValueOffset(op, index).second;
        Value column =
            arith::AddIOp::create(rewriter, loc, adaptor.getColumn(),
                                  constantI32(rewriter, loc, offset));
        auto inColumn = scf::IfOp::create(
            rewriter, loc, isBelow(column, adaptor.getLimitColumn()), false);
        OpBuilder::InsertionGuard inner(rewriter);
        rewriter.setInsertionPointToStart(inColumn.thenBlock());
        Value value = vector::ExtractOp::create(rewriter, loc,
                                                adaptor.getValues(), index);
        Value address =
            LLVM::GEPOp::create(rewriter, loc, start.getType(), element, start,
                                ArrayRef<LLVM::GEPArg>{int32_t(offset)});
        LLVM::StoreOp::create(rewriter, loc, value, address);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

Value bsmm::findEpilogueThread(Operation *op, Value thread) {
  for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp())
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode())
      if (auto opaque = dyn_cast<LLVM::InlineAsmOp>(before);
          opaque && opaque.getNumOperands() == 1 &&
          opaque.getOperand(0) == thread)
        return opaque.getResult(0);
  return thread;
}

Value bsmm::buildRowOffset(OpBuilder &builder, Location loc, BufferType type,
                           Value row, Value byte) {
  int64_t width = getRowPitch(type);
  auto constant = [&](int64_t value) {
    return constantI32(builder, loc, value);
  };
  Value rowOffset = arith::MulIOp::create(builder, loc, row, constant(width));
  Value panelNumber =
      arith::DivUIOp::create(builder, loc, byte, constant(width));
  Value inRow = arith::RemUIOp::create(builder, loc, byte, constant(width));
  Value offset = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, panelNumber,
                            constant(type.getShape()[0] * width)),
      arith::AddIOp::create(builder, loc, rowOffset, inRow));
  if (getSwizzleMode(type.getLayout()) == layout::SwizzleMode::None)
    return offset;
  // Address bits 4.. ^= bits 7.. (PTX ISA 5.5.7); the buffer starts at a
  // multiple of the pattern.
  Value high = arith::ShRUIOp::create(builder, loc, offset, constant(3));
  high = arith::AndIOp::create(builder, loc, high,
                               constant((width / 16 - 1) << 4));
  return arith::XOrIOp::create(builder, loc, offset, high);
}

Value bsmm::buildGuardedLoad(OpBuilder &builder, Location loc, Type type,
                             Value condition, function_ref<Value()> load) {
  auto branch =
      scf::IfOp::create(builder, loc, TypeRange{type}, condition, true, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, load());
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  scf::YieldOp::create(builder, loc, zero);
  return branch.getResult(0);
}

void bsmm::populateEpilogueToNVVMPatterns(const LLVMTypeConverter &converter,
                                          const KernelValuesMap &values,
                                          RewritePatternSet &patterns) {
  patterns.add<ConvertValuesPattern, DrainPattern, ReadGlobalPattern,
               ReadVectorPattern, WriteGlobalPattern, WriteSharedPattern>(
      converter, values);
}

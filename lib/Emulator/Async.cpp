//===- Async.cpp - When asynchronous operations take effect -----*- C++ -*-===//

#include "Machine.h"

#include <algorithm>

namespace bsmm::emulator {

void Machine::issue(Cluster &cluster, std::shared_ptr<AsyncOp> op) {
  op->issue = ++issues;
  op->begin = instructions;
  if (op->pipe != nullptr)
    op->pipe->push_back(op);
  observeOperation(*op);
  if (options->mode == AsyncMode::Eager) {
    force(cluster, op);
    return;
  }
  cluster.pending.push_back(std::move(op));
}

void Machine::complete(Cluster &, AsyncOp &op) {
  if (op.done)
    return;
  op.done = true;
  const AsyncOp *outer = completing;
  completing = &op;
  if (op.readStage && !op.readDone) {
    op.readDone = true;
    op.readStage();
  }
  if (op.apply)
    op.apply();
  completing = outer;
  if (!options->traceFile.empty() && op.kind != AsyncOp::Kind::Commit &&
      trace.size() < TraceLimit) {
    bool tensor =
        op.kind == AsyncOp::Kind::Tensor || op.kind == AsyncOp::Kind::Wgmma;
    trace.push_back({ctaNumber(*op.warp->cta),
                     tensor ? TraceEvent::TensorCore
                     : op.kind == AsyncOp::Kind::CpAsync ? TraceEvent::CpAsync
                                                         : TraceEvent::Tma,
                     op.begin, std::max(instructions, op.begin) + 1,
                     op.kind == AsyncOp::Kind::BulkLoad    ? "load"
                     : op.kind == AsyncOp::Kind::BulkStore ? "store"
                     : tensor                              ? "tensor operation"
                                                           : "copy",
                     op.line});
  }
  op.apply = nullptr;
  op.readStage = nullptr;
  ++changes;
}

void Machine::force(Cluster &cluster, const std::shared_ptr<AsyncOp> &op) {
  std::shared_ptr<AsyncOp> wanted = op; // the caller's may be in a container
  if (wanted->done)
    return;
  if (wanted->pipe != nullptr) {
    auto &pipe = *wanted->pipe;
    while (!wanted->done && !pipe.empty()) {
      std::shared_ptr<AsyncOp> front = pipe.front();
      pipe.pop_front();
      complete(cluster, *front);
    }
  }
  complete(cluster, *wanted);
}

void Machine::forceRead(Cluster &, const std::shared_ptr<AsyncOp> &op) {
  if (op->done || op->readDone || !op->readStage)
    return;
  op->readDone = true;
  op->readStage();
  op->readStage = nullptr;
  ++changes;
}

void Machine::randomEffects(Cluster &cluster) {
  std::vector<std::shared_ptr<AsyncOp>> chosen;
  for (auto &op : cluster.pending) {
    if (op->done || random() % 8 != 0)
      continue;
    if (op->pipe != nullptr && op->pipe->front() != op)
      continue;
    chosen.push_back(op);
  }
  std::shuffle(chosen.begin(), chosen.end(), random);
  for (auto &op : chosen) {
    if (op->readStage && random() % 2 == 0)
      forceRead(cluster, op);
    else
      force(cluster, op);
  }
}

void Machine::collect(Cluster &cluster) {
  auto &pending = cluster.pending;
  pending.erase(std::remove_if(pending.begin(), pending.end(),
                               [](const std::shared_ptr<AsyncOp> &op) {
                                 return op->done;
                               }),
                pending.end());
}

} // namespace bsmm::emulator

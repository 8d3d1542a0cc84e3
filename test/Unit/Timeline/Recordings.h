//===- Recordings.h - Small recordings by hand ------------------*- C++ -*-===//

#ifndef BSMM_TEST_UNIT_TIMELINE_RECORDINGS_H
#define BSMM_TEST_UNIT_TIMELINE_RECORDINGS_H

#include "bsmm/Timeline/Report.h"

namespace bsmm::timeline {

/// Round numbers: 1 GHz, so that nanoseconds are cycles and GB/s are bytes a
/// cycle.
inline Rates plainRates(double sms = 1) {
  Rates rates;
  rates.target = "sm_100a";
  rates[RateId::Sms] = sms;
  rates[RateId::Clock] = 1;
  rates[RateId::TensorBytes] = 1000;
  rates[RateId::SharedBytes] = 100;
  rates[RateId::FillShare] = 0;
  rates[RateId::MmaCompletion] = 7;
  rates[RateId::TensorCopyBytes] = 10;
  rates[RateId::TensorLoadBytes] = 400;
  rates[RateId::TensorLoadLatency] = 20;
  rates[RateId::TensorStoreBytes] = 400;
  rates[RateId::CopyIssue] = 10;
  rates[RateId::CopyLatencyL2] = 100;
  rates[RateId::CopyLatencyDram] = 300;
  rates[RateId::SmL2Bandwidth] = 50;
  rates[RateId::L2Bandwidth] = 1000;
  rates[RateId::L2Capacity] = 1;
  rates[RateId::DramBandwidth] = 500;
  rates[RateId::ClusterCopyLatency] = 30;
  rates[RateId::ClusterArrival] = 40;
  rates[RateId::BarrierObserved] = 5;
  rates[RateId::BarrierInstruction] = 3;
  rates[RateId::NamedBarrier] = 11;
  rates[RateId::NamedBarrierWarp] = 1;
  rates[RateId::ClusterBarrier] = 60;
  rates[RateId::Instruction] = 2;
  rates[RateId::SharedLoadLatency] = 9;
  rates[RateId::GlobalLoadLatency] = 200;
  rates[RateId::Launch] = 0;
  rates[RateId::CtaStart] = 50;
  return rates;
}

/// Builds recordings.
struct Build {
  Recording recording;

  explicit Build(uint32_t ctas = 1, uint32_t warps = 1, uint32_t cluster = 1) {
    recording.clusterCtas = cluster;
    recording.ctas.resize(ctas);
    for (uint32_t k = 0; k < ctas; ++k) {
      recording.ctas[k].cluster = k / cluster;
      recording.ctas[k].rank = k % cluster;
      recording.ctas[k].warps.resize(warps);
    }
  }
  void step(uint32_t cta, uint32_t warp, Step::Kind kind, uint32_t a,
            uint32_t b = 0) {
    recording.ctas[cta].warps[warp].steps.push_back({kind, 1, a, b});
    if (kind == Step::Kind::Signal)
      ++recording.moments[a].contributions;
  }
  uint32_t moment(uint32_t owner = 0,
                  emulator::ObservedBarrier::Kind kind =
                      emulator::ObservedBarrier::Kind::Mbarrier) {
    Moment made;
    made.kind = kind;
    made.owner = owner;
    recording.moments.push_back(made);
    return static_cast<uint32_t>(recording.moments.size() - 1);
  }
  uint32_t operation(Operation::Kind kind, uint32_t bytes,
                     std::vector<uint32_t> moments = {}, uint64_t address = 0) {
    Operation op;
    op.kind = kind;
    op.bytes = bytes;
    op.line = 1;
    op.firstMoment = static_cast<uint32_t>(recording.signals.size());
    op.momentCount = static_cast<uint32_t>(moments.size());
    for (uint32_t moment : moments) {
      recording.signals.push_back(moment);
      ++recording.moments[moment].contributions;
    }
    if (kind == Operation::Kind::Load || kind == Operation::Kind::Store) {
      op.firstRow = static_cast<uint32_t>(recording.rows.size());
      op.rowCount = 1;
      recording.rows.push_back({address, 0, bytes, 1});
    }
    recording.operations.push_back(op);
    return static_cast<uint32_t>(recording.operations.size() - 1);
  }
  uint32_t mma(uint32_t product, uint32_t bytes = 0,
               std::vector<uint32_t> moments = {}) {
    uint32_t number =
        operation(Operation::Kind::Mma, bytes, std::move(moments));
    recording.operations[number].product = product;
    return number;
  }
};

} // namespace bsmm::timeline

#endif // BSMM_TEST_UNIT_TIMELINE_RECORDINGS_H

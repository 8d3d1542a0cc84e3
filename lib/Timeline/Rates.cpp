//===- Rates.cpp - How fast the parts of a GPU are --------------*- C++ -*-===//
//
// Keys of the sources (docs/timeline.md has the links):
//   SA    microbench-blackwell (B200)      QR  QuickRunCUDA (B300)
//   FV    flash-vla hardware tests (H100)  TS  TileSight, arXiv 2607.22432
//   AS    accel-sim tested configurations  H200  our own loops on an H200
//
//===----------------------------------------------------------------------===//

#include "bsmm/Timeline/Rates.h"

#include <cmath>
#include <cstdio>

namespace bsmm::timeline {

namespace {
constexpr Evidence M = Evidence::Measured;
constexpr Evidence D = Evidence::Derived;
constexpr Evidence A = Evidence::Assumed;
using Id = RateId;

// clang-format off
const RateRow table[RateCount] = {
  {Id::Sms, "sms", "SMs", "streaming multiprocessors",
   {132, M, "H200"}, {148, M, "SA, QR"}},
  {Id::Clock, "clock", "GHz", "SM clock; power lowers it under load",
   {1.755, D, "H200 boost under light load; 1.05-1.6 under FP8 load (FV)"},
   {1.965, M, "SA"}},
  {Id::TensorBytes, "tensor_bytes", "1/clk",
   "rows x columns x bytes of K that an SM's tensor cores multiply",
   {4096, M, "H200: m64n256k32 in 128 clk"},
   {8192, M, "SA, QR: M = 128, N = 256, 32 bytes of K in 128 clk"}},
  {Id::SharedBytes, "shared_bytes", "B/clk", "shared memory of an SM",
   {128, M, "H200, AS"}, {128, M, "SA, QR"}},
  {Id::FillShare, "fill_share", "",
   "part of the bytes that TMA writes which takes turns with reads",
   {0, D, "H200: 96 B/clk read and 64 filled at 97 % of tensor_bytes"},
   {0, D, "SA: 64 KiB read and filled in 405 clk, more than 128 B/clk"}},
  {Id::MmaCompletion, "mma_completion", "clk",
   "end of the multiplication until its completion can be seen",
   {47, D, "FV: wgmma of N = 64 alone takes 79"},
   {74, D, "SA: compute + 128 to the wait's end, less barrier_observed"}},
  {Id::TensorCopyBytes, "tensor_copy_bytes", "B/clk",
   "tcgen05.cp, by bytes read from shared memory",
   {60, A, "none on sm_90"},
   {60, D, "a claim: 4 KiB of 128x256b in 63-75 clk"}},
  {Id::TensorLoadBytes, "tensor_load_bytes", "B/clk",
   "tcgen05.ld of four warps together",
   {215, A, "none on sm_90"}, {215, M, "QR: 200-230"}},
  {Id::TensorLoadLatency, "tensor_load_latency", "clk",
   "tcgen05.ld, unloaded", {120, A, "none on sm_90"},
   {120, D, "QR: 120-420 seen, about 200 under load"}},
  {Id::TensorStoreBytes, "tensor_store_bytes", "B/clk",
   "tcgen05.st of four warps together",
   {400, A, "none on sm_90"}, {400, M, "QR: 345-460"}},
  {Id::CopyIssue, "copy_issue", "clk", "TMA, one copy of any size",
   {48, M, "FV"}, {48, M, "QR"}},
  {Id::CopyLatencyL2, "copy_latency_l2", "ns", "TMA load, data in L2",
   {217, M, "FV: 217 + 4.8 a KB"},
   {300, A, "SA's DRAM less FV's difference of DRAM and L2, halves of L2"}},
  {Id::CopyLatencyDram, "copy_latency_dram", "ns", "TMA load, data in DRAM",
   {900, D, "H200, by kernels of three slots; FV, one copy: 595 + 5.2 a KB"},
   {466, D, "SA: 927 clk for 1 KiB, 1258 for 8 KiB"}},
  {Id::SmL2Bandwidth, "sm_l2_bandwidth", "GB/s", "L2 to one SM",
   {208, M, "FV at 4 SMs"}, {247, M, "QR: 126 B/clk alone"}},
  {Id::L2Bandwidth, "l2_bandwidth", "GB/s", "L2 to all SMs",
   {12000, D, "H200: reached with 128x96 tiles; TS has 9200"},
   {20500, M, "TS"}},
  {Id::L2Capacity, "l2_capacity", "MB", "L2 cache",
   {50, D, "data sheet"}, {126, D, "data sheet"}},
  {Id::DramBandwidth, "dram_bandwidth", "GB/s", "reached, not the data sheet's",
   {4200, M, "TS on an H200"}, {7100, M, "SA, TS: 7.0-7.3 TB/s"}},
  {Id::ClusterCopyLatency, "cluster_copy_latency", "clk",
   "copy to shared memory of another CTA",
   {220, A, "nothing found"}, {220, A, "nothing found"}},
  {Id::ClusterArrival, "cluster_arrival", "clk",
   "more for an arrival at another CTA's mbarrier",
   {200, A, "nothing found"}, {200, A, "nothing found"}},
  {Id::BarrierObserved, "barrier_observed", "clk",
   "mbarrier: completion until a waiting thread goes on",
   {48, M, "H200"}, {54, M, "QR"}},
  {Id::BarrierInstruction, "barrier_instruction", "clk",
   "mbarrier arrive, or wait when it is complete",
   {8, A, "as sm_100"}, {8, M, "QR: 6-8"}},
  {Id::NamedBarrier, "named_barrier", "clk", "bar.sync",
   {22, A, "as sm_100"}, {22, M, "QR"}},
  {Id::NamedBarrierWarp, "named_barrier_warp", "clk", "bar.sync, more a warp",
   {2, A, "as sm_100"}, {2, M, "QR"}},
  {Id::ClusterBarrier, "cluster_barrier", "ns", "barrier.cluster",
   {510, M, "FV: cluster of 4"}, {190, M, "QR: 373-400 clk"}},
  {Id::Instruction, "instruction", "clk",
   "time of one instruction of one warp; a sub-core starts one a clk",
   {2, A, "dependent ones take 4, independent ones 1"},
   {2, A, "as sm_90"}},
  {Id::SharedLoadLatency, "shared_load_latency", "clk", "ld.shared",
   {29, M, "AS"}, {29, M, "QR"}},
  {Id::GlobalLoadLatency, "global_load_latency", "ns", "ld.global from L2",
   {150, A, "about 270 clk"}, {280, A, "between near and far half of L2"}},
  {Id::Launch, "launch", "ns", "launch until the first instruction",
   {1240, M, "FV"}, {1240, A, "as sm_90"}},
  {Id::CtaStart, "cta_start", "ns", "a CTA after another one on its SM",
   {300, A, "nothing found"}, {300, A, "nothing found"}},
};
// clang-format on
} // namespace

const RateRow (&rateTable())[RateCount] { return table; }

std::string_view evidenceName(Evidence evidence) {
  switch (evidence) {
  case Evidence::Measured:
    return "measured";
  case Evidence::Derived:
    return "derived";
  case Evidence::Assumed:
    return "assumed";
  }
  return "";
}

bool ratesFor(const std::string &target, Rates &rates, std::string &error) {
  bool hopper = target == "sm_90a" || target == "sm_90";
  bool blackwell = target.compare(0, 6, "sm_100") == 0 ||
                   target.compare(0, 6, "sm_103") == 0;
  if (!hopper && !blackwell) {
    error = "there are no rates for the target '" + target +
            "': expected sm_90a, sm_100a, sm_103a or one of their families";
    return false;
  }
  rates.target = target;
  for (size_t k = 0; k < RateCount; ++k)
    rates.values[k] = hopper ? table[k].sm90.value : table[k].sm100.value;
  return true;
}

bool setRate(Rates &rates, const std::string &name, double value,
             std::string &error) {
  for (size_t k = 0; k < RateCount; ++k) {
    if (table[k].name != name)
      continue;
    RateId id = table[k].id;
    bool mayBeZero = id == Id::FillShare || id == Id::MmaCompletion ||
                     table[k].unit == "ns" || table[k].unit == "clk";
    // Less would only make numbers that no floating point holds.
    constexpr double smallest = 1e-3;
    double largest = id == Id::FillShare ? 1 : id == Id::Sms ? 4096 : 1e9;
    bool isWhole = value == std::floor(value);
    if (!(value <= largest) ||
        !(value >= smallest || (value == 0 && mayBeZero)) ||
        (id == Id::Sms && !isWhole)) {
      char text[160];
      std::snprintf(text, sizeof(text),
                    "expected a %s from %s to %g for the rate '%s', got %g",
                    id == Id::Sms ? "whole number" : "number",
                    mayBeZero ? "0" : "0.001", largest, name.c_str(), value);
      error = text;
      return false;
    }
    rates.values[k] = value;
    return true;
  }
  error = "there is no rate '" + name + "'; 'bsmm-emu rates' lists them";
  return false;
}

std::string formatRateTable() {
  std::string text;
  char line[512];
  std::snprintf(line, sizeof(line), "%-21s %-6s %9s %-9s %9s %-9s %s\n", "rate",
                "unit", "sm_90", "", "sm_100", "", "meaning");
  text += line;
  for (const RateRow &row : table) {
    std::snprintf(
        line, sizeof(line), "%-21s %-6s %9g %-9s %9g %-9s %s\n",
        std::string(row.name).c_str(), std::string(row.unit).c_str(),
        row.sm90.value, std::string(evidenceName(row.sm90.evidence)).c_str(),
        row.sm100.value, std::string(evidenceName(row.sm100.evidence)).c_str(),
        std::string(row.meaning).c_str());
    text += line;
  }
  return text;
}

} // namespace bsmm::timeline

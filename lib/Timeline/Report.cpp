//===- Report.cpp - The timeline's report as text and JSON ------*- C++ -*-===//

#include "bsmm/Timeline/Report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace bsmm::timeline {

namespace {
std::string print(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

std::string print(const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

/// What the tensor cores and copies of a kernel need at least.
struct Roofline {
  double compute = 0; ///< cycles of all SMs' tensor cores
  double shared = 0;  ///< ... if shared memory were the only limit
};

Roofline roofline(const Timeline &timeline) {
  Roofline limits;
  const Rates &rates = timeline.rates;
  for (const Operation &op : timeline.recording.operations) {
    if (op.kind != Operation::Kind::Mma)
      continue;
    double compute = op.product / rates[RateId::TensorBytes];
    double shared = op.bytes / rates[RateId::SharedBytes];
    limits.compute += compute * op.ctas;
    limits.shared += shared * op.ctas;
  }
  return limits;
}

double microseconds(const Timeline &timeline, double cycles) {
  return cycles / timeline.rates[RateId::Clock] / 1000;
}
} // namespace

std::string formatReport(const Timeline &timeline) {
  const SimulationResult &result = timeline.result;
  const Rates &rates = timeline.rates;
  const Attribution &sum = timeline.attribution;
  std::string text;
  double time = microseconds(timeline, result.end);
  text +=
      print("%s for %s: %zu CTAs on %u SMs at %g GHz\n", timeline.name.c_str(),
            rates.target.c_str(), timeline.recording.ctas.size(),
            result.smCount, rates[RateId::Clock]);
  text += print("predicted: %.0f cycles, %.2f us", result.end, time);
  if (timeline.multiplyAdds != 0 && time > 0)
    text += print(", %.1f TFLOP/s of whole tiles",
                  2e-6 * static_cast<double>(timeline.multiplyAdds) / time);
  text += "\n";
  text +=
      print("a CTA: %zu warps, %u bytes of dynamic shared memory, %u "
            "columns of tensor memory; %u on an SM\n",
            timeline.recording.ctas.empty()
                ? size_t(0)
                : timeline.recording.ctas.front().warps.size(),
            timeline.sharedBytes, timeline.tensorColumns, timeline.ctasPerSm);
  Roofline limits = roofline(timeline);
  double sms = std::max(1u, result.smCount);
  double loaded = static_cast<double>(result.loadedBytes);
  text += print("at least: %.0f cycles of multiplication, %.0f of operand "
                "reads, %.0f of L2, %.0f of DRAM\n",
                limits.compute / sms, limits.shared / sms,
                loaded / rates.bytesPerCycle(rates[RateId::L2Bandwidth]),
                static_cast<double>(result.dramBytes + result.storedBytes) /
                    rates.bytesPerCycle(rates[RateId::DramBandwidth]));

  if (limits.compute > 0)
    text += print("loads %.1f bytes a cycle of multiplication and SM: L2 gives "
                  "%.1f, DRAM %.1f\n",
                  loaded / limits.compute,
                  rates.bytesPerCycle(rates[RateId::L2Bandwidth]) / sms,
                  rates.bytesPerCycle(rates[RateId::DramBandwidth]) / sms);

  auto share = [&](Cause cause, double of) {
    return of > 0 ? 100 * sum.cycles[static_cast<size_t>(cause)] / of : 0;
  };
  auto row = [&](Cause cause, double of) {
    if (sum.cycles[static_cast<size_t>(cause)] > 0)
      text += print("  %-46s %6.2f %%\n", std::string(causeText(cause)).c_str(),
                    share(cause, of));
  };
  text += "\nthe whole run, all SMs:\n";
  text += print("  %-46s %6.2f %%\n", "steady state",
                sum.total > 0 ? 100 * sum.steady / sum.total : 0);
  for (Cause cause : {Cause::Launch, Cause::Fill, Cause::Drain, Cause::NoTile})
    row(cause, sum.total);

  if (sum.steady > 0) {
    text += "\nthe tensor core in the steady state:\n";
    for (size_t k = 0; k < CauseCount; ++k) {
      Cause cause = static_cast<Cause>(k);
      if (isSteady(cause) && !isOwnSchedule(cause))
        row(cause, sum.steady);
    }
    text +=
        print("  %-46s %6.2f %%\n", "own schedule", 100 * sum.ownSchedule());
    for (Cause cause : {Cause::Epilogue, Cause::Barrier, Cause::Issue}) {
      if (sum.cycles[static_cast<size_t>(cause)] <= 0)
        continue;
      text +=
          print("    %-44s %6.2f %%\n", std::string(causeText(cause)).c_str(),
                share(cause, sum.steady));
      // Where it is worth looking.
      for (const LineCycles &at : sum.lines)
        if (at.cause == cause && at.line != 0 && at.cycles > 0.005 * sum.steady)
          text += print("      line %-39u %6.2f %%\n", at.line,
                        100 * at.cycles / sum.steady);
    }
  }

  if (result.loadedBytes != 0) {
    Streaming flow = streaming(result, rates);
    text += print("\nloads: %.2f us until data arrives, %.2f us of streaming, "
                  "%.2f us after it\n",
                  microseconds(timeline, flow.before),
                  microseconds(timeline, flow.during),
                  microseconds(timeline, flow.after));
    text += print("  fixed latency: %.2f us until the first load, %.2f us of "
                  "that load, %.2f us after the last one\n",
                  microseconds(timeline, flow.untilLoad),
                  microseconds(timeline, flow.before - flow.untilLoad),
                  microseconds(timeline, flow.after));
    text += print("  %.1f %% of the bytes are asked for before data arrives%s"
                  "\n",
                  100 * flow.shareAskedEarly,
                  flow.shareAskedEarly < 1
                      ? ""
                      : ": they come in one burst, and nothing streams");
    text += print("  %.1f MB from DRAM at %.1f %% of its bandwidth, %.1f MB "
                  "through L2 at %.1f %%\n",
                  static_cast<double>(result.dramBytes) / 1e6,
                  100 * flow.shareOfDram, loaded / 1e6, 100 * flow.shareOfL2);
  }
  return text;
}

std::string timelineToJson(const Timeline &timeline) {
  const SimulationResult &result = timeline.result;
  const Rates &rates = timeline.rates;
  const Attribution &sum = timeline.attribution;
  nlohmann::ordered_json json;
  json["schema"] = "bsmm.timeline/1";
  json["kernel"] = timeline.name;
  json["target"] = rates.target;
  json["ctas"] = timeline.recording.ctas.size();
  json["sms"] = result.smCount;
  json["ctas_per_sm"] = timeline.ctasPerSm;
  json["clock_ghz"] = rates[RateId::Clock];
  json["cycles"] = result.end;
  json["microseconds"] = microseconds(timeline, result.end);
  json["multiply_adds"] = timeline.multiplyAdds;
  json["shared_bytes"] = timeline.sharedBytes;
  json["tensor_columns"] = timeline.tensorColumns;
  json["warp_instructions"] = timeline.recording.instructions;
  Roofline limits = roofline(timeline);
  double sms = std::max(1u, result.smCount);
  json["least_cycles"] = {
      {"multiply", limits.compute / sms},
      {"shared_memory", limits.shared / sms},
      {"l2", static_cast<double>(result.loadedBytes) /
                 rates.bytesPerCycle(rates[RateId::L2Bandwidth])},
      {"dram", static_cast<double>(result.dramBytes + result.storedBytes) /
                   rates.bytesPerCycle(rates[RateId::DramBandwidth])}};
  json["bytes"] = {{"loaded", result.loadedBytes},
                   {"dram", result.dramBytes},
                   {"stored", result.storedBytes}};
  nlohmann::ordered_json run, steady;
  for (size_t k = 0; k < CauseCount; ++k) {
    Cause cause = static_cast<Cause>(k);
    (isSteady(cause) ? steady : run)[std::string(causeName(cause))] =
        sum.cycles[k];
  }
  json["sm_cycles"] = sum.total;
  json["outside_of_steady_state"] = run;
  json["steady_state"] = {{"cycles", sum.steady}, {"causes", steady}};
  json["own_schedule"] = sum.ownSchedule();
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const LineCycles &at : sum.lines)
    lines.push_back({{"cause", std::string(causeName(at.cause))},
                     {"line", at.line},
                     {"cycles", at.cycles}});
  json["lines"] = lines;
  Streaming flow = streaming(result, rates);
  json["streaming"] = {{"cycles_until_load", flow.untilLoad},
                       {"cycles_before", flow.before},
                       {"cycles_during", flow.during},
                       {"cycles_after", flow.after},
                       {"share_of_dram", flow.shareOfDram},
                       {"share_of_l2", flow.shareOfL2},
                       {"share_asked_early", flow.shareAskedEarly}};
  nlohmann::ordered_json used;
  for (const RateRow &row : rateTable())
    used[std::string(row.name)] = rates[row.id];
  json["rates"] = used;
  return json.dump(1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace bsmm::timeline

//===- Attribution.cpp - Why the tensor core idles --------------*- C++ -*-===//

#include "bsmm/Timeline/Report.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace bsmm::timeline {

namespace {
constexpr double Epsilon = 1e-6;

/// Part of the time around [begin, end) in which a server was busy.
double busyShare(const std::vector<float> &busy, double begin, double end) {
  double first = std::max(0.0, std::floor(begin / MeterCycles));
  double last = std::floor(end / MeterCycles);
  double sum = 0;
  for (double k = first; k <= last; ++k)
    if (k < static_cast<double>(busy.size()))
      sum += static_cast<double>(busy[static_cast<size_t>(k)]);
  return sum / ((last - first + 1) * MeterCycles);
}

/// Whether a server had no time left around [begin, end).
bool saturated(const std::vector<float> &busy, double begin, double end) {
  constexpr double Around = 2 * MeterCycles;
  constexpr double Full = 0.95;
  return busyShare(busy, begin - Around, end + Around) >= Full;
}

/// Explains one gap [gapBegin, gapEnd) of a tensor core.
class Walk {
public:
  Walk(const Recording &recording, const SimulationResult &result, double begin,
       double gapEnd, std::vector<Span> &spans)
      : in(recording), out(result), begin(begin), gapEnd(gapEnd), spans(spans),
        first(spans.size()) {}

  /// `warp` does something at `time` that others wait for.
  void warp(uint32_t index, double time);
  void operation(uint32_t number, double time);
  /// [from, time) has that cause; returns where to go on.
  double give(Cause cause, double from, double time, uint32_t line);
  bool over(double time) const { return time <= begin + Epsilon; }
  void end(double time, Cause cause) { give(cause, begin, time, 0); }

private:
  double lastWait(uint32_t index, double time) const;
  const std::vector<float> &tmaOf(uint32_t warp) const {
    return out.sms[out.ctas[out.warps[warp].cta].sm].tmaBusy;
  }
  bool storesAt(const WarpTimes &times, double from, double to) const;

  const Recording &in;
  const SimulationResult &out;
  double begin, gapEnd;
  std::vector<Span> &spans;
  size_t first;          ///< of the gap's spans
  bool epilogue = false; ///< what comes before an epilogue is part of it
  uint32_t depth = 0;
};

double Walk::give(Cause cause, double from, double time, uint32_t line) {
  from = std::max(from, begin);
  if (epilogue && cause != Cause::Launch && cause != Cause::CtaChange)
    cause = Cause::Epilogue;
  if (time > from + Epsilon)
    spans.push_back({from, time, cause, line});
  return std::min(from, time);
}

/// When the warp last ended to wait before `time`; its begin without a wait.
double Walk::lastWait(uint32_t index, double time) const {
  const WarpTimes &times = out.warps[index];
  auto after = std::upper_bound(
      times.waits.begin(), times.waits.end(), time + Epsilon,
      [](double at, const WarpWait &wait) { return at < wait.end; });
  return after == times.waits.begin() ? times.begin : std::prev(after)->end;
}

/// Whether the warp stores results between its multiplications there.
bool Walk::storesAt(const WarpTimes &times, double from, double to) const {
  auto after = std::upper_bound(
      times.stores.begin(), times.stores.end(), from + Epsilon,
      [](double time, const Stretch &stretch) { return time < stretch.end; });
  return after != times.stores.end() && after->begin < to - Epsilon;
}

void Walk::warp(uint32_t index, double time) {
  while (!over(time)) {
    if (++depth > 100000)
      return end(time, Cause::Issue);
    const WarpTimes &times = out.warps[index];
    auto after = std::upper_bound(
        times.waits.begin(), times.waits.end(), time + Epsilon,
        [](double at, const WarpWait &wait) { return at < wait.end; });
    double from = times.begin;
    const WarpWait *wait = nullptr;
    if (after != times.waits.begin()) {
      wait = &*std::prev(after);
      from = wait->end;
    }
    from = std::min(from, time);
    epilogue |= times.multiplies ? storesAt(times, std::max(from, begin), time)
                                 : times.drains;
    time = give(Cause::Issue, from, time, wait != nullptr ? wait->line : 0);
    if (over(time))
      return;
    if (wait == nullptr) {
      // The CTA's begin: what was on the SM before it?
      uint32_t cta = times.cta;
      double before = 0;
      bool first = true;
      for (uint32_t other : out.sms[out.ctas[cta].sm].ctas) {
        if (other == cta || out.ctas[other].begin > times.begin - Epsilon)
          continue;
        first = false;
        if (out.ctas[other].end < times.begin + Epsilon)
          before = std::max(before, out.ctas[other].end);
      }
      if (first)
        return end(time, Cause::Launch);
      epilogue = false;
      time = give(Cause::CtaChange, before, time, 0);
      epilogue = true; // of the CTA before
      return end(time, Cause::Epilogue);
    }
    if (wait->isOperation) {
      return operation(wait->what, time);
    }
    const MomentTimes &moment = out.moments[wait->what];
    if (moment.time <= wait->begin + Epsilon) {
      // It was complete before the wait began.
      time = give(Cause::Barrier, wait->begin, time, wait->line);
      continue;
    }
    time = give(Cause::Barrier, moment.time, time, wait->line);
    if (over(time))
      return;
    if (moment.byOperation)
      return operation(moment.by, time);
    if (moment.by == None)
      return end(time, Cause::Issue);
    index = moment.by;
  }
}

void Walk::operation(uint32_t number, double time) {
  if (++depth > 100000)
    return end(time, Cause::Issue);
  const Operation &op = in.operations[number];
  const OperationTimes &times = out.operations[number];
  uint32_t line = op.line;
  switch (op.kind) {
  case Operation::Kind::Load: {
    // Without waiting for bandwidth it would have come that much earlier,
    // without waiting for the TMA a bit more; the rest is latency.
    double from = std::max(begin, times.request);
    time = give(Cause::SharedMemory, time - std::min(times.fill, time - from),
                time, line);
    double transfer = std::min(times.transfer, time - from);
    Cause limit = times.limit == Limit::Dram ? Cause::Dram : Cause::L2;
    time = give(limit, time - transfer, time, line);
    if (double since = lastWait(times.warp, times.request);
        since < times.request - (times.done - times.request)) {
      // Whoever asked for it had not waited for a slot for as long as the copy
      // took: what counts is how often it asks. Neither more slots would help,
      // nor if what follows were faster.
      double copies =
          std::min(1.0, busyShare(tmaOf(times.warp), since, times.request));
      spans.resize(first);
      time = give(Cause::CopyIssue, gapEnd - copies * (gapEnd - begin), gapEnd,
                  line);
      return end(time, Cause::Issue);
    }
    double queue = std::min(std::max(0.0, times.accept - times.request),
                            std::max(0.0, time - from));
    time = give(Cause::CopyIssue, time - queue, time, line);
    time = give(Cause::LoadLatency, from, time, line);
    break;
  }
  case Operation::Kind::Store:
  case Operation::Kind::StAsync:
    epilogue = true;
    time = give(Cause::Epilogue, times.request, time, line);
    break;
  case Operation::Kind::ClusterCopy:
  case Operation::Kind::CpAsync:
    time = give(Cause::LoadLatency, times.request, time, line);
    break;
  case Operation::Kind::Mma:
    // A gap holds no multiplication of its own SM; another SM's counts as
    // waiting for its completion.
    return end(time, Cause::Completion);
  case Operation::Kind::TensorCopy:
    time = give(Cause::ScaleCopy, times.request, time, line);
    break;
  case Operation::Kind::Commit:
    if (times.before != None && out.operations[times.before].end >= 0) {
      if (in.operations[times.before].kind == Operation::Kind::Mma &&
          out.operations[times.before].done >= times.request)
        return end(time, Cause::Completion);
    }
    time = give(Cause::Completion, times.request, time, line);
    break;
  }
  if (!over(time) && times.warp != None)
    warp(times.warp, time);
  else if (!over(time))
    end(time, Cause::Issue);
}

/// Explains the gap before `run`, in spans from its end backwards.
void explain(const Recording &in, const SimulationResult &out, uint32_t sm,
             double begin, const MmaRun &run, std::vector<Span> &spans) {
  size_t first = spans.size();
  Walk walk(in, out, begin, run.start, spans);
  // It was issued, and waited for scale factors, or for the other CTA.
  double time =
      walk.give(in.operations[run.operation].ctas == 2 &&
                        in.operations[run.operation].scaleColumns[0] == 0
                    ? Cause::Completion
                    : Cause::ScaleCopy,
                run.issued, run.start, in.operations[run.operation].line);
  if (!walk.over(time))
    walk.warp(out.operations[run.operation].warp, time);
  std::reverse(spans.begin() + static_cast<long>(first), spans.end());
  bool l2 = saturated(out.l2Busy, begin, run.start) ||
            saturated(out.sms[sm].portBusy, begin, run.start);
  bool dram = saturated(out.dramBusy, begin, run.start);
  for (size_t k = first; (l2 || dram) && k < spans.size(); ++k)
    if (spans[k].cause != Cause::CtaChange)
      spans[k].cause = dram ? Cause::Dram : Cause::L2;
}
} // namespace

std::string_view causeName(Cause cause) {
  static const std::string_view names[CauseCount] = {
      "multiply",     "shared_memory", "dram",       "l2",
      "load_latency", "copy_issue",    "scale_copy", "completion",
      "cta_change",   "epilogue",      "barrier",    "issue",
      "launch",       "fill",          "drain",      "no_tile"};
  return names[static_cast<size_t>(cause)];
}

std::string_view causeText(Cause cause) {
  static const std::string_view texts[CauseCount] = {
      "multiplies",
      "shared memory bandwidth",
      "data: DRAM bandwidth",
      "data: L2 bandwidth",
      "data: latency that the slots don't cover",
      "data: issue of copies",
      "scale factors on their way to tensor memory",
      "completion of a multiplication",
      "next CTA starts",
      "epilogue holds the accumulator",
      "barrier seen late, data ready",
      "issued late, data ready",
      "launch",
      "first tile's fill",
      "last tile's drain",
      "no tile left"};
  return texts[static_cast<size_t>(cause)];
}

bool isOwnSchedule(Cause cause) {
  return cause == Cause::Epilogue || cause == Cause::Barrier ||
         cause == Cause::Issue;
}

bool isSteady(Cause cause) { return cause < Cause::Launch; }

double Attribution::ownSchedule() const {
  return steadyOf(Cause::Epilogue) + steadyOf(Cause::Barrier) +
         steadyOf(Cause::Issue);
}

std::vector<Span> attributeSm(const Recording &recording,
                              const SimulationResult &result, uint32_t sm) {
  std::vector<Span> spans;
  const SmTimes &times = result.sms[sm];
  double busyEnd = 0;
  for (uint32_t cta : times.ctas)
    busyEnd = std::max(busyEnd, result.ctas[cta].end);
  double time = 0;
  auto fill = [&](double until, Cause cause) {
    if (until > time)
      spans.push_back({time, until, cause, 0});
    time = std::max(time, until);
  };
  if (!times.ctas.empty())
    fill(result.ctas[times.ctas.front()].begin, Cause::Launch);
  if (!times.runs.empty()) {
    fill(times.runs.front().start, Cause::Fill);
    for (const MmaRun &run : times.runs) {
      if (run.start > time + Epsilon)
        explain(recording, result, sm, time, run, spans);
      time = run.start;
      uint32_t line = recording.operations[run.operation].line;
      double computed = std::min(run.start + run.compute, run.end);
      spans.push_back({time, computed, Cause::Multiply, line});
      if (run.end > computed + Epsilon)
        spans.push_back({computed, run.end, Cause::SharedMemory, line});
      time = std::max(run.end, time);
    }
  }
  fill(std::min(busyEnd, result.end), Cause::Drain);
  fill(result.end, Cause::NoTile);
  return spans;
}

Attribution attribute(const Recording &recording,
                      const SimulationResult &result) {
  Attribution sum;
  sum.total = result.end * result.smCount;
  std::map<std::pair<Cause, uint32_t>, double> lines;
  for (uint32_t sm = 0; sm < result.smCount; ++sm)
    for (const Span &span : attributeSm(recording, result, sm)) {
      double cycles = span.end - span.begin;
      sum.cycles[static_cast<size_t>(span.cause)] += cycles;
      if (!isSteady(span.cause))
        continue;
      sum.steady += cycles;
      if (span.cause != Cause::Multiply)
        lines[{span.cause, span.line}] += cycles;
    }
  for (auto &[key, cycles] : lines)
    sum.lines.push_back({key.first, key.second, cycles});
  std::stable_sort(sum.lines.begin(), sum.lines.end(),
                   [](const LineCycles &a, const LineCycles &b) {
                     return a.cycles > b.cycles;
                   });
  return sum;
}

Streaming streaming(const SimulationResult &result, const Rates &rates) {
  Streaming times;
  if (result.lastLoadDone < 0) {
    times.untilLoad = times.before = result.end;
    return times;
  }
  times.untilLoad = result.firstLoad;
  times.before = result.firstLoadDone;
  times.during = result.lastLoadDone - result.firstLoadDone;
  times.after = result.end - result.lastLoadDone;
  times.bytes = static_cast<double>(result.dramBytes);
  if (result.loadedBytes != 0)
    times.shareAskedEarly = static_cast<double>(result.bytesAskedEarly) /
                            static_cast<double>(result.loadedBytes);
  // Transfers begin before data arrives, and end as much earlier.
  double transfer = result.lastTransfer - result.firstLoad;
  if (transfer > 0) {
    times.shareOfDram =
        times.bytes /
        (transfer * rates.bytesPerCycle(rates[RateId::DramBandwidth]));
    times.shareOfL2 =
        static_cast<double>(result.loadedBytes) /
        (transfer * rates.bytesPerCycle(rates[RateId::L2Bandwidth]));
  }
  return times;
}

} // namespace bsmm::timeline

//===- Trace.cpp - The timeline for Perfetto --------------------*- C++ -*-===//
//
// Chrome's JSON format. A process is an SM. One microsecond of the viewer is
// one cycle of the SM.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Timeline/Report.h"

#include <cstdio>

namespace bsmm::timeline {

using emulator::ObservedBarrier;

namespace {
enum Track : uint32_t {
  TensorCore = 1,
  IdleReason = 2,
  Tma = 3, ///< and above, for copies at the same time
  Warps = 1000
};

class Writer {
public:
  explicit Writer(const Timeline &timeline)
      : in(timeline.recording), out(timeline.result) {
    uint32_t count = 0;
    for (const CtaProgram &cta : in.ctas) {
      firstWarp.push_back(count);
      count += static_cast<uint32_t>(cta.warps.size());
    }
  }
  void sm(uint32_t index);
  std::string take() {
    return "{\"displayTimeUnit\": \"ns\", \"otherData\": "
           "{\"time\": \"cycles of the SM\"},\n"
           "\"traceEvents\": [" +
           text + "\n]}\n";
  }

private:
  void event(uint32_t pid, uint32_t tid, const std::string &name,
             const char *category, double begin, double end, uint32_t line,
             const std::string &more = "");
  void name(uint32_t pid, uint32_t tid, const std::string &what);
  std::string reason(const WarpWait &wait) const;
  std::string role(const WarpTimes &times) const;

  const Recording &in;
  const SimulationResult &out;
  std::vector<uint32_t> firstWarp;
  std::string text;
};

void Writer::event(uint32_t pid, uint32_t tid, const std::string &what,
                   const char *category, double begin, double end,
                   uint32_t line, const std::string &more) {
  char start[160];
  std::snprintf(start, sizeof(start),
                "\", \"ph\": \"X\", \"pid\": %u, \"tid\": %u, \"ts\": %.1f, "
                "\"dur\": %.1f, \"args\": {\"line\": %u",
                pid, tid, begin, end - begin, line);
  text += text.empty() ? "\n" : ",\n";
  text += "{\"name\": \"" + what + "\", \"cat\": \"" + category + start;
  if (!more.empty())
    text += ", \"for\": \"" + more + "\"";
  text += "}}";
}

void Writer::name(uint32_t pid, uint32_t tid, const std::string &what) {
  text += text.empty() ? "\n" : ",\n";
  std::string ids = "\", \"ph\": \"M\", \"pid\": " + std::to_string(pid) +
                    ", \"tid\": " + std::to_string(tid) + ", \"args\": {\"";
  if (tid == 0) {
    text += "{\"name\": \"process_name" + ids + "name\": \"" + what + "\"}}";
    return;
  }
  text += "{\"name\": \"thread_name" + ids + "name\": \"" + what + "\"}},\n";
  text += "{\"name\": \"thread_sort_index" + ids +
          "sort_index\": " + std::to_string(tid) + "}}";
}

std::string Writer::role(const WarpTimes &times) const {
  if (times.multiplies)
    return times.drains ? "multiplies, stores" : "multiplies";
  return times.loads ? "loads" : times.drains ? "epilogue" : "others";
}

std::string Writer::reason(const WarpWait &wait) const {
  if (wait.isOperation) {
    const Operation &op = in.operations[wait.what];
    return (op.kind == Operation::Kind::Mma     ? "the multiplication of line "
            : op.kind == Operation::Kind::Store ? "the store of line "
                                                : "the copy of line ") +
           std::to_string(op.line);
  }
  const Moment &moment = in.moments[wait.what];
  std::string which =
      moment.kind == ObservedBarrier::Kind::Mbarrier ? "mbarrier at "
      : moment.kind == ObservedBarrier::Kind::Named  ? "barrier "
                                                     : "cluster barrier ";
  std::string by;
  const MomentTimes &times = out.moments[wait.what];
  if (times.byOperation)
    by = ", completed by line " + std::to_string(in.operations[times.by].line);
  else if (times.by != None)
    by = ", completed by warp " +
         std::to_string(times.by - firstWarp[out.warps[times.by].cta]);
  return which + std::to_string(moment.number) + " phase " +
         std::to_string(moment.phase) + by;
}

void Writer::sm(uint32_t index) {
  name(index, 0, "SM " + std::to_string(index));
  name(index, TensorCore, "tensor core");
  name(index, IdleReason, "tensor core idles");
  for (const Span &span : attributeSm(in, out, index)) {
    bool works = span.cause == Cause::Multiply;
    event(index, works ? TensorCore : IdleReason,
          std::string(causeText(span.cause)),
          works                       ? "work"
          : isOwnSchedule(span.cause) ? "own schedule"
                                      : "limit",
          span.begin, span.end, span.line);
  }
  uint32_t row = 0;
  std::vector<double> copies; // ends of the last copy of each TMA track
  for (uint32_t cta : out.sms[index].ctas) {
    size_t warps = in.ctas[cta].warps.size();
    for (uint32_t w = 0; w < warps; ++w) {
      const WarpTimes &times = out.warps[firstWarp[cta] + w];
      uint32_t track = Warps + row++;
      name(index, track,
           "CTA " + std::to_string(cta) + " warp " + std::to_string(w) + " (" +
               role(times) + ")");
      double time = times.begin;
      for (const WarpWait &wait : times.waits) {
        if (wait.begin > time)
          event(index, track, "works", "work", time, wait.begin, 0);
        event(index, track, "waits", "wait", wait.begin, wait.end, wait.line,
              reason(wait));
        time = wait.end;
      }
      if (times.end > time)
        event(index, track, "works", "work", time, times.end, 0);
      // Operations of the warp.
      for (const Step &step : in.ctas[cta].warps[w].steps) {
        if (step.kind != Step::Kind::Start)
          continue;
        const Operation &op = in.operations[step.a];
        const OperationTimes &at = out.operations[step.a];
        bool copy = op.kind == Operation::Kind::Load ||
                    op.kind == Operation::Kind::Store;
        if (!copy || at.done < 0)
          continue;
        size_t slot = 0;
        while (slot < copies.size() && copies[slot] > at.request)
          ++slot;
        if (slot == copies.size()) {
          copies.push_back(0);
          name(index, Tma + static_cast<uint32_t>(slot), "TMA");
        }
        copies[slot] = at.done;
        static const char *limits[] = {"", "DRAM", "L2", "the SM's link"};
        event(index, Tma + static_cast<uint32_t>(slot),
              op.kind == Operation::Kind::Load ? "load" : "store", "copy",
              at.request, at.done, op.line,
              limits[static_cast<size_t>(at.limit)]);
      }
    }
  }
}
} // namespace

std::string timelineToTrace(const Timeline &timeline,
                            const std::vector<uint32_t> &sms) {
  Writer writer(timeline);
  for (uint32_t sm : sms)
    if (sm < timeline.result.smCount)
      writer.sm(sm);
  return writer.take();
}

} // namespace bsmm::timeline

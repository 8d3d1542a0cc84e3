//===- Trace.cpp - Who did what when ----------------------------*- C++ -*-===//
//
// Events in Chrome's JSON format, which Perfetto reads. Time is the number of
// warp instructions issued. A process is a CTA; its tracks are its warps, the
// TMA, cp.async and the tensor core. Viewers want the events of a track not to
// overlap: those that do go to further tracks of the same name.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

namespace bsmm::emulator {

uint64_t Machine::ctaNumber(const Cta &cta) const {
  return (uint64_t(cta.id.z) * launch->grid.y + cta.id.y) * launch->grid.x +
         cta.id.x;
}

void Machine::traceInstruction(const Warp &warp, uint32_t pc) {
  if (trace.size() >= TraceLimit)
    return;
  const Inst &inst = module->code[pc];
  trace.push_back({ctaNumber(*warp.cta), warp.index, instructions,
                   instructions + 1, inst.opcode, inst.line});
}

/// The split begins to wait at `pc`, if it doesn't already.
void Machine::traceWait(Warp &warp, uint32_t index, uint32_t pc) {
  if (index >= warp.splits.size())
    return;
  Split &split = warp.splits[index];
  if (split.dead || split.waitBegin != 0 || split.wait == WaitKind::Ready)
    return;
  split.waitBegin = instructions;
  split.waitPc = pc;
  split.waitReason = split.wait;
}

void Machine::traceWaitEnd(Warp &warp, uint32_t index) {
  if (index >= warp.splits.size() || warp.splits[index].waitBegin == 0)
    return;
  Split &split = warp.splits[index];
  uint64_t begin = split.waitBegin;
  split.waitBegin = 0;
  if (trace.size() >= TraceLimit)
    return;
  const Inst &inst = module->code[split.waitPc];
  trace.push_back({ctaNumber(*warp.cta), warp.index, begin,
                   std::max(instructions, begin + 1), inst.opcode, inst.line,
                   split.waitReason,
                   split.waitReason == WaitKind::NamedBarrier
                       ? split.waitId
                       : split.waitAddress,
                   split.waitPhase});
}

/// What an event waits for, in words; empty when it doesn't.
static std::string reasonOf(const TraceEvent &event) {
  switch (event.wait) {
  case WaitKind::Ready:
    return "";
  case WaitKind::Together:
    return "other lanes of the warp";
  case WaitKind::NamedBarrier:
    return "barrier " + std::to_string(event.address);
  case WaitKind::ClusterBarrier:
    return "the cluster barrier";
  case WaitKind::Mbarrier:
    return "phase " + std::to_string(event.phase) + " of the mbarrier at " +
           hex(event.address & SharedOffsetMask);
  case WaitKind::TensorAllocation:
    return "tensor memory columns";
  case WaitKind::RegisterPool:
    return "registers";
  case WaitKind::Spin:
    return "something to change (polls)";
  }
  return "";
}

static std::string trackName(uint32_t track) {
  switch (track) {
  case TraceEvent::Tma:
    return "TMA";
  case TraceEvent::CpAsync:
    return "cp.async";
  case TraceEvent::TensorCore:
    return "tensor core";
  default:
    return "warp " + std::to_string(track);
  }
}

/// Text as a JSON string.
static std::string jsonText(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

void Machine::writeTrace() {
  std::FILE *file = std::fopen(options->traceFile.c_str(), "wb");
  if (file == nullptr) {
    launchError("cannot write the trace to '" + options->traceFile + "'");
    return;
  }
  std::stable_sort(
      trace.begin(), trace.end(), [](const TraceEvent &a, const TraceEvent &b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
      });
  // Written as it is made: there may be millions of events.
  bool good = true;
  auto put = [&](const std::string &text) {
    good &= std::fwrite(text.data(), 1, text.size(), file) == text.size();
  };
  put("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"time\": \"warp "
      "instructions issued\", \"entry\": " +
      jsonText(entry->source->name) +
      ", \"truncated\": " + (trace.size() >= TraceLimit ? "true" : "false") +
      "},\n\"traceEvents\": [");
  // Ends of the last event of each of the tracks with one name.
  std::map<std::pair<uint64_t, uint32_t>, std::vector<uint64_t>> tracks;
  constexpr size_t Rows = 1000; // of one name, in thread numbers
  const char *separator = "\n";
  auto number = [](uint64_t value) { return std::to_string(value); };
  for (const TraceEvent &event : trace) {
    std::vector<uint64_t> &ends = tracks[{event.cta, event.track}];
    size_t row = 0;
    while (row < ends.size() && ends[row] > event.begin)
      ++row;
    if (row == ends.size())
      ends.push_back(0);
    ends[row] = event.end;
    std::string reason = reasonOf(event);
    std::string name =
        (reason.empty() ? "" : "wait: ") + std::string(event.name);
    put(separator + ("{\"name\": " + jsonText(name)) + ", \"cat\": \"" +
        (reason.empty() ? "work" : "wait") +
        "\", \"ph\": \"X\", \"pid\": " + number(event.cta) +
        ", \"tid\": " + number(event.track * Rows + std::min(row, Rows - 1)) +
        ", \"ts\": " + number(event.begin) +
        ", \"dur\": " + number(event.end - event.begin) +
        ", \"args\": {\"line\": " + number(event.line) +
        (reason.empty() ? "" : ", \"for\": " + jsonText(reason)) + "}}");
    separator = ",\n";
  }
  auto metadata = [&](const char *name, uint64_t cta, uint64_t tid,
                      const std::string &arguments) {
    put(separator + ("{\"name\": \"" + std::string(name)) +
        "\", \"ph\": \"M\", \"pid\": " + number(cta) +
        ", \"tid\": " + number(tid) + ", \"args\": {" + arguments + "}}");
    separator = ",\n";
  };
  uint64_t named = ~uint64_t(0);
  for (auto &[key, ends] : tracks) {
    auto [cta, track] = key;
    if (cta != named) {
      uint64_t x = cta % launch->grid.x, rest = cta / launch->grid.x;
      metadata("process_name", cta, 0,
               "\"name\": \"CTA (" + number(x) + "," +
                   number(rest % launch->grid.y) + "," +
                   number(rest / launch->grid.y) + ")\"");
      named = cta;
    }
    for (size_t row = 0; row < std::min(ends.size(), Rows); ++row) {
      metadata("thread_name", cta, track * Rows + row,
               "\"name\": \"" + trackName(track) + "\"");
      metadata("thread_sort_index", cta, track * Rows + row,
               "\"sort_index\": " + number(track * Rows + row));
    }
  }
  put("\n]}\n");
  if (std::fclose(file) != 0 || !good)
    launchError("cannot write the trace to '" + options->traceFile + "'");
}

} // namespace bsmm::emulator

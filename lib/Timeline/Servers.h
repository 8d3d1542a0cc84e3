//===- Servers.h - Things that take turns -----------------------*- C++ -*-===//

#ifndef BSMM_LIB_TIMELINE_SERVERS_H
#define BSMM_LIB_TIMELINE_SERVERS_H

#include "bsmm/Emulator/Observer.h"
#include "bsmm/Timeline/Simulation.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace bsmm::timeline {

/// Serves one request after the other.
struct Server {
  double perByte = 0; ///< cycles
  double free = 0;

  /// End of a request of that size that comes at `time`.
  double serve(double time, double bytes) {
    free = std::max(free, time) + bytes * perByte;
    return free;
  }
};

/// A server that keeps how busy it was.
struct MeteredServer : Server {
  static constexpr size_t MostBuckets = size_t(1) << 20;
  std::vector<float> busy; ///< cycles, by MeterCycles

  double serve(double time, double bytes) {
    double at = std::max(free, time);
    double end = Server::serve(time, bytes);
    while (at < end) {
      size_t bucket = static_cast<size_t>(at / MeterCycles);
      if (bucket >= MostBuckets)
        break; // an absurd rate: nobody needs to know how busy it was
      if (bucket >= busy.size())
        busy.resize(bucket + 1, 0);
      double until =
          std::min(end, (static_cast<double>(bucket) + 1) * MeterCycles);
      busy[bucket] += static_cast<float>(until - at);
      at = until;
    }
    return end;
  }
};

/// Which sectors of 32 bytes L2 holds. A line counts as evicted when as much as
/// the cache holds has come from DRAM since its last use.
class L2Cache {
public:
  explicit L2Cache(double capacityBytes)
      : capacity(static_cast<uint64_t>(capacityBytes) / Unit) {}

  struct Touch {
    uint64_t dramBytes = 0;
    double ready = 0; ///< what is on its way already arrives then
  };

  /// Reads the rows. What is missing will be there at `arrival(dramBytes)`.
  Touch read(const emulator::ObservedRows *rows, uint32_t count) {
    Touch result;
    forLines(rows, count, [&](Line &line, uint32_t mask) {
      uint32_t have = present(line) ? line.stamp & 15u : 0;
      uint32_t missing = mask & ~have;
      if (missing != 0) {
        result.dramBytes +=
            32u * static_cast<uint32_t>(__builtin_popcount(missing));
        fetched.push_back(&line);
      } else if (line.ready > result.ready) {
        result.ready = line.ready;
      }
      line.stamp = static_cast<uint32_t>(clock()) << 4 | have | mask;
    });
    inserted += result.dramBytes;
    return result;
  }
  /// When what the last read missed is there.
  void arrives(double time) {
    for (Line *line : fetched)
      line->ready = static_cast<float>(time);
    fetched.clear();
  }
  /// Written rows are there.
  void write(const emulator::ObservedRows *rows, uint32_t count) {
    forLines(rows, count, [&](Line &line, uint32_t mask) {
      uint32_t have = present(line) ? line.stamp & 15u : 0;
      inserted += 32u * static_cast<uint32_t>(__builtin_popcount(mask & ~have));
      line.stamp = static_cast<uint32_t>(clock()) << 4 | have | mask;
    });
  }

private:
  static constexpr uint64_t Unit = 1024; ///< of the clock, bytes inserted
  static constexpr uint64_t LineBytes = 128;
  static constexpr uint64_t PageLines = 32768;
  struct Line {
    uint32_t stamp = 0; ///< clock and present sectors; 0: never used
    float ready = 0;
  };
  using Page = std::vector<Line>;

  uint64_t clock() const { return 1 + inserted / Unit; }
  bool present(const Line &line) const {
    return line.stamp != 0 && clock() - (line.stamp >> 4) <= capacity;
  }
  template <typename Body>
  void forLines(const emulator::ObservedRows *rows, uint32_t count, Body body) {
    for (uint32_t r = 0; r < count; ++r)
      for (uint32_t k = 0; k < rows[r].count; ++k) {
        uint64_t begin = rows[r].address + k * rows[r].stride;
        uint64_t end = begin + rows[r].bytes;
        for (uint64_t at = begin / LineBytes * LineBytes; at < end;
             at += LineBytes) {
          uint64_t from = std::max(begin, at),
                   to = std::min(end, at + LineBytes);
          uint32_t first = static_cast<uint32_t>((from - at) / 32);
          uint32_t last = static_cast<uint32_t>((to - at + 31) / 32);
          body(line(at / LineBytes), (1u << last) - (1u << first));
        }
      }
  }
  Line &line(uint64_t number) {
    uint64_t index = number / PageLines;
    if (page == nullptr || index != pageIndex) {
      std::unique_ptr<Page> &found = pages[index];
      if (!found)
        found = std::make_unique<Page>(PageLines);
      page = found.get();
      pageIndex = index;
    }
    return (*page)[number % PageLines];
  }

  uint64_t capacity;
  uint64_t inserted = 0;
  std::vector<Line *> fetched;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  Page *page = nullptr;
  uint64_t pageIndex = 0;
};

} // namespace bsmm::timeline

#endif // BSMM_LIB_TIMELINE_SERVERS_H

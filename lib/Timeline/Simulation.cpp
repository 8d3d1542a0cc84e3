//===- Simulation.cpp - A recording with times ------------------*- C++ -*-===//

#include "bsmm/Timeline/Simulation.h"

#include "Servers.h"

#include <deque>
#include <queue>
#include <unordered_map>

namespace bsmm::timeline {

using emulator::ObservedBarrier;

namespace {

/// Instructions that a warp issues before others get their turn.
constexpr uint32_t SliceInstructions = 8;
constexpr uint32_t SubCores = 4;
/// Parts in which a copy is written to shared memory.
constexpr uint32_t FillBytes = 2048;
/// Latest loads of a warp whose end is remembered.
constexpr uint32_t LoadsKept = 64;

struct WarpState {
  uint32_t position = 0;
  uint32_t workDone = 0; ///< instructions of the step under way
  uint32_t loads = 0;
  double waitBegin = -1; ///< blocked since then
  uint32_t nextWaiter = None;
  double loadEnd[LoadsKept] = {};
  double latestLoad = 0; ///< of all
  double lastMma = -1;
  bool stored = false; ///< since the last MMA
  uint32_t lastTensor = None;
  double lastCopy = 0; ///< end of cp.async operations
};

struct SmState {
  MeteredServer tma; ///< of copies, a request is one
  Server shared;
  MeteredServer port;
  Server issue[SubCores];
  Server tensorLoad[SubCores];
  Server tensorStore[SubCores];
  double copyFree = 0;        ///< of tcgen05.cp
  std::deque<uint32_t> queue; ///< MMAs that were issued
  bool scheduled = false;     ///< an event for the tensor core is pending
  double tensorFree = 0;
  double columnRead[512] = {}; ///< end of the last MMA that reads scales there
  uint32_t freeSlots = 1;
  double slotFree = 0;
  bool used = false;
};

struct Event {
  enum Kind : uint8_t { Warp, TensorCore, Fill };
  double time;
  uint64_t order;
  uint32_t index; ///< of the warp, SM or copy
  Kind kind;
  bool operator>(const Event &other) const {
    return time != other.time ? time > other.time : order > other.order;
  }
};

class Simulator {
public:
  Simulator(const Recording &recording, const Rates &rates,
            const SimulationOptions &options)
      : in(recording), rates(rates), options(options),
        cache(rates[RateId::L2Capacity] * 1e6) {}

  SimulationResult run();

private:
  double rate(RateId id) const { return rates[id]; }
  void prepare();
  void place(double time);
  void placeCluster(uint32_t first, double time);
  void push(double time, uint32_t index, Event::Kind kind = Event::Warp) {
    events.push({time, ++order, index, kind});
  }
  void runWarp(uint32_t warp, double time);
  /// False: the warp is blocked.
  bool step(uint32_t warp, const Step &step, double &time);
  bool wait(uint32_t warp, const Step &step, double &time);
  bool finish(uint32_t warp, const Step &step, double &time);
  void start(uint32_t warp, uint32_t number, double &time);
  void load(const Operation &op, OperationTimes &times, SmState &sm,
            uint32_t cta);
  void fill(uint32_t number, double time);
  void enqueue(uint32_t sm, uint32_t number);
  void runTensor(uint32_t sm, double time);
  void complete(uint32_t number, double time);
  void contribute(uint32_t moment, double time, uint32_t by, bool byOperation,
                  uint32_t cta);
  void wake(uint32_t &waiters, double time);
  void endWarp(uint32_t warp, double time);
  double observeCost(const Moment &moment) const;
  uint32_t smOf(uint32_t cta) const { return out.ctas[cta].sm; }
  uint32_t peerOf(uint32_t cta) const {
    // The other CTA of a pair is the neighbour in the cluster.
    uint32_t rank = in.ctas[cta].rank;
    return rank % 2 == 0 ? cta + 1 : cta - 1;
  }

  const Recording &in;
  const Rates &rates;
  const SimulationOptions &options;
  SimulationResult out;
  L2Cache cache;
  MeteredServer l2, dram;
  std::vector<SmState> sms;
  std::vector<WarpState> warps;
  std::vector<uint32_t> firstWarp; ///< by CTA
  std::vector<uint32_t> liveWarps; ///< by cluster, in order of the recording
  std::vector<double> storesDone;  ///< by CTA
  std::vector<uint32_t> waitersOfMoment, waitersOfOperation;
  std::vector<uint8_t> issuers; ///< of an operation, until now
  std::unordered_map<uint32_t, std::vector<uint32_t>> commits; ///< by MMA
  std::unordered_map<uint32_t, uint32_t> filled; ///< bytes of a copy
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events;
  uint64_t order = 0;
  uint32_t nextCluster = 0;
  uint32_t liveClusters = 0;
};

double Simulator::observeCost(const Moment &moment) const {
  switch (moment.kind) {
  case ObservedBarrier::Kind::Mbarrier:
    return rate(RateId::BarrierObserved);
  case ObservedBarrier::Kind::Named:
    return rate(RateId::NamedBarrier) +
           moment.contributions * rate(RateId::NamedBarrierWarp);
  case ObservedBarrier::Kind::Cluster:
    return rates.cycles(rate(RateId::ClusterBarrier));
  }
  return 0;
}

void Simulator::prepare() {
  out.smCount = static_cast<uint32_t>(rate(RateId::Sms));
  out.sms.resize(out.smCount);
  sms.resize(out.smCount);
  l2.perByte = 1 / rates.bytesPerCycle(rate(RateId::L2Bandwidth));
  dram.perByte = 1 / rates.bytesPerCycle(rate(RateId::DramBandwidth));
  for (SmState &sm : sms) {
    sm.tma.perByte = rate(RateId::CopyIssue);
    sm.shared.perByte = 1 / rate(RateId::SharedBytes);
    sm.port.perByte = 1 / rates.bytesPerCycle(rate(RateId::SmL2Bandwidth));
    for (uint32_t k = 0; k < SubCores; ++k) {
      sm.issue[k].perByte = 1;
      sm.tensorLoad[k].perByte = SubCores / rate(RateId::TensorLoadBytes);
      sm.tensorStore[k].perByte = SubCores / rate(RateId::TensorStoreBytes);
    }
    sm.freeSlots = options.ctasPerSm;
  }
  out.ctas.resize(in.ctas.size());
  storesDone.resize(in.ctas.size(), 0);
  for (uint32_t cta = 0; cta < in.ctas.size(); ++cta) {
    firstWarp.push_back(static_cast<uint32_t>(warps.size()));
    for (const WarpProgram &program : in.ctas[cta].warps) {
      warps.emplace_back();
      WarpTimes times;
      times.cta = cta;
      for (const Step &step : program.steps) {
        if (step.kind == Step::Kind::Start) {
          Operation::Kind kind = in.operations[step.a].kind;
          times.multiplies |= kind == Operation::Kind::Mma;
          times.loads |= kind == Operation::Kind::Load;
          times.drains |= kind == Operation::Kind::Store;
        }
        times.drains |= step.kind == Step::Kind::TensorLoad ||
                        step.kind == Step::Kind::GlobalStore;
      }
      out.warps.push_back(std::move(times));
    }
  }
  out.operations.resize(in.operations.size());
  issuers.resize(in.operations.size(), 0);
  waitersOfOperation.resize(in.operations.size(), None);
  out.moments.resize(in.moments.size());
  for (size_t k = 0; k < in.moments.size(); ++k)
    out.moments[k].missing = in.moments[k].contributions;
  waitersOfMoment.resize(in.moments.size(), None);
  liveWarps.resize(in.ctas.size() / std::max(1u, in.clusterCtas), 0);
}

/// Starts the clusters that have room, each on neighbouring SMs, one on every
/// SM before any gets a second one.
void Simulator::place(double time) {
  uint32_t size = in.clusterCtas;
  for (bool placed = true; placed;) {
    placed = false;
    for (uint32_t first = 0;
         first + size <= out.smCount && nextCluster < liveWarps.size();
         first += size) {
      bool room = true;
      for (uint32_t k = 0; k < size; ++k)
        room &= sms[first + k].freeSlots != 0;
      if (room)
        placeCluster(first, time);
      placed |= room;
    }
  }
}

void Simulator::placeCluster(uint32_t first, double time) {
  uint32_t size = in.clusterCtas;
  uint32_t cluster = nextCluster++;
  ++liveClusters;
  for (uint32_t k = 0; k < size; ++k) {
    SmState &sm = sms[first + k];
    uint32_t cta = cluster * size + k;
    double begin = sm.used ? std::max(time, sm.slotFree) +
                                 rates.cycles(rate(RateId::CtaStart))
                           : rates.cycles(rate(RateId::Launch));
    out.ctas[cta] = {first + k, begin, begin};
    out.sms[first + k].ctas.push_back(cta);
    --sm.freeSlots;
    for (uint32_t w = 0; w < in.ctas[cta].warps.size(); ++w) {
      out.warps[firstWarp[cta] + w].begin = begin;
      ++liveWarps[cluster];
      push(begin, firstWarp[cta] + w);
    }
  }
}

void Simulator::endWarp(uint32_t warp, double time) {
  WarpTimes &times = out.warps[warp];
  times.end = time;
  uint32_t cta = times.cta;
  uint32_t cluster = cta / in.clusterCtas;
  CtaTimes &own = out.ctas[cta];
  own.end = std::max(own.end, time);
  out.end = std::max(out.end, time);
  if (--liveWarps[cluster] != 0)
    return;
  --liveClusters;
  double end = 0;
  for (uint32_t k = 0; k < in.clusterCtas; ++k)
    end = std::max(end, out.ctas[cluster * in.clusterCtas + k].end);
  for (uint32_t k = 0; k < in.clusterCtas; ++k) {
    SmState &sm = sms[smOf(cluster * in.clusterCtas + k)];
    ++sm.freeSlots;
    sm.used = true;
    sm.slotFree = end;
  }
  place(end);
}

void Simulator::wake(uint32_t &waiters, double time) {
  while (waiters != None) {
    uint32_t warp = waiters;
    waiters = warps[warp].nextWaiter;
    warps[warp].nextWaiter = None;
    push(time, warp);
  }
}

void Simulator::contribute(uint32_t moment, double time, uint32_t by,
                           bool byOperation, uint32_t cta) {
  const Moment &told = in.moments[moment];
  MomentTimes &times = out.moments[moment];
  if (told.owner != None && told.owner != cta)
    time += rate(RateId::ClusterArrival);
  if (times.by == None || time >= times.time) {
    times.time = time;
    times.by = by;
    times.byOperation = byOperation;
  }
  if (times.missing == 0)
    return;
  if (--times.missing == 0)
    wake(waitersOfMoment[moment], times.time);
}

/// `time` is when the operation is done, which may lie ahead.
void Simulator::complete(uint32_t number, double time) {
  const Operation &op = in.operations[number];
  OperationTimes &times = out.operations[number];
  times.done = time;
  uint32_t cta = out.warps[times.warp].cta;
  for (uint32_t k = 0; k < op.momentCount; ++k) {
    uint32_t moment = in.signals[op.firstMoment + k];
    // Copies and commits tell the mbarriers of all their CTAs.
    uint32_t owner = in.moments[moment].owner;
    contribute(moment, time, number, true, owner == None ? cta : owner);
  }
  wake(waitersOfOperation[number], time);
  auto found = commits.find(number);
  if (found == commits.end())
    return;
  std::vector<uint32_t> followers = std::move(found->second);
  commits.erase(found);
  for (uint32_t follower : followers)
    complete(follower, std::max(time, out.operations[follower].request));
}

void Simulator::load(const Operation &op, OperationTimes &times, SmState &sm,
                     uint32_t cta) {
  double begin = times.accept;
  L2Cache::Touch touch = cache.read(&in.rows[op.firstRow], op.rowCount);
  // What lies outside of the tensor is filled in without being read.
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < op.rowCount; ++k)
    bytes += uint64_t(in.rows[op.firstRow + k].bytes) *
             in.rows[op.firstRow + k].count;
  double portEnd = begin;
  uint32_t size = in.clusterCtas;
  if (op.destinations > 1) {
    for (uint32_t k = 0; k < size; ++k)
      portEnd = std::max(
          portEnd, sms[smOf(cta / size * size + k)].port.serve(begin, bytes));
  } else {
    portEnd = sm.port.serve(begin, static_cast<double>(bytes));
  }
  double l2End = l2.serve(begin, static_cast<double>(bytes));
  double dramEnd = begin;
  if (touch.dramBytes != 0)
    dramEnd = dram.serve(begin, static_cast<double>(touch.dramBytes));
  double end = std::max({portEnd, l2End, dramEnd});
  // The measured latencies end when a thread goes on.
  double latency =
      rates.cycles(rate(touch.dramBytes != 0 ? RateId::CopyLatencyDram
                                             : RateId::CopyLatencyL2)) -
      rate(RateId::BarrierObserved);
  times.transfer = end - begin;
  times.limit = dramEnd >= end ? Limit::Dram
                : l2End >= end ? Limit::L2
                               : Limit::Port;
  times.end = end;
  times.read = end;
  double done = end + std::max(0.0, latency);
  cache.arrives(done);
  // What another SM has asked for comes when it comes.
  done = std::max(done, touch.ready);
  times.done = done;
  out.loadedBytes += bytes;
  out.dramBytes += touch.dramBytes;
  if (out.firstLoad < 0)
    out.firstLoad = times.request;
  // Copies are taken in the order of time: whoever brings the first data has
  // been here before anyone asks after its arrival.
  if (out.firstLoadDone < 0 || times.request < out.firstLoadDone)
    out.bytesAskedEarly += bytes;
  if (out.firstLoadDone < 0 || done < out.firstLoadDone)
    out.firstLoadDone = done;
  out.lastLoadDone = std::max(out.lastLoadDone, done);
  out.lastTransfer = std::max(out.lastTransfer, end);
}

void Simulator::start(uint32_t warp, uint32_t number, double &time) {
  const Operation &op = in.operations[number];
  OperationTimes &times = out.operations[number];
  WarpState &state = warps[warp];
  uint32_t cta = out.warps[warp].cta;
  SmState &sm = sms[smOf(cta)];
  times.warp = warp;
  times.request = std::max(times.request, time);
  switch (op.kind) {
  case Operation::Kind::Load: {
    double free = sm.tma.serve(time, 1);
    times.accept = free - rate(RateId::CopyIssue);
    time = free;
    load(op, times, sm, cta);
    if (rate(RateId::FillShare) == 0) {
      complete(number, times.done);
      break;
    }
    // It is written while it arrives, and there when all of it is written.
    filled[number] = 0;
    push(std::max(times.accept, times.done - op.bytes * sm.port.perByte),
         number, Event::Fill);
    times.end = times.done;
    times.done = -1;
    break;
  }
  case Operation::Kind::Store: {
    double free = sm.tma.serve(time, 1);
    times.accept = free - rate(RateId::CopyIssue);
    time = free;
    double end = sm.shared.serve(times.accept, op.bytes);
    // Nothing was found on how soon a thread sees that; taken for an
    // mbarrier's.
    times.read = end + rate(RateId::BarrierObserved);
    cache.write(&in.rows[op.firstRow], op.rowCount);
    double l2End = l2.serve(end, op.bytes);
    dram.serve(end, op.bytes);
    times.transfer = l2End - times.accept;
    times.limit = Limit::L2;
    out.storedBytes += op.bytes;
    complete(number, l2End + rates.cycles(rate(RateId::CopyLatencyL2)));
    out.end = std::max(out.end, times.done);
    CtaTimes &own = out.ctas[cta];
    own.end = std::max(own.end, times.read);
    state.stored = true;
    break;
  }
  case Operation::Kind::ClusterCopy: {
    double free = sm.tma.serve(time, 1);
    times.accept = free - rate(RateId::CopyIssue);
    time = free;
    double end = sm.shared.serve(times.accept, op.bytes);
    times.read = end;
    complete(number, end + rate(RateId::ClusterCopyLatency));
    break;
  }
  case Operation::Kind::StAsync: {
    // It takes the way of a store, and arrives as late as a copy.
    times.accept = time;
    double end = sm.shared.serve(time, op.bytes);
    time = std::max(time + rate(RateId::Instruction),
                    end - op.bytes * sm.shared.perByte);
    times.read = end;
    complete(number, end + rate(RateId::ClusterCopyLatency));
    break;
  }
  case Operation::Kind::CpAsync: {
    times.accept = time;
    time += rate(RateId::Instruction);
    double end = l2.serve(times.accept, op.bytes) +
                 rates.cycles(rate(RateId::GlobalLoadLatency));
    state.lastCopy = std::max(state.lastCopy, end);
    complete(number, end);
    break;
  }
  case Operation::Kind::TensorCopy:
    time += rate(RateId::Instruction);
    state.lastTensor = number;
    enqueue(smOf(cta), number);
    break;
  case Operation::Kind::Mma: {
    time += rate(RateId::Instruction);
    if (state.stored && state.lastMma >= 0)
      out.warps[warp].stores.push_back({state.lastMma, times.request});
    state.stored = false;
    state.lastMma = time;
    state.lastTensor = number;
    if (++issuers[number] < op.issuers)
      break;
    enqueue(smOf(cta), number);
    break;
  }
  case Operation::Kind::Commit: {
    time += rate(RateId::Instruction);
    times.before = state.lastTensor;
    double done = std::max(times.request, state.lastCopy);
    if (state.lastTensor != None) {
      double last = out.operations[state.lastTensor].done;
      if (last < 0) {
        commits[state.lastTensor].push_back(number);
        break;
      }
      done = std::max(done, last);
    }
    complete(number, done);
    break;
  }
  }
}

/// Writes the next part of what a copy brings.
void Simulator::fill(uint32_t number, double time) {
  const Operation &op = in.operations[number];
  OperationTimes &times = out.operations[number];
  uint32_t cta = out.warps[times.warp].cta;
  uint32_t size = in.clusterCtas;
  uint32_t &done = filled[number];
  uint32_t part = std::min(op.bytes - done, FillBytes);
  double end = time;
  auto write = [&](uint32_t to) {
    end = std::max(
        end, sms[smOf(to)].shared.serve(time, part * rate(RateId::FillShare)));
  };
  if (op.destinations > 1)
    for (uint32_t k = 0; k < size; ++k)
      write(cta / size * size + k);
  else
    write(cta);
  done += part;
  if (done < op.bytes)
    return push(time + part * sms[smOf(cta)].port.perByte, number, Event::Fill);
  filled.erase(number);
  times.fill = std::max(0.0, end - times.end);
  out.lastLoadDone = std::max(out.lastLoadDone, end);
  complete(number, std::max(end, times.end));
}

void Simulator::enqueue(uint32_t index, uint32_t number) {
  SmState &sm = sms[index];
  sm.queue.push_back(number);
  if (sm.scheduled)
    return;
  sm.scheduled = true;
  push(out.operations[number].request, index, Event::TensorCore);
}

/// Takes what the tensor core's pipe can begin, in order: copies of scale
/// factors run beside multiplications, but come before those that follow them,
/// and after those that read what they overwrite.
void Simulator::runTensor(uint32_t index, double time) {
  SmState &sm = sms[index];
  sm.scheduled = false;
  while (!sm.queue.empty()) {
    uint32_t number = sm.queue.front();
    const Operation &op = in.operations[number];
    OperationTimes &times = out.operations[number];
    if (op.kind == Operation::Kind::TensorCopy) {
      sm.queue.pop_front();
      double begin = std::max(time, sm.copyFree);
      for (uint32_t k = 0; k < op.scaleColumns[0]; ++k)
        begin = std::max(begin, sm.columnRead[(op.scaleColumn[0] + k) % 512]);
      times.accept = begin;
      times.end = sm.copyFree =
          std::max(begin + op.bytes / rate(RateId::TensorCopyBytes),
                   sm.shared.serve(begin, op.bytes));
      complete(number, times.end + rate(RateId::MmaCompletion));
      continue;
    }
    uint32_t cta = out.warps[times.warp].cta;
    uint32_t peer = op.ctas == 2 ? smOf(peerOf(cta)) : index;
    double ready = std::max({time, sm.tensorFree, sms[peer].tensorFree});
    if (op.scaleColumns[0] + op.scaleColumns[1] != 0)
      ready = std::max(ready, sm.copyFree);
    if (ready > time) {
      sm.scheduled = true;
      push(ready, index, Event::TensorCore);
      return;
    }
    sm.queue.pop_front();
    double compute = op.product / rate(RateId::TensorBytes);
    double end = std::max(time + compute, sm.shared.serve(time, op.bytes));
    if (peer != index)
      end = std::max(end, sms[peer].shared.serve(time, op.bytes));
    times.accept = time;
    times.end = end;
    MmaRun run = {times.request, time, end, compute, number};
    out.sms[index].runs.push_back(run);
    sm.tensorFree = end;
    if (peer != index) {
      out.sms[peer].runs.push_back(run);
      sms[peer].tensorFree = end;
    }
    for (int side = 0; side < 2; ++side)
      for (uint32_t k = 0; k < op.scaleColumns[side]; ++k)
        sm.columnRead[(op.scaleColumn[side] + k) % 512] = end;
    out.end = std::max(out.end, end);
    out.ctas[cta].end = std::max(out.ctas[cta].end, end);
    complete(number, end + rate(RateId::MmaCompletion));
  }
}

bool Simulator::wait(uint32_t warp, const Step &step, double &time) {
  const Moment &moment = in.moments[step.a];
  const MomentTimes &times = out.moments[step.a];
  WarpState &state = warps[warp];
  if (!times.complete()) {
    if (state.waitBegin < 0)
      state.waitBegin = time;
    state.nextWaiter = waitersOfMoment[step.a];
    waitersOfMoment[step.a] = warp;
    return false;
  }
  double begin = state.waitBegin < 0 ? time : state.waitBegin;
  double ready = begin + (moment.kind == ObservedBarrier::Kind::Mbarrier
                              ? rate(RateId::BarrierInstruction)
                              : 0);
  double end = std::max(ready, times.time + observeCost(moment));
  if (end > ready)
    out.warps[warp].waits.push_back({begin, end, step.a, false, step.line});
  state.waitBegin = -1;
  time = end;
  return true;
}

bool Simulator::finish(uint32_t warp, const Step &step, double &time) {
  const OperationTimes &times = out.operations[step.a];
  WarpState &state = warps[warp];
  if (times.done < 0) {
    if (state.waitBegin < 0)
      state.waitBegin = time;
    state.nextWaiter = waitersOfOperation[step.a];
    waitersOfOperation[step.a] = warp;
    return false;
  }
  double begin = state.waitBegin < 0 ? time : state.waitBegin;
  double end =
      std::max(begin, step.b != 0 && times.read >= 0 ? times.read : times.done);
  if (end > begin)
    out.warps[warp].waits.push_back({begin, end, step.a, true, step.line});
  state.waitBegin = -1;
  time = end;
  return true;
}

bool Simulator::step(uint32_t warp, const Step &step, double &time) {
  WarpState &state = warps[warp];
  uint32_t cta = out.warps[warp].cta;
  SmState &sm = sms[smOf(cta)];
  uint32_t core = (warp - firstWarp[cta]) % SubCores;
  double instruction = rate(RateId::Instruction);
  auto remember = [&](double end) {
    state.loadEnd[state.loads++ % LoadsKept] = end;
    state.latestLoad = std::max(state.latestLoad, end);
  };
  switch (step.kind) {
  case Step::Kind::Work: {
    uint32_t left = step.a - state.workDone;
    uint32_t count = std::min(left, SliceInstructions);
    double slots = count * (1 + static_cast<double>(step.b) / step.a);
    time =
        std::max(time + count * instruction, sm.issue[core].serve(time, slots));
    state.workDone += count;
    if (state.workDone < step.a)
      --state.position; // the rest in the next turn
    else
      state.workDone = 0;
    return true;
  }
  case Step::Kind::SharedLoad: {
    double end = sm.shared.serve(time, step.a);
    remember(end + rate(RateId::SharedLoadLatency));
    time = std::max(time + instruction, end - step.a * sm.shared.perByte);
    return true;
  }
  case Step::Kind::SharedStore: {
    double end = sm.shared.serve(time, step.a);
    time = std::max(time + instruction, end - step.a * sm.shared.perByte);
    state.stored = true;
    return true;
  }
  case Step::Kind::GlobalLoad:
    remember(l2.serve(time, step.a) +
             rates.cycles(rate(RateId::GlobalLoadLatency)));
    time += instruction;
    return true;
  case Step::Kind::GlobalStore:
    l2.serve(time, step.a);
    dram.serve(time, step.a);
    out.storedBytes += step.a;
    time += instruction;
    state.stored = true;
    return true;
  case Step::Kind::TensorLoad:
    remember(sm.tensorLoad[core].serve(time, step.a) +
             rate(RateId::TensorLoadLatency));
    time += instruction;
    state.stored = true;
    return true;
  case Step::Kind::TensorStore:
    time =
        std::max(time + instruction, sm.tensorStore[core].serve(time, step.a));
    return true;
  case Step::Kind::Use: {
    double end = step.a + LoadsKept < state.loads ? state.latestLoad : 0;
    for (uint32_t k = 0; k < LoadsKept && k < state.loads; ++k) {
      uint32_t number = state.loads - 1 - k;
      if (number <= step.a)
        end = std::max(end, state.loadEnd[number % LoadsKept]);
    }
    time = std::max(time, end);
    return true;
  }
  case Step::Kind::Signal: {
    const Moment &moment = in.moments[step.a];
    if (moment.kind == ObservedBarrier::Kind::Mbarrier)
      time += rate(RateId::BarrierInstruction);
    else
      time += instruction;
    contribute(step.a, time, warp, false, cta);
    return true;
  }
  case Step::Kind::Wait:
    return wait(warp, step, time);
  case Step::Kind::Start:
    start(warp, step.a, time);
    return true;
  case Step::Kind::Finish:
    return finish(warp, step, time);
  }
  return true;
}

void Simulator::runWarp(uint32_t warp, double time) {
  WarpState &state = warps[warp];
  uint32_t cta = out.warps[warp].cta;
  const std::vector<Step> &steps =
      in.ctas[cta].warps[warp - firstWarp[cta]].steps;
  while (state.position < steps.size()) {
    // What shares servers with others happens in the order of time.
    if (!events.empty() && events.top().time < time)
      return push(time, warp);
    const Step &next = steps[state.position++];
    if (!step(warp, next, time)) {
      --state.position;
      return;
    }
  }
  endWarp(warp, time);
}

SimulationResult Simulator::run() {
  prepare();
  if (in.clusterCtas > out.smCount) {
    out.error = "a cluster of " + std::to_string(in.clusterCtas) +
                " CTAs does not fit on " + std::to_string(out.smCount) + " SMs";
    return std::move(out);
  }
  place(0);
  while (!events.empty()) {
    Event event = events.top();
    events.pop();
    switch (event.kind) {
    case Event::Warp:
      runWarp(event.index, event.time);
      break;
    case Event::TensorCore:
      runTensor(event.index, event.time);
      break;
    case Event::Fill:
      fill(event.index, event.time);
      break;
    }
  }
  if (liveClusters != 0) {
    out.error =
        "the order of the recorded run cannot be replayed: a warp waits "
        "for what comes later in its own program";
    for (uint32_t warp = 0; warp < warps.size(); ++warp)
      if (warps[warp].waitBegin >= 0) {
        const WarpTimes &times = out.warps[warp];
        const Step &step = in.ctas[times.cta]
                               .warps[warp - firstWarp[times.cta]]
                               .steps[warps[warp].position];
        out.error += " (CTA " + std::to_string(times.cta) + " warp " +
                     std::to_string(warp - firstWarp[times.cta]) + ", line " +
                     std::to_string(step.line) + ")";
        break;
      }
  }
  for (uint32_t sm = 0; sm < out.smCount; ++sm) {
    out.sms[sm].tmaBusy = std::move(sms[sm].tma.busy);
    out.sms[sm].portBusy = std::move(sms[sm].port.busy);
  }
  out.l2Busy = std::move(l2.busy);
  out.dramBusy = std::move(dram.busy);
  return std::move(out);
}

} // namespace

SimulationResult simulate(const Recording &recording, const Rates &rates,
                          const SimulationOptions &options) {
  return Simulator(recording, rates, options).run();
}

} // namespace bsmm::timeline

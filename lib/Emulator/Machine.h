//===- Machine.h - State of a running grid ----------------------*- C++ -*-===//
//
// Clusters of CTAs of warps, their memories, barriers and pending asynchronous
// operations, and the happens-before bookkeeping that finds accesses which
// PTX's ordering leaves open.
//
// Happens-before (PTX ISA, "Memory Consistency Model"): every warp is an
// agent with a clock, and so is every pipe in which its asynchronous
// operations run, and every mbarrier. A vector clock says what an agent knows
// of the others. Barriers and mbarriers join clocks; each cell of shared and
// tensor memory remembers which agent wrote and read it when. An access that
// doesn't know of the access before it is reported.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_EMULATOR_MACHINE_H
#define BSMM_LIB_EMULATOR_MACHINE_H

#include "Code.h"
#include "Overlay.h"

#include "bsmm/Emulator/Emulator.h"
#include "bsmm/Emulator/Observer.h"

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace bsmm::emulator {

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Windows of the generic address space. The numbers are arbitrary; nothing in
/// a program may depend on them.
constexpr uint64_t SharedWindow = 0x00007E0000000000ull;
constexpr uint64_t SharedWindowBytes = 1ull << 28;
constexpr uint64_t LocalWindow = 0x00007D0000000000ull;
constexpr uint64_t LocalWindowBytes = 1ull << 24;
constexpr uint64_t ParamWindow = 0x00007C0000000000ull;
constexpr uint64_t ConstWindow = 0x00007B0000000000ull;
constexpr uint64_t GlobalBase = 0x0000700000000000ull;
/// A CTA's shared memory is seen at its rank in the cluster << 24, as CUTLASS'
/// masks for the leader's barrier assume (cute/arch/copy_sm100_tma.hpp).
constexpr uint32_t SharedRankShift = 24;
constexpr uint32_t SharedOffsetMask = (1u << SharedRankShift) - 1;
/// The system keeps the first KiB of shared memory.
constexpr uint32_t SharedReserved = 1024;

//===----------------------------------------------------------------------===//
// Happens-before
//===----------------------------------------------------------------------===//

using Clock = uint32_t;
using Agent = uint32_t;

class VectorClock {
public:
  Clock get(Agent agent) const {
    return agent < clocks.size() ? clocks[agent] : 0;
  }
  void raise(Agent agent, Clock clock) {
    if (agent >= clocks.size())
      clocks.resize(agent + 1, 0);
    if (clocks[agent] < clock)
      clocks[agent] = clock;
  }
  void join(const VectorClock &other) {
    if (other.clocks.size() > clocks.size())
      clocks.resize(other.clocks.size(), 0);
    for (size_t i = 0; i < other.clocks.size(); ++i)
      if (clocks[i] < other.clocks[i])
        clocks[i] = other.clocks[i];
  }
  void clear() { clocks.clear(); }

private:
  std::vector<Clock> clocks;
};

/// What a thread of control knows: all accesses, and those generic-proxy
/// writes that a proxy fence has made visible to the async proxy.
struct Knowledge {
  VectorClock all;
  VectorClock fenced;
  void join(const Knowledge &other) {
    all.join(other.all);
    fenced.join(other.fenced);
  }
  void clear() {
    all.clear();
    fenced.clear();
  }
};

/// Stands for the grids before this one, which griddepcontrol.wait waits for;
/// 0 is no agent's number.
inline constexpr Agent GridsBefore = 0;

/// Agents of a warp, counted from Warp::firstAgent.
enum AgentKind : uint32_t {
  AgentThreads, ///< ordinary accesses
  AgentTcgen05, ///< tcgen05.mma, .cp, .shift
  AgentWgmma,
  AgentBulkRead, ///< sources of bulk stores
  AgentCpAsync,
  AgentTensorLoad,  ///< tcgen05.ld
  AgentTensorStore, ///< tcgen05.st
  AgentsPerWarp = 8
};

/// Shared memory, per 4 bytes.
struct SharedCell {
  static constexpr int8_t AnyLane = -1; ///< the warp as one, or several lanes
  Clock writeClock = 0;
  uint16_t writer = 0;
  uint8_t writeMask = 0; ///< bytes
  uint8_t flags = 0;
  uint32_t writeLine = 0;
  uint16_t readers[4] = {0, 0, 0, 0};
  uint8_t readMasks[4] = {0, 0, 0, 0};
  int8_t writeLane = AnyLane;
  int8_t readLanes[4] = {AnyLane, AnyLane, AnyLane, AnyLane};
  Clock readClocks[4] = {0, 0, 0, 0};
  uint32_t readLines[4] = {0, 0, 0, 0};
  static constexpr uint8_t Async = 1;       ///< written by the async proxy
  static constexpr uint8_t Initialised = 2; ///< written at all
  static constexpr uint8_t Barrier = 4;     ///< part of an mbarrier object
  static constexpr uint8_t Reduced = 8;     ///< written by a reduction
};

/// Tensor memory, per column and 32 lanes.
struct TensorCell {
  Clock writeClock = 0;
  uint16_t writer = 0;
  uint8_t flags = 0;
  uint32_t shape = 0; ///< of what wrote it, see Access::shape
  uint32_t writeLine = 0;
  uint16_t readers[4] = {0, 0, 0, 0};
  Clock readClocks[4] = {0, 0, 0, 0};
  uint32_t readLines[4] = {0, 0, 0, 0};
};

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

enum class WaitKind : uint8_t {
  Ready,
  Together, ///< lanes that must execute an instruction together
  NamedBarrier,
  ClusterBarrier,
  Mbarrier,
  TensorAllocation,
  RegisterPool,
  Spin ///< polls without effect; woken when something changes
};

/// Lanes of a warp that run together.
struct Split {
  uint32_t pc = 0;
  uint32_t mask = 0;
  int join = -1;
  uint32_t joinPc = NoOperand; ///< joins[join].pc
  WaitKind wait = WaitKind::Ready;
  bool returnFalse = false; ///< a suspended try_wait gives up
  bool skipWaited = false;  ///< go on behind the instruction when woken
  bool resumed = false;     ///< what a barrier instruction waited for is there
  bool dead = false;
  uint32_t waitAddress = 0; ///< of an mbarrier: shared::cluster address
  uint32_t waitId = 0;
  uint64_t waitPhase = 0;
  uint64_t waitUse = 0; ///< of a named barrier: its generation
  uint32_t failedPolls = 0;
  // For the trace: the wait that goes on, if waitBegin is not 0.
  uint64_t waitBegin = 0;
  uint32_t waitPc = 0;
  WaitKind waitReason = WaitKind::Ready;
  std::vector<uint32_t> returns;
};

/// Where diverged lanes meet again.
struct Join {
  uint32_t pc = 0;
  uint32_t expected = 0;
  uint32_t arrived = 0;
  int parent = -1;
  bool used = false;
  std::vector<uint32_t> returns;
};

struct AsyncOp;
struct Cta;
struct Cluster;
struct Machine;

/// Registers that an asynchronous operation reads or writes.
struct RegisterHazard {
  uint64_t sequence;
  bool isRead;
  bool fromWgmma; ///< else tcgen05.ld
  uint32_t line;
};

struct BulkGroup {
  std::vector<std::shared_ptr<AsyncOp>> ops;
};

/// Groups of a thread: cp.async.bulk stores, or non-bulk cp.async.
struct GroupQueue {
  std::vector<std::shared_ptr<AsyncOp>> open;
  std::deque<BulkGroup> closed;
};

struct Warp {
  Cta *cta = nullptr;
  uint32_t index = 0;
  uint8_t *regs = nullptr;
  uint8_t *local = nullptr; ///< 32 x localBytes
  uint32_t alive = 0;
  uint32_t threads = 0; ///< lanes that exist
  std::vector<Split> splits;
  std::vector<Join> joins;

  Agent firstAgent = 0;
  /// What some lane knows.
  Knowledge knowledge;
  /// What each lane knows, while they differ: after a wait of some lanes until
  /// the warp synchronises.
  std::unique_ptr<std::array<Knowledge, 32>> own;
  /// Accesses of the warp's other lanes before this clock come before the
  /// lane's: lanes are threads, which only synchronisation orders.
  std::array<Clock, 32> laneKnown = {};
  /// Clock of the last tcgen05 operation of each lane, which tcgen05.commit
  /// tracks.
  std::array<uint32_t, 32> tensorIssued = {};
  /// What relaxed waits have seen, for a fence that acquires.
  Knowledge toAcquire;
  /// What the last fence released, for relaxed arrivals after it.
  Knowledge released;
  std::array<uint32_t, AgentsPerWarp> sequence = {};

  std::unordered_map<int, GroupQueue> bulk; ///< by lane
  uint32_t lastBulkStore = 0;               ///< line
  GroupQueue cpAsync;
  GroupQueue wgmma;
  std::deque<std::shared_ptr<AsyncOp>> wgmmaPipe;
  /// tcgen05 operations in issue order, by lane.
  std::unordered_map<int, std::deque<std::shared_ptr<AsyncOp>>> tensorPipe;

  std::unordered_multimap<uint32_t, RegisterHazard> hazards; ///< by offset
  bool wgmmaFenced = false;
  bool needsTensorFence = false; ///< synchronised since the last tcgen05.fence
  /// tcgen05.ld or .st since the last tcgen05.fence; tcgen05.commit implies one
  /// for what it tracks.
  bool needsBeforeFence = false;
  uint32_t carry = 0;          ///< CC.CF, a bit a lane
  uint32_t clusterPending = 0; ///< lanes that wait for the cluster barrier
  uint32_t clusterArrived = 0; ///< lanes that arrived since they waited last
  uint64_t clusterGeneration[32] = {};
  std::vector<uint32_t> tensorLoadsOutstanding; ///< lines
  uint32_t registersPerThread = 0;
  uint32_t priority = 0; ///< of random modes
  uint64_t instructions = 0;
};

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

struct Mbarrier {
  uint32_t expected = 0;
  uint32_t pending = 0;
  int64_t transactions = 0;
  uint64_t phase = 0;   ///< completed phases
  bool observed = true; ///< the last completed phase was seen by a wait
  uint32_t line = 0;    ///< of the init
  uint32_t completedLine = 0;
  Agent agent = 0;
  Clock clockBase = 0;
  Knowledge current;
  Knowledge completed;
  const Warp *initWarp = nullptr;
  int initLane = 0;
  Clock initClock = 0;
  bool initFenced = false;
};

struct NamedBarrier {
  uint32_t expected = 0; ///< threads
  uint32_t arrived = 0;
  bool sized = false; ///< a thread count was given
  Knowledge knowledge;
  uint32_t trueThreads = 0; ///< bar.red: predicates that hold
  uint32_t voters = 0;
  uint64_t generation = 0;
  /// Who took part in the last use that completed, and the warp's clock then:
  /// who is not among them must know that it is over.
  std::vector<std::pair<Agent, Clock>> participants;
  std::vector<Agent> arriving; ///< warps of the use under way
  uint32_t lastLine = 0;
};

//===----------------------------------------------------------------------===//
// CTAs and clusters
//===----------------------------------------------------------------------===//

struct TensorMemory {
  std::vector<uint32_t> cells = std::vector<uint32_t>(128 * 512, 0);
  std::vector<TensorCell> shadow = std::vector<TensorCell>(4 * 512);
  uint16_t owner[512] = {}; ///< allocation number of a column, 0: free
  uint16_t nextOwner = 1;
  uint32_t lastColumns = 0;    ///< of the last allocation
  uint32_t lastAllocation = 0; ///< line
  bool relinquished = false;
  uint32_t &cell(uint32_t lane, uint32_t column) {
    return cells[lane * 512 + column];
  }
};

/// The last access of an agent to the shared memory of another CTA, which must
/// not have exited before.
struct Visit {
  Agent agent;
  Clock clock;
  uint32_t line;
  const Warp *warp;
  int lane;
  const char *what;
};

struct FreeDeleter {
  void operator()(void *pointer) const { std::free(pointer); }
};

struct Cta {
  /// Has not begun: it does when nothing else can happen.
  bool isLate = false;
  Cluster *cluster = nullptr;
  uint32_t rank = 0;
  Dim3 id;
  std::vector<uint8_t> shared; ///< from address 0; the reserved KiB included
  std::unique_ptr<SharedCell[], FreeDeleter> shadow;
  std::unique_ptr<TensorMemory> tensor;
  std::unordered_map<uint32_t, Mbarrier> mbarriers; ///< by offset
  std::unordered_map<uint32_t, std::pair<Agent, Clock>> barrierAgents;
  std::unordered_map<uint32_t, Knowledge> syncPoints; ///< by offset
  NamedBarrier named[16];
  std::vector<std::unique_ptr<Warp>> warps;
  std::unique_ptr<uint8_t[], FreeDeleter> registers;
  uint32_t liveThreads = 0;
  std::vector<Visit> visits; ///< by other CTAs, one an agent
  Knowledge atExit;          ///< of the threads that have exited
  uint32_t registerPool = 0; ///< free registers
  uint32_t ctaGroupUsed = 0;
};

struct Cluster {
  uint64_t index = 0;
  Dim3 first; ///< id of its first CTA
  std::vector<std::unique_ptr<Cta>> ctas;
  std::vector<std::shared_ptr<AsyncOp>> pending;
  Agent agents = 0;
  uint32_t liveThreads = 0;
  uint32_t barrierArrived = 0;
  uint64_t barrierGeneration = 0;
  Knowledge barrierKnowledge;
  Knowledge barrierCompleted;
  bool finished = false;
};

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

struct AsyncOp {
  enum class Kind : uint8_t {
    BulkLoad,
    BulkStore,
    BulkShared, ///< shared::cta to shared::cluster
    CpAsync,
    Wgmma,
    Tensor, ///< tcgen05.mma, .cp, .shift
    Commit, ///< tcgen05.commit, cp.async.mbarrier.arrive
    Prefetch
  };
  Kind kind = Kind::BulkLoad;
  Warp *warp = nullptr;
  int lane = 0;
  uint32_t line = 0;
  uint64_t issue = 0;
  uint64_t begin = 0; ///< for the trace
  bool done = false;
  bool readDone = false;
  /// Bulk stores: takes the source out of shared memory.
  std::function<void()> readStage;
  std::function<void()> apply;
  /// Mbarriers that learn of the completion: CTA and offset.
  std::vector<std::pair<Cta *, uint32_t>> barriers;
  /// Operations before it in its pipe, which take effect first.
  std::deque<std::shared_ptr<AsyncOp>> *pipe = nullptr;
  uint32_t sequence = 0; ///< clock of its agent
  /// Bulk stores: global addresses [first, second), sorted, and whether they
  /// are reduced into.
  std::vector<std::pair<uint64_t, uint64_t>> stores;
  bool reduces = false;
  /// For an observer.
  std::unique_ptr<ObservedOperation> observed;
};

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

struct Region {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint8_t *data = nullptr;
  bool readOnly = false;
  std::string name;
};

/// A thread of control as handlers see it.
struct Exec {
  Machine *machine;
  Cluster *cluster;
  Cta *cta;
  Warp *warp;
  uint32_t split; ///< index; the vector may grow under a handler
  uint8_t *regs;
  uint32_t pc;

  Split &current() { return warp->splits[split]; }
  template <typename T> T *r(uint32_t offset) {
    return reinterpret_cast<T *>(regs + offset);
  }
  void error(const Inst &inst, const char *kind, const std::string &message,
             int lane = -1);
  void strict(const Inst &inst, const char *kind, const std::string &message,
              int lane = -1);
  Step fatal(const Inst &inst, const char *kind, const std::string &message,
             int lane = -1);
  /// Called for each access of a lane to global memory.
  void touchGlobal(int lane);
};

/// Something that took from `begin` to `end`, in warp instructions issued.
struct TraceEvent {
  uint64_t cta;
  uint32_t track; ///< a warp, or one of the tracks below
  uint64_t begin;
  uint64_t end;
  std::string_view name;
  uint32_t line;
  WaitKind wait = WaitKind::Ready; ///< Ready: something is done
  uint32_t address = 0;            ///< of an mbarrier, or a barrier's number
  uint64_t phase = 0;
  static constexpr uint32_t Tma = 100;
  static constexpr uint32_t CpAsync = 101;
  static constexpr uint32_t TensorCore = 102;
};

/// Events beyond that are left out of a trace.
constexpr size_t TraceLimit = 4'000'000;

/// Several groups of clusters that run at the same time.
struct Epoch {
  std::atomic<bool> cancelled{false};
  std::atomic<uint64_t> instructions{0};
};

/// An operation of that kind that `x` issues; nothing else is filled in.
std::shared_ptr<AsyncOp> newOperation(Exec &x, const Inst &inst,
                                      AsyncOp::Kind kind, int lane);

struct Machine {
  const CompiledModule *module = nullptr;
  const CompiledFunction *entry = nullptr;
  const Launch *launch = nullptr;
  const Options *options = nullptr;
  Report report;

  std::vector<uint8_t> constants; ///< initial contents of the register file
  std::vector<std::pair<uint32_t, uint32_t>> sharedConstants; ///< offset, addr
  std::vector<uint8_t> parameters;
  std::vector<uint8_t> constMemory;
  std::vector<Region> regions; ///< sorted by address
  size_t lastRegion = 0;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> owned;
  uint32_t staticSharedEnd = 0;
  uint32_t sharedEnd = 0; ///< bytes of shared memory, reserved KiB included
  uint32_t threadsPerCta = 0;
  Dim3 clusterDim;
  Dim3 clusterGrid;
  uint64_t clusterCount = 0;
  uint64_t nextCluster = 0; ///< position in the order of clusterAt()
  uint64_t finishedCtas = 0;
  std::vector<std::unique_ptr<Cluster>> active;
  /// Clusters run in groups, one group after the other as far as anybody can
  /// tell. These belong to the group that runs.
  uint64_t groupFirst = 0;        ///< position of its first cluster
  uint64_t groupInstructions = 0; ///< instructions before it
  // Of a machine that runs ahead on a host thread of its own, see Parallel.cpp.
  GlobalOverlay *overlay = nullptr;
  Epoch *epoch = nullptr;
  bool abandoned = false;

  uint64_t instructions = 0;
  uint64_t instructionLimit = 0; ///< 0: none
  uint64_t changes = 0; ///< counts effects; unchanged means no progress
  uint64_t issues = 0;
  /// The operation that takes effect, for arrivals that it makes.
  const AsyncOp *completing = nullptr;
  bool stopped = false;
  std::mt19937_64 random;
  std::unordered_map<uint64_t, size_t> seen; ///< diagnostics by kind and line
  std::vector<TraceEvent> trace;
  uint64_t nextProgress = 0;

  // Machine.cpp: set-up and reports.
  bool prepare();
  void execute();
  void diagnose(Severity severity, const char *kind, const std::string &message,
                uint32_t line, const Cta *cta, int warp, int lane);
  /// Diagnostics of the same kind and line are one.
  static uint64_t diagnosticKey(const std::string &kind, uint32_t line) {
    return std::hash<std::string>()(kind) * 31 + line;
  }
  void launchError(const std::string &message);
  Dim3 firstCta(uint64_t cluster) const;
  /// The cluster at a position of the order in which they start.
  uint64_t clusterAt(uint64_t position) const;
  std::unique_ptr<Cluster> makeCluster(uint64_t index);
  void finishCluster(Cluster &cluster);
  std::string describe(const Cta &cta) const;
  uint64_t ctaNumber(const Cta &cta) const;

  // Trace.cpp
  void traceInstruction(const Warp &warp, uint32_t pc);
  void traceWait(Warp &warp, uint32_t split, uint32_t pc);
  void traceWaitEnd(Warp &warp, uint32_t split);
  void writeTrace();

  // Observe.cpp: calls to the observer; nothing without one.
  void observeCta(const Cta &cta);
  void observeInstruction(const Warp &warp, uint32_t pc, uint32_t mask);
  void observeOperation(const AsyncOp &op);
  void observeArrival(const Cta &cta, uint32_t offset, const Mbarrier &barrier,
                      const Warp *warp);
  void observeWait(const Warp &warp, const Cta &cta, uint32_t offset,
                   const Mbarrier &barrier);
  void observeNamed(const Warp &warp, uint32_t id, uint64_t use, bool arrives);
  void observeCluster(const Warp &warp, uint64_t phase, bool arrives);
  void observeFinished(const Warp &warp, const AsyncOp &op, bool readOnly);
  /// `op` gets something to tell the observer; null without one.
  ObservedOperation *
  describeOperation(AsyncOp &op, ObservedOperation::Kind kind, uint64_t bytes);

  // Parallel.cpp
  uint64_t groupEnd(uint64_t first) const;
  std::unique_ptr<Machine> fork(GlobalOverlay &memory, Epoch &shared) const;
  bool takeOver(Machine &ahead, std::vector<GlobalLine> &written);
  uint64_t runEpoch(uint32_t threads, uint64_t groups);
  /// This can't be done while running ahead: the group will be run again.
  void abandon() {
    abandoned = true;
    stopped = true;
  }
  bool reportProgress(uint64_t now);

  // Scheduler.cpp
  void runGroup();
  void runSplit(Warp &warp, uint32_t split, uint32_t quantum);
  bool resolveStall();
  void reportDeadlock();
  void wakeSpinners(Cluster &cluster);

  // Warp.cpp: divergence.
  void moveSplit(Warp &warp, uint32_t split, uint32_t pc);
  void arriveJoin(Warp &warp, int join, uint32_t mask);
  void releaseJoin(Warp &warp, int join);
  void leaveJoins(Warp &warp, int join, int until, uint32_t mask);
  int newJoin(Warp &warp, uint32_t pc, uint32_t mask, int parent,
              const std::vector<uint32_t> &returns);
  uint32_t newSplit(Warp &warp, const Split &split);
  void exitLanes(Warp &warp, uint32_t split, uint32_t mask);
  bool breakJoins(Warp &warp);

  // Memory.cpp
  Region *findRegion(uint64_t address, uint64_t bytes);
  uint8_t *globalPointer(uint64_t address, uint64_t bytes, GlobalUse use,
                         std::string &error);
  std::string describeAddress(uint64_t address) const;
  /// Resolves a shared::cluster address of `cta`'s cluster.
  Cta *sharedTarget(Cta &cta, uint32_t address, uint32_t &offset);

  // Hazards.cpp. Accesses of shared memory: `agent`'s access at `clock`, by
  // something that knows `knowledge`.
  struct Access {
    const Knowledge *knowledge;
    Agent agent;
    Clock clock;
    bool isAsync;
    uint32_t line;
    Warp *warp;
    int lane;
    const char *what; ///< "ld.shared", "tcgen05.mma"...
    /// tcgen05.mma on its accumulator: M and N; tcgen05.st: its own; else 0.
    uint32_t shape = 0;
    /// A reduction: others may reduce the same bytes at the same time.
    bool reduces = false;
  };
  void readShared(Cta &cta, uint32_t offset, uint32_t bytes,
                  const Access &access);
  void writeShared(Cta &cta, uint32_t offset, uint32_t bytes,
                   const Access &access);
  /// Notes an access to the shared memory of another CTA. False after an error:
  /// that one has exited.
  bool visit(Cta &cta, const Access &access);
  /// All visits come before the exit of the CTA's last thread, or else it's an
  /// error.
  void checkVisits(Cta &cta);
  void readTensor(Cta &cta, uint32_t quarter, uint32_t column, uint32_t columns,
                  const Access &access);
  void writeTensor(Cta &cta, uint32_t quarter, uint32_t column,
                   uint32_t columns, const Access &access);
  std::string agentName(const Cluster &cluster, Agent agent) const;
  Access threadAccess(Warp &warp, int lane, const Inst &inst,
                      const char *what) const;
  /// The access of an asynchronous operation that `x` issues, number
  /// `sequence` of its warp's agent `kind`.
  static Access pipeAccess(Exec &x, const Inst &inst, AgentKind kind,
                           uint32_t sequence, int lane, const char *what);
  Agent barrierAgent(Cta &cta, uint32_t offset);
  /// Lanes `mask` get to know what is in `news`, or an agent's clock.
  void learn(Warp &warp, uint32_t mask, const Knowledge &news);
  void learnClock(Warp &warp, uint32_t mask, Agent agent, Clock clock);
  /// Adds what lanes `mask` know to `to`.
  void publish(const Warp &warp, uint32_t mask, Knowledge &to) const;
  /// All lanes of `mask` know what each of them knows and did.
  void synchroniseLanes(Warp &warp, uint32_t mask);

  // Async.cpp
  void issue(Cluster &cluster, std::shared_ptr<AsyncOp> op);
  void force(Cluster &cluster, const std::shared_ptr<AsyncOp> &op);
  void forceRead(Cluster &cluster, const std::shared_ptr<AsyncOp> &op);
  void complete(Cluster &cluster, AsyncOp &op);
  void randomEffects(Cluster &cluster);
  void collect(Cluster &cluster);

  // Barriers.cpp
  Mbarrier *findMbarrier(Cta &cta, uint32_t offset);
  void arriveMbarrier(Cta &cta, uint32_t offset, uint32_t count,
                      const Knowledge *knowledge, uint32_t line, Warp *warp,
                      int lane);
  void addTransactions(Cta &cta, uint32_t offset, int64_t bytes, uint32_t line,
                       Warp *warp, int lane);
  void checkPhase(Cta &cta, uint32_t offset, Mbarrier &barrier, uint32_t line);
  void release(Warp &warp); ///< advances the warp's clock after a release
  void fence(Warp &warp, uint32_t mask); ///< an acquiring and releasing fence
  void checkNamedBarrier(Cta &cta, uint32_t id);
  void checkClusterBarrier(Cluster &cluster);
  void wake(Cluster &cluster, WaitKind kind, uint32_t id, uint32_t address);
};

/// What a lane knows; lane < 0: what some lane knows.
inline const Knowledge &knownTo(const Warp &warp, int lane) {
  return warp.own && lane >= 0 ? (*warp.own)[static_cast<size_t>(lane)]
                               : warp.knowledge;
}

/// Calls `body(lane)` for the lanes of `mask`.
template <typename Body> inline void forLanes(uint32_t mask, Body body) {
  if (mask == ~0u) {
    for (int lane = 0; lane < 32; ++lane)
      body(lane);
    return;
  }
  while (mask != 0) {
    body(__builtin_ctz(mask));
    mask &= mask - 1;
  }
}

std::string hex(uint64_t value);

} // namespace bsmm::emulator

#endif // BSMM_LIB_EMULATOR_MACHINE_H

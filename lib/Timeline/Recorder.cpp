//===- Recorder.cpp - From a run of the emulator to a recording -*- C++ -*-===//

#include "bsmm/Timeline/Recording.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace bsmm::timeline {

using namespace emulator;

namespace {

/// What an instruction costs, told by its opcode.
struct InstructionClass {
  enum class Kind : uint8_t {
    Unknown,
    Nothing, ///< its step is told in another way
    Full,
    Half,
    Quarter,
    SharedLoad,
    SharedStore,
    GlobalLoad,
    GlobalStore,
    TensorLoad,
    TensorStore,
    TensorWait
  };
  Kind kind = Kind::Unknown;
  uint32_t bytes = 0; ///< of a lane
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool begins(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// Bytes a lane of "ld.shared.v4.b32" and the like.
uint32_t accessBytes(std::string_view opcode) {
  uint32_t vector = has(opcode, ".v8")   ? 8
                    : has(opcode, ".v4") ? 4
                    : has(opcode, ".v2") ? 2
                                         : 1;
  size_t dot = opcode.rfind('.');
  std::string_view type =
      dot == std::string_view::npos ? "" : opcode.substr(dot + 1);
  uint32_t bytes = has(type, "128")                     ? 16
                   : has(type, "64")                    ? 8
                   : has(type, "16x2")                  ? 4
                   : has(type, "16")                    ? 2
                   : type.size() == 2 && has(type, "8") ? 1
                                                        : 4;
  return vector * bytes;
}

InstructionClass classify(std::string_view opcode) {
  using Kind = InstructionClass::Kind;
  if (begins(opcode, "mbarrier.arrive") ||
      begins(opcode, "mbarrier.try_wait") ||
      begins(opcode, "mbarrier.test_wait") || begins(opcode, "cp.async.bulk") ||
      begins(opcode, "st.async") || begins(opcode, "red.async") ||
      begins(opcode, "cp.reduce.async.bulk") ||
      begins(opcode, "wgmma.mma_async") || begins(opcode, "tcgen05.mma") ||
      begins(opcode, "tcgen05.cp") || begins(opcode, "tcgen05.commit") ||
      begins(opcode, "bar.sync") || begins(opcode, "barrier.cluster"))
    return {Kind::Nothing, 0};
  if (begins(opcode, "tcgen05.ld"))
    return {Kind::TensorLoad, 4};
  if (begins(opcode, "tcgen05.st"))
    return {Kind::TensorStore, 4};
  if (begins(opcode, "tcgen05.wait"))
    return {Kind::TensorWait, 0};
  if (begins(opcode, "ldmatrix") || begins(opcode, "stmatrix")) {
    uint32_t matrices = has(opcode, ".x4") ? 4 : has(opcode, ".x2") ? 2 : 1;
    return {begins(opcode, "ld") ? Kind::SharedLoad : Kind::SharedStore,
            4 * matrices};
  }
  bool load = begins(opcode, "ld.") || begins(opcode, "atom.");
  bool store = begins(opcode, "st.") || begins(opcode, "red.");
  if (has(opcode, ".param") || has(opcode, ".const") || has(opcode, ".local"))
    load = store = false;
  if (load || store) {
    bool shared = has(opcode, ".shared");
    Kind kind = load     ? shared ? Kind::SharedLoad : Kind::GlobalLoad
                : shared ? Kind::SharedStore
                         : Kind::GlobalStore;
    return {kind, accessBytes(opcode)};
  }
  for (std::string_view slow : {"ex2", "lg2", "rcp", "sqrt", "rsqrt", "sin",
                                "cos", "tanh", "div", "rem"})
    if (begins(opcode, slow))
      return {Kind::Quarter, 0};
  // CUDA C++ Programming Guide, "Throughput of Native Arithmetic
  // Instructions": f32 and packed f16 at full rate, integers and conversions
  // at half rate or less.
  if (has(opcode, ".f32") && !begins(opcode, "cvt"))
    return {Kind::Full, 0};
  for (std::string_view fast : {"mov", "bra", "fma", "bar", "fence", "nop",
                                "ret", "exit", "wgmma", "tcgen05", "elect"})
    if (begins(opcode, fast))
      return {Kind::Full, 0};
  return {Kind::Half, 0};
}

/// Whether an instruction makes a register of 64 bits of two others, or the
/// reverse: ptxas gives the three the same place, and no instruction is left.
/// With a constant, or two registers that are needed on their own as well,
/// there are moves; LLVM makes neither of them often.
bool pairs(const ObservedInstruction &told) {
  return told.opcode == "mov.b64" && told.readCount + told.writeCount == 3;
}

class Recorder : public Observer {
public:
  explicit Recorder(Recording &recording) : out(recording) {}

  /// Steps of all warps, and global memory of operations.
  uint64_t size() const {
    uint64_t sum = out.rows.size() + out.operations.size();
    for (const CtaProgram &cta : out.ctas)
      for (const WarpProgram &warp : cta.warps)
        sum += warp.steps.size();
    return sum;
  }

  void beginCta(const ObservedCta &told) override {
    index[told.cta] = static_cast<uint32_t>(out.ctas.size());
    CtaProgram cta;
    cta.cluster = static_cast<uint32_t>(told.cluster);
    cta.rank = static_cast<uint32_t>(out.ctas.size()) % told.clusterCtas;
    cta.warps.resize(told.warps);
    out.clusterCtas = told.clusterCtas;
    out.ctas.push_back(std::move(cta));
    states.emplace_back(told.warps);
    wgmmas.emplace_back((told.warps + 3) / 4);
  }

  void instruction(const ObservedWarp &at,
                   const ObservedInstruction &told) override {
    using Kind = InstructionClass::Kind;
    ++out.instructions;
    if (told.pc >= classes.size())
      classes.resize(told.pc + 1);
    InstructionClass &known = classes[told.pc];
    if (known.kind == Kind::Unknown)
      known = pairs(told) ? InstructionClass{Kind::Nothing, 0}
                          : classify(told.opcode);
    uint32_t cta = index[at.cta];
    State &state = states[cta][at.warp];
    state.storing = false;
    std::vector<Step> &steps = out.ctas[cta].warps[at.warp].steps;
    // What the instruction did was told before it.
    for (size_t k = steps.size(); k-- > 0 && steps[k].line == 0;)
      steps[k].line = told.line;
    if (!state.pending.empty())
      use(state, steps, told);
    uint32_t lanes = static_cast<uint32_t>(__builtin_popcount(told.lanes));
    if (lanes == 0) {
      work(steps, told.line, 1, 0);
      return;
    }
    auto access = [&](Step::Kind kind, uint32_t bytes) {
      steps.push_back({kind, told.line, bytes, 0});
    };
    auto load = [&](Step::Kind kind, uint32_t bytes, bool tracked) {
      access(kind, bytes);
      uint32_t number = state.loads++;
      for (uint32_t k = 0; tracked && k < told.writeCount; ++k)
        state.pending.push_back({told.writes[k], number});
    };
    switch (known.kind) {
    case Kind::Unknown:
    case Kind::Nothing:
      return;
    case Kind::Full:
      return work(steps, told.line, 1, 0);
    case Kind::Half:
      return work(steps, told.line, 1, 1);
    case Kind::Quarter:
      return work(steps, told.line, 2, 2);
    case Kind::SharedLoad:
      return load(Step::Kind::SharedLoad, lanes * known.bytes, true);
    case Kind::SharedStore:
      return access(Step::Kind::SharedStore, lanes * known.bytes);
    case Kind::GlobalLoad:
      return load(Step::Kind::GlobalLoad, lanes * known.bytes, true);
    case Kind::GlobalStore:
      return access(Step::Kind::GlobalStore, lanes * known.bytes);
    case Kind::TensorLoad:
      return load(Step::Kind::TensorLoad, 32 * 4 * told.vector, false);
    case Kind::TensorStore:
      return access(Step::Kind::TensorStore, 32 * 4 * told.vector);
    case Kind::TensorWait:
      if (state.loads != 0)
        steps.push_back({Step::Kind::Use, told.line, state.loads - 1, 0});
      return work(steps, told.line, 1, 0);
    }
  }

  void operation(const ObservedWarp &at,
                 const ObservedOperation &told) override {
    uint32_t cta = index[at.cta];
    std::vector<Step> &steps = out.ctas[cta].warps[at.warp].steps;
    uint32_t number = static_cast<uint32_t>(out.operations.size());
    if (told.kind == ObservedOperation::Kind::Wgmma) {
      // The four warps of a warpgroup issue one multiplication together.
      std::vector<uint32_t> &group = wgmmas[cta][at.warp / 4];
      uint32_t count = states[cta][at.warp].wgmmas++;
      if (count < group.size())
        number = group[count];
      else
        group.push_back(number);
    }
    if (told.kind == ObservedOperation::Kind::StAsync && !steps.empty() &&
        steps.back().kind == Step::Kind::Start) {
      // Lanes of a warp store together: nothing has come between them.
      uint32_t last = steps.back().a;
      Operation &known = out.operations[last];
      if (known.kind == Operation::Kind::StAsync && known.line == told.line &&
          states[cta][at.warp].storing) {
        known.bytes += static_cast<uint32_t>(told.bytes);
        remember(told.id, last);
        return;
      }
    }
    states[cta][at.warp].storing =
        told.kind == ObservedOperation::Kind::StAsync;
    remember(told.id, number);
    steps.push_back({Step::Kind::Start, told.line, number, 0});
    if (number < out.operations.size())
      return;
    Operation op;
    op.line = told.line;
    op.bytes = static_cast<uint32_t>(told.bytes);
    op.destinations = static_cast<uint8_t>(std::min(told.destinations, 255u));
    switch (told.kind) {
    case ObservedOperation::Kind::Load:
      op.kind = Operation::Kind::Load;
      break;
    case ObservedOperation::Kind::Store:
      op.kind = Operation::Kind::Store;
      break;
    case ObservedOperation::Kind::SharedCopy:
      op.kind = Operation::Kind::ClusterCopy;
      break;
    case ObservedOperation::Kind::StAsync:
      op.kind = Operation::Kind::StAsync;
      break;
    case ObservedOperation::Kind::CpAsync:
      op.kind = Operation::Kind::CpAsync;
      break;
    case ObservedOperation::Kind::Wgmma:
      op.kind = Operation::Kind::Mma;
      op.issuers = 4;
      op.product = told.m * told.n * (told.k * told.elementBits / 8);
      break;
    case ObservedOperation::Kind::TensorMma:
      op.kind = Operation::Kind::Mma;
      op.ctas = static_cast<uint8_t>(told.ctas);
      // One CTA's tensor core takes as long for 64 rows as for 128.
      op.product = (told.ctas == 1 ? std::max(told.m, 128u) : told.m / 2) *
                   told.n * (told.k * told.elementBits / 8);
      break;
    case ObservedOperation::Kind::TensorCopy:
      op.kind = Operation::Kind::TensorCopy;
      op.ctas = static_cast<uint8_t>(told.ctas);
      break;
    case ObservedOperation::Kind::Commit:
      op.kind = Operation::Kind::Commit;
      break;
    }
    for (int k = 0; k < 2; ++k) {
      op.scaleColumn[k] = static_cast<uint16_t>(told.scaleColumn[k]);
      op.scaleColumns[k] = static_cast<uint16_t>(told.scaleColumns[k]);
    }
    op.firstRow = static_cast<uint32_t>(out.rows.size());
    op.rowCount = static_cast<uint32_t>(told.rows.size());
    out.rows.insert(out.rows.end(), told.rows.begin(), told.rows.end());
    out.operations.push_back(op);
  }

  void arrival(const ObservedWarp &at, const ObservedBarrier &barrier,
               uint64_t operation) override {
    uint32_t moment = momentOf(barrier);
    if (operation == 0) {
      std::vector<Step> &steps = out.ctas[index[at.cta]].warps[at.warp].steps;
      // Lanes of a warp arrive together.
      if (!steps.empty() && steps.back().kind == Step::Kind::Signal &&
          steps.back().a == moment)
        return;
      steps.push_back({Step::Kind::Signal, 0, moment, 0});
    } else {
      if (operation >= numbers.size() || numbers[operation] == None)
        return;
      Operation &op = out.operations[numbers[operation]];
      uint32_t end = op.firstMoment + op.momentCount;
      for (uint32_t k = op.firstMoment; k < end; ++k)
        if (out.signals[k] == moment)
          return;
      if (op.momentCount == 0) {
        op.firstMoment = static_cast<uint32_t>(out.signals.size());
      } else if (end != out.signals.size()) {
        uint32_t first = static_cast<uint32_t>(out.signals.size());
        for (uint32_t k = op.firstMoment; k < end; ++k)
          out.signals.push_back(out.signals[k]);
        op.firstMoment = first;
      }
      out.signals.push_back(moment);
      ++op.momentCount;
    }
    ++out.moments[moment].contributions;
  }

  void observed(const ObservedWarp &at,
                const ObservedBarrier &barrier) override {
    uint32_t moment = momentOf(barrier);
    std::vector<Step> &steps = out.ctas[index[at.cta]].warps[at.warp].steps;
    if (!steps.empty() && steps.back().kind == Step::Kind::Wait &&
        steps.back().a == moment)
      return;
    steps.push_back({Step::Kind::Wait, 0, moment, 0});
  }

  void finished(const ObservedWarp &at, uint64_t operation,
                bool readOnly) override {
    if (operation >= numbers.size() || numbers[operation] == None)
      return;
    uint32_t number = numbers[operation];
    std::vector<Step> &steps = out.ctas[index[at.cta]].warps[at.warp].steps;
    steps.push_back({Step::Kind::Finish, 0, number, readOnly});
  }

private:
  struct State {
    uint32_t loads = 0;
    uint32_t wgmmas = 0;
    bool storing = false; ///< lanes of an st.async are being told
    std::vector<std::pair<uint32_t, uint32_t>> pending; ///< register, load
  };

  static void work(std::vector<Step> &steps, uint32_t line, uint32_t count,
                   uint32_t half) {
    if (!steps.empty() && steps.back().kind == Step::Kind::Work) {
      steps.back().a += count;
      steps.back().b += half;
      return;
    }
    steps.push_back({Step::Kind::Work, line, count, half});
  }

  /// The instruction waits for the loads whose results it names.
  static void use(State &state, std::vector<Step> &steps,
                  const ObservedInstruction &told) {
    uint32_t latest = None;
    auto look = [&](const uint32_t *list, uint32_t count) {
      for (uint32_t k = 0; k < count; ++k)
        for (auto &[name, load] : state.pending)
          if (name == list[k] && (latest == None || load > latest))
            latest = load;
    };
    look(told.reads, told.readCount);
    look(told.writes, told.writeCount);
    if (latest == None)
      return;
    steps.push_back({Step::Kind::Use, told.line, latest, 0});
    state.pending.erase(std::remove_if(state.pending.begin(),
                                       state.pending.end(),
                                       [&](const auto &entry) {
                                         return entry.second <= latest;
                                       }),
                        state.pending.end());
  }

  void remember(uint64_t id, uint32_t number) {
    if (id >= numbers.size())
      numbers.resize(std::max<size_t>(id + 1, 2 * numbers.size()), None);
    numbers[id] = number;
  }

  uint32_t momentOf(const ObservedBarrier &barrier) {
    uint64_t key = static_cast<uint64_t>(barrier.kind) << 62 |
                   barrier.owner << 24 | barrier.number;
    std::vector<uint32_t> &phases = moments[key];
    if (barrier.phase >= phases.size())
      phases.resize(barrier.phase + 1, None);
    uint32_t &moment = phases[barrier.phase];
    if (moment == None) {
      moment = static_cast<uint32_t>(out.moments.size());
      Moment made;
      made.kind = barrier.kind;
      made.number = barrier.number;
      made.phase = static_cast<uint32_t>(barrier.phase);
      if (barrier.kind != ObservedBarrier::Kind::Cluster) {
        auto found = index.find(barrier.owner);
        if (found != index.end())
          made.owner = found->second;
      }
      out.moments.push_back(made);
    }
    return moment;
  }

  Recording &out;
  std::unordered_map<uint64_t, uint32_t> index; ///< CTA to its place in `out`
  std::vector<std::vector<State>> states;       ///< by CTA and warp
  std::vector<std::vector<std::vector<uint32_t>>> wgmmas; ///< CTA, warpgroup
  std::vector<InstructionClass> classes;                  ///< by pc
  std::vector<uint32_t> numbers; ///< operation of the emulator to ours
  std::unordered_map<uint64_t, std::vector<uint32_t>> moments;
};

} // namespace

RecordResult record(const Program &program, const Launch &launch,
                    uint64_t maxInstructions, uint64_t mostSteps) {
  RecordResult result;
  result.recording.target = program.target();
  Recorder recorder(result.recording);
  Options options;
  options.observer = &recorder;
  options.skipData = true;
  options.checkHazards = false;
  options.maxInstructions = maxInstructions;
  // An instruction makes a few steps at most, so that this is often enough.
  options.progressInterval = std::max<uint64_t>(1, mostSteps / 64);
  options.progress = [&](uint64_t, uint64_t, uint64_t) {
    return recorder.size() <= mostSteps;
  };
  result.report = run(program, launch, options);
  if (recorder.size() > mostSteps)
    result.error = "the run has more than " + std::to_string(mostSteps) +
                   " steps to record: take fewer CTAs or fewer steps of K";
  return result;
}

} // namespace bsmm::timeline

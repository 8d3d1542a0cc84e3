//===- MeasurementReport.cpp - what measuring prints and writes -----------===//

#include "bsmm/Runtime/MeasurementReport.h"
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace bsmm;
using namespace bsmm::runtime;
using Json = nlohmann::ordered_json;

double runtime::percentile(std::vector<double> values, double fraction) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  double at = fraction * double(values.size() - 1);
  auto low = static_cast<size_t>(at);
  size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - double(low));
}

/// printf at the end of a text.
__attribute__((format(printf, 2, 3))) static void
print(std::string &out, const char *format, ...) {
  va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  int length = std::vsnprintf(nullptr, 0, format, values);
  va_end(values);
  if (length > 0) {
    size_t before = out.size();
    // One byte more, for the zero at the end.
    out.resize(before + size_t(length) + 1);
    std::vsnprintf(&out[before], size_t(length) + 1, format, again);
    out.pop_back();
  }
  va_end(again);
}

static double operationsOf(const Shape &shape) {
  return 2.0 * double(shape.m) * double(shape.n) * double(shape.k) *
         double(shape.l);
}

/// One sentence a problem.
static void printVerdict(std::string &out, const Measurement &result) {
  const Verification &verdict = result.verdict;
  if (result.isVerified) {
    print(out,
          "  against float64: %lld of %lld outputs compared, %lld equal, "
          "%lld within the bound, %lld outside",
          static_cast<long long>(verdict.judged),
          static_cast<long long>(verdict.outputs),
          static_cast<long long>(verdict.equal),
          static_cast<long long>(verdict.withinBound),
          static_cast<long long>(verdict.outside));
    if (verdict.inexact)
      print(out, ", %lld inexact", static_cast<long long>(verdict.inexact));
    if (verdict.overflowed)
      print(out, ", %lld beyond f32",
            static_cast<long long>(verdict.overflowed));
    print(out, "; largest error %.3g, %.2g of its bound\n",
          verdict.largestError, verdict.largestFraction);
    if (verdict.damaged)
      print(out, "  %lld bytes between the rows of D changed\n",
            static_cast<long long>(verdict.damaged));
    if (!verdict.firstFault.empty())
      print(out, "  first fault: %s\n", verdict.firstFault.c_str());
  }
  if (!result.isRepeatable)
    print(out, "  a second launch gave other bits%s\n",
          result.manifest.numerics.orderDependent ? ", as this kernel may"
                                                  : "");
  if (result.damagedGuards)
    print(out, "  %lld bytes around the operands changed\n",
          static_cast<long long>(result.damagedGuards));
  if (!result.changedInputs.empty())
    print(out, "  inputs changed: %s\n", result.changedInputs.c_str());
}

std::string MeasurementReport::add(const Measurement &result) {
  std::string out;
  results.push_back(result);
  const KernelManifest &manifest = result.manifest;
  const Shape &shape = result.shape;
  std::string sizes = std::to_string(shape.m) + "x" + std::to_string(shape.n) +
                      "x" + std::to_string(shape.k) +
                      (shape.l == 1 ? "" : "x" + std::to_string(shape.l));
  if (result.milliseconds.empty()) {
    print(out, "%s: %s, kernel %zu (%s), %s\n", setting.device.c_str(),
          sizes.c_str(), result.index, manifest.entry.c_str(),
          result.isGood() ? "good" : "WRONG");
    printVerdict(out, result);
    return out;
  }
  if (!hasTable) {
    print(out, "%s, %zu launches each, L2 cache %s\n", setting.device.c_str(),
          result.milliseconds.size(), setting.flush ? "flushed" : "warm");
    print(out, "%-24s %6s  %9s  %9s  %9s  %9s  %8s  %s\n", "problem", "kernel",
          "median us", "p20 us", "p80 us", "TFLOP/s", "GB/s", "verdict");
    hasTable = true;
  }
  double median = percentile(result.milliseconds, 0.5);
  print(
      out, "%-24s %6zu  %9.2f  %9.2f  %9.2f  %9.1f  %8.0f  %s\n", sizes.c_str(),
      result.index, 1e3 * median, 1e3 * percentile(result.milliseconds, 0.2),
      1e3 * percentile(result.milliseconds, 0.8),
      operationsOf(shape) / median / 1e9, double(result.traffic) / median / 1e6,
      !result.isVerified && result.isGood() ? "not verified"
      : result.isGood()                     ? "good"
                                            : "WRONG");
  if (!result.isGood())
    printVerdict(out, result);
  return out;
}

static Json configurationOf(const KernelManifest &manifest) {
  Json json = Json::object();
  for (const auto &[key, value] : manifest.configuration)
    std::visit([&](const auto &known) { json[key] = known; }, value);
  return json;
}

static Json verdictOf(const Measurement &result) {
  const Verification &verdict = result.verdict;
  Json json;
  json["good"] = result.isGood();
  json["repeatable"] = result.isRepeatable;
  json["damaged_guard_bytes"] = result.damagedGuards;
  json["changed_inputs"] = result.changedInputs;
  if (!result.isVerified)
    return json;
  json["outputs"] = verdict.outputs;
  json["judged"] = verdict.judged;
  json["equal"] = verdict.equal;
  json["within_bound"] = verdict.withinBound;
  json["outside"] = verdict.outside;
  json["inexact"] = verdict.inexact;
  json["overflowed"] = verdict.overflowed;
  json["damaged_bytes"] = verdict.damaged;
  json["largest_error"] = verdict.largestError;
  json["largest_fraction_of_bound"] = verdict.largestFraction;
  json["first_fault"] = verdict.firstFault;
  return json;
}

static Json timesOf(const Measurement &result) {
  double median = percentile(result.milliseconds, 0.5);
  Json json;
  json["median_ms"] = median;
  json["p20_ms"] = percentile(result.milliseconds, 0.2);
  json["p80_ms"] = percentile(result.milliseconds, 0.8);
  json["min_ms"] = percentile(result.milliseconds, 0);
  json["max_ms"] = percentile(result.milliseconds, 1);
  json["tflops"] = operationsOf(result.shape) / median / 1e9;
  json["bytes"] = result.traffic;
  json["bytes_per_second"] = double(result.traffic) / median * 1e3;
  json["times_ms"] = result.milliseconds;
  return json;
}

std::string MeasurementReport::write(const std::string &path) const {
  Json root;
  root["schema"] = "bsmm.measurement/1";
  root["device"] = {{"name", setting.device},
                    {"target", setting.target},
                    {"sms", setting.smCount},
                    {"driver", setting.driverVersion}};
  root["seed"] = setting.seed;
  root["distribution"] = setting.distribution;
  root["warmup"] = setting.warmup;
  root["flush_l2"] = setting.flush;
  root["problems"] = Json::array();
  for (const Measurement &result : results) {
    Json json;
    json["M"] = result.shape.m;
    json["N"] = result.shape.n;
    json["K"] = result.shape.k;
    json["L"] = result.shape.l;
    json["kernel"] = {{"index", result.index},
                      {"name", result.name},
                      {"entry", result.manifest.entry},
                      {"target", result.manifest.target},
                      {"configuration", configurationOf(result.manifest)},
                      {"cubin", result.resources.is_cubin != 0},
                      {"registers", result.resources.registers},
                      {"local_bytes", result.resources.local_bytes}};
    json["verdict"] = verdictOf(result);
    if (!result.milliseconds.empty())
      json["times"] = timesOf(result);
    root["problems"].push_back(std::move(json));
  }
  return writeFileInOneStep(
      path, root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

//===- Status.cpp - errors, log and names of the C ABI --------------------===//

#include "Status.h"
#include "bsmm/Runtime/LaunchDescription.h"
#include "bsmm/Target/Target.h"
#include <atomic>
#include <mutex>

using namespace bsmm;
using namespace bsmm::runtime;
using namespace bsmm::runtime::library;

// The enumerators of the ABI are fixed; the table behind them may move.
static_assert(BSMM_E2M1 == int(target::ElementType::E2M1));
static_assert(BSMM_E2M3 == int(target::ElementType::E2M3));
static_assert(BSMM_E3M2 == int(target::ElementType::E3M2));
static_assert(BSMM_E4M3 == int(target::ElementType::E4M3));
static_assert(BSMM_E5M2 == int(target::ElementType::E5M2));
static_assert(BSMM_UE8M0 == int(target::ElementType::UE8M0));
static_assert(BSMM_UE4M3 == int(target::ElementType::UE4M3));
static_assert(BSMM_F16 == int(target::ElementType::F16));
static_assert(BSMM_BF16 == int(target::ElementType::BF16));
static_assert(BSMM_TF32 == int(target::ElementType::TF32));
static_assert(BSMM_F32 == int(target::ElementType::F32));
static_assert(BSMM_F64 == int(target::ElementType::F64));
static_assert(BSMM_S8 == int(target::ElementType::S8));
static_assert(BSMM_U8 == int(target::ElementType::U8));
static_assert(BSMM_S32 == int(target::ElementType::S32));
static_assert(BSMM_ROLE_A == int(Role::A) && BSMM_ROLE_B == int(Role::B) &&
              BSMM_ROLE_SFA == int(Role::SFA) &&
              BSMM_ROLE_SFB == int(Role::SFB) && BSMM_ROLE_C == int(Role::C) &&
              BSMM_ROLE_D == int(Role::D) && BSMM_ROLE_SA == int(Role::SA) &&
              BSMM_ROLE_SB == int(Role::SB) &&
              BSMM_ROLE_BIAS == int(Role::Bias) &&
              BSMM_ROLE_WORKSPACE == int(Role::Workspace) &&
              BSMM_ROLE_COUNT == numRoles);

static std::string &lastError() {
  thread_local std::string text;
  return text;
}

bsmm_status library::fail(bsmm_status status, const std::string &text) {
  lastError() = text;
  return status;
}

namespace {
struct Log {
  std::mutex mutex;
  bsmm_log_callback callback = nullptr;
  void *user = nullptr;
  std::atomic<bool> isOn{false};
};
} // namespace

static Log &theLog() {
  // Never destroyed: threads may still run when a process ends.
  static Log *log = new Log;
  return *log;
}

void library::log(bsmm_log_level level, const std::string &text) {
  Log &log = theLog();
  if (!log.isOn)
    return;
  // Held during the call, so that no callback runs after it was replaced.
  std::lock_guard<std::mutex> lock(log.mutex);
  if (log.callback)
    log.callback(log.user, level, text.c_str());
}

bool library::isLogging() { return theLog().isOn; }

extern "C" {

uint32_t bsmm_runtime_version(void) { return BSMM_RUNTIME_VERSION; }

const char *bsmm_status_name(bsmm_status status) {
  static const char *const names[] = {
      "BSMM_OK",
      "BSMM_INVALID_ARGUMENT",
      "BSMM_IO_ERROR",
      "BSMM_INVALID_ARTIFACT",
      "BSMM_UNSUPPORTED_VERSION",
      "BSMM_NOT_FOUND",
      "BSMM_UNSUPPORTED_PROBLEM",
      "BSMM_NO_DEVICE",
      "BSMM_DRIVER_ERROR",
      "BSMM_KERNEL_FAULT",
      "BSMM_OUT_OF_MEMORY",
      "BSMM_INTERNAL_ERROR",
  };
  static_assert(sizeof(names) / sizeof(names[0]) == BSMM_INTERNAL_ERROR + 1);
  if (status < 0 || status > BSMM_INTERNAL_ERROR)
    return "unknown status";
  return names[status];
}

const char *bsmm_last_error(void) { return lastError().c_str(); }

void bsmm_set_log(bsmm_log_callback callback, void *user) {
  Log &log = theLog();
  std::lock_guard<std::mutex> lock(log.mutex);
  log.callback = callback;
  log.user = user;
  log.isOn = callback != nullptr;
}

const char *bsmm_element_name(bsmm_element element) {
  if (element < 0 || element >= int(target::numElementTypes))
    element = BSMM_ELEMENT_NONE;
  // The names of the table are string literals.
  return target::name(static_cast<target::ElementType>(element)).data();
}

uint32_t bsmm_element_bits(bsmm_element element) {
  if (element < 0 || element >= int(target::numElementTypes))
    return 0;
  return target::bitWidth(static_cast<target::ElementType>(element));
}

const char *bsmm_role_name(bsmm_role role) {
  if (role < 0 || role >= BSMM_ROLE_COUNT)
    return "unknown";
  return roleName(static_cast<Role>(role)).data();
}

} // extern "C"

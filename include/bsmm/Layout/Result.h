//===- Result.h - a value or the reason why there is none -------*- C++ -*-===//
//
// The layout library is called by verifiers on input that anybody may have
// written, so every operation that can be refused returns its reason as text
// and nothing is thrown.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LAYOUT_RESULT_H
#define BSMM_LAYOUT_RESULT_H

#include <cassert>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace bsmm::layout {

/// Why an operation was refused: lower case, no full stop, so that a
/// diagnostic can embed it.
struct Error {
  std::string message;
};

/// Builds an Error from pieces that an ostream can print.
template <typename... Pieces> Error makeError(const Pieces &...pieces) {
  std::ostringstream stream;
  (stream << ... << pieces);
  return Error{stream.str()};
}

/// A value of type T or an Error. Converts to true when there is a value;
/// asking for the value of an error is a fault of the caller and asserts.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Error error) : message(std::move(error.message)) {}

  explicit operator bool() const { return value.has_value(); }
  const T &operator*() const & {
    assert(value && "asked for the value of an error");
    return *value;
  }
  T &&operator*() && {
    assert(value && "asked for the value of an error");
    return std::move(*value);
  }
  const T *operator->() const {
    assert(value && "asked for the value of an error");
    return &*value;
  }
  /// The reason; empty when there is a value.
  const std::string &error() const { return message; }

private:
  std::optional<T> value;
  std::string message;
};

/// The outcome of a check: true when it holds, else the reason.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : reason(std::move(error.message)) {}
  static Status success() { return Status(); }

  explicit operator bool() const { return !reason; }
  /// The reason; empty on success.
  std::string error() const { return reason.value_or(std::string()); }

private:
  std::optional<std::string> reason;
};

} // namespace bsmm::layout

#endif // BSMM_LAYOUT_RESULT_H

//===- Result.h - a value or the reason why there is none -------*- C++ -*-===//

#ifndef BSMM_RUNTIME_RESULT_H
#define BSMM_RUNTIME_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace bsmm::runtime {

/// The text of an error; a type of its own, so that a Result of a string stays
/// unambiguous.
struct Error {
  std::string text;
};

/// Either a value or an error text: lower case, no full stop.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Error error) : message(std::move(error.text)) {}

  explicit operator bool() const { return value.has_value(); }
  const std::string &error() const { return message; }
  T &operator*() {
    assert(value && "no value: look at error()");
    return *value;
  }
  const T &operator*() const {
    assert(value && "no value: look at error()");
    return *value;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

private:
  std::optional<T> value;
  std::string message;
};

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_RESULT_H

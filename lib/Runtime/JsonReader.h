//===- JsonReader.h - reading JSON with paths in the errors -----*- C++ -*-===//
//
// A cursor over a parsed JSON value. The first error of a reading is kept and
// everything after it returns defaults, so that callers check once at the end.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_LIB_RUNTIME_JSONREADER_H
#define BSMM_LIB_RUNTIME_JSONREADER_H

#include "bsmm/Runtime/Result.h"
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bsmm::runtime {

/// Parses text strictly: no duplicate keys, nothing after the end, at most
/// 8 MiB and 64 levels of nesting.
Result<nlohmann::json> parseJson(std::string_view text);

/// True for a relative file name without `..`.
bool staysInFolder(std::string_view text);

class JsonReader {
public:
  using Json = nlohmann::json;

  JsonReader(const Json &value, std::string &error)
      : JsonReader(&value, "$", error) {}

  const std::string &path() const { return where; }
  const Json &json() const { return *value; }
  bool failed() const { return !error->empty(); }

  /// Records an error at this value unless there is one already.
  void fail(const std::string &text) const {
    if (error->empty())
      *error = where + ": " + text;
  }

  /// Checks that this is an object with only these keys (`x-...` are free).
  bool object(std::initializer_list<std::string_view> keys) const;
  bool has(std::string_view key) const;
  /// A member; a missing one is an error and reads as null.
  JsonReader member(std::string_view key) const;

  /// Entries of an array, with at most `max` of them.
  std::vector<JsonReader> array(size_t min, size_t max) const;
  /// Members of an object with their readers, in the order of their names.
  std::vector<std::pair<std::string, JsonReader>> members() const;

  int64_t integer(int64_t min = std::numeric_limits<int64_t>::min(),
                  int64_t max = std::numeric_limits<int64_t>::max()) const;
  bool boolean() const;
  std::string string() const;
  /// A name relative to the file's folder that does not leave it.
  std::string fileName() const;
  std::vector<int64_t> integers(size_t minCount, size_t maxCount, int64_t min,
                                int64_t max) const;

  // Optional members.
  int64_t integerOr(std::string_view key, int64_t absent, int64_t min,
                    int64_t max) const {
    return has(key) ? member(key).integer(min, max) : absent;
  }
  bool booleanOr(std::string_view key, bool absent) const {
    return has(key) ? member(key).boolean() : absent;
  }

  /// One of the names in a table; the error lists them all.
  template <typename T>
  T oneOf(std::initializer_list<std::pair<std::string_view, T>> table) const {
    std::string text = string();
    if (failed())
      return table.begin()->second;
    std::string names;
    for (const auto &entry : table) {
      if (entry.first == text)
        return entry.second;
      if (!names.empty())
        names += ", ";
      names += std::string(entry.first);
    }
    fail("expected one of " + names + ", got '" + shorten(text) + "'");
    return table.begin()->second;
  }

  /// Text for messages: long values are cut.
  static std::string shorten(std::string text);

private:
  JsonReader(const Json *value, std::string where, std::string &error)
      : value(value), where(std::move(where)), error(&error) {}
  std::string describe() const;

  const Json *value;
  std::string where;
  std::string *error;
};

} // namespace bsmm::runtime

#endif // BSMM_LIB_RUNTIME_JSONREADER_H

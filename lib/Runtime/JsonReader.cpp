//===- JsonReader.cpp - reading JSON with paths in the errors -------------===//

#include "JsonReader.h"
#include <algorithm>
#include <set>

using namespace bsmm::runtime;
using Json = nlohmann::json;

namespace {
constexpr size_t maxJsonBytes = size_t(8) << 20;
constexpr int maxJsonDepth = 64;

/// Depth of nested objects and arrays; bounds the memory that nesting costs.
int nestingDepth(std::string_view text) {
  int depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

/// Finds where the text stops being JSON.
class ErrorFinder : public nlohmann::json_sax<Json> {
public:
  size_t position = 0;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t where, const std::string &,
                   const nlohmann::detail::exception &) override {
    position = where;
    return false;
  }
};
} // namespace

Result<Json> bsmm::runtime::parseJson(std::string_view text) {
  if (text.size() > maxJsonBytes)
    return Error{"$: expected at most 8 MiB of JSON, got " +
                 std::to_string(text.size()) + " bytes"};
  if (nestingDepth(text) > maxJsonDepth)
    return Error{"$: expected at most 64 levels of nesting, got " +
                 std::to_string(nestingDepth(text))};
  std::vector<std::set<std::string>> openObjects;
  std::string duplicate;
  auto watchKeys = [&](int, Json::parse_event_t event, Json &parsed) {
    switch (event) {
    case Json::parse_event_t::object_start:
      openObjects.emplace_back();
      break;
    case Json::parse_event_t::object_end:
      if (!openObjects.empty())
        openObjects.pop_back();
      break;
    case Json::parse_event_t::key:
      if (parsed.is_string() && !openObjects.empty() &&
          !openObjects.back()
               .insert(parsed.get_ref<const std::string &>())
               .second &&
          duplicate.empty())
        duplicate = parsed.get_ref<const std::string &>();
      break;
    default:
      break;
    }
    return true;
  };
  Json value = Json::parse(text.begin(), text.end(), watchKeys,
                           /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    ErrorFinder finder;
    bool complete = Json::sax_parse(text.begin(), text.end(), &finder);
    (void)complete;
    return Error{"$: not valid JSON, error at byte " +
                 std::to_string(finder.position) + " of " +
                 std::to_string(text.size())};
  }
  if (!duplicate.empty())
    return Error{"$: expected each key once, got '" +
                 JsonReader::shorten(duplicate) + "' twice in one object"};
  return value;
}

std::string JsonReader::shorten(std::string text) {
  constexpr size_t longest = 60;
  // Cut between UTF-8 characters.
  if (text.size() > longest) {
    size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      --end;
    text.resize(end);
    text += "...";
  }
  return text;
}

std::string JsonReader::describe() const {
  switch (value->type()) {
  case Json::value_t::null:
    return "null";
  case Json::value_t::object:
    return "an object";
  case Json::value_t::array:
    return "an array";
  case Json::value_t::string:
    return "the string '" + shorten(value->get_ref<const std::string &>()) +
           "'";
  default:
    return shorten(value->dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

bool JsonReader::object(std::initializer_list<std::string_view> keys) const {
  if (failed())
    return false;
  if (!value->is_object()) {
    fail("expected an object, got " + describe());
    return false;
  }
  for (auto it = value->begin(); it != value->end(); ++it) {
    bool known = it.key().rfind("x-", 0) == 0;
    for (std::string_view key : keys)
      known |= key == it.key();
    if (known)
      continue;
    std::string names;
    for (std::string_view key : keys)
      names += (names.empty() ? "" : ", ") + std::string(key);
    fail("unknown key '" + shorten(it.key()) + "': expected " + names);
    return false;
  }
  return true;
}

bool JsonReader::has(std::string_view key) const {
  return !failed() && value->is_object() &&
         value->find(std::string(key)) != value->end();
}

JsonReader JsonReader::member(std::string_view key) const {
  static const Json nothing;
  std::string childPath = where + "." + shorten(std::string(key));
  if (has(key))
    return JsonReader(&*value->find(std::string(key)), childPath, *error);
  if (!failed()) {
    if (!value->is_object())
      fail("expected an object, got " + describe());
    else
      fail("missing key '" + std::string(key) + "'");
  }
  return JsonReader(&nothing, childPath, *error);
}

std::vector<JsonReader> JsonReader::array(size_t min, size_t max) const {
  std::vector<JsonReader> entries;
  if (failed())
    return entries;
  if (!value->is_array()) {
    fail("expected an array, got " + describe());
    return entries;
  }
  if (value->size() < min || value->size() > max) {
    std::string count =
        min == max ? std::to_string(min)
                   : std::to_string(min) + " to " + std::to_string(max);
    fail("expected " + count + " entries, got " +
         std::to_string(value->size()));
    return entries;
  }
  for (size_t i = 0; i < value->size(); ++i)
    entries.push_back(JsonReader(
        &(*value)[i], where + "[" + std::to_string(i) + "]", *error));
  return entries;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<std::string, JsonReader>> entries;
  if (failed())
    return entries;
  if (!value->is_object()) {
    fail("expected an object, got " + describe());
    return entries;
  }
  for (auto it = value->begin(); it != value->end(); ++it)
    entries.emplace_back(
        it.key(),
        JsonReader(&it.value(), where + "." + shorten(it.key()), *error));
  return entries;
}

int64_t JsonReader::integer(int64_t min, int64_t max) const {
  if (failed())
    return min > 0 ? min : 0;
  bool representable =
      value->is_number_integer() &&
      (!value->is_number_unsigned() ||
       value->get<uint64_t>() <=
           static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  int64_t number = representable ? value->get<int64_t>() : 0;
  if (representable && number >= min && number <= max)
    return number;
  std::string range;
  if (min != std::numeric_limits<int64_t>::min() ||
      max != std::numeric_limits<int64_t>::max())
    range = " from " + std::to_string(min) + " to " + std::to_string(max);
  fail("expected an integer" + range + ", got " + describe());
  return min > 0 ? min : 0;
}

bool JsonReader::boolean() const {
  if (failed())
    return false;
  if (value->is_boolean())
    return value->get<bool>();
  fail("expected true or false, got " + describe());
  return false;
}

std::string JsonReader::string() const {
  if (failed())
    return "";
  if (value->is_string())
    return value->get<std::string>();
  fail("expected a string, got " + describe());
  return "";
}

bool bsmm::runtime::staysInFolder(std::string_view text) {
  bool inside = !text.empty() && text.front() != '/' &&
                text.find('\\') == std::string::npos &&
                text.find('\0') == std::string::npos;
  for (size_t begin = 0; inside && begin <= text.size();) {
    size_t end = std::min(text.find('/', begin), text.size());
    inside = text.substr(begin, end - begin) != ".." && end > begin;
    begin = end + 1;
  }
  return inside;
}

std::string JsonReader::fileName() const {
  std::string text = string();
  if (failed())
    return "";
  if (!staysInFolder(text))
    fail("expected the name of a file in the folder of this description, got "
         "'" +
         shorten(text) + "'");
  return text;
}

std::vector<int64_t> JsonReader::integers(size_t minCount, size_t maxCount,
                                          int64_t min, int64_t max) const {
  std::vector<int64_t> numbers;
  for (const JsonReader &entry : array(minCount, maxCount))
    numbers.push_back(entry.integer(min, max));
  return numbers;
}

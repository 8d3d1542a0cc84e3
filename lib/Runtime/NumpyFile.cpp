//===- NumpyFile.cpp - arrays in .npy files -------------------------------===//

#include "bsmm/Runtime/NumpyFile.h"
#include <cstring>
#include <fstream>
#include <limits>

using namespace bsmm::runtime;

static constexpr std::string_view magic("\x93NUMPY", 6);
static constexpr std::string_view typeNames[] = {"u1", "i1", "u2", "f2",
                                                 "i4", "f4", "i8", "f8"};

std::string_view bsmm::runtime::numpyTypeName(NumpyType type) {
  return typeNames[static_cast<unsigned>(type) % 8];
}

int64_t bsmm::runtime::numpyTypeBytes(NumpyType type) {
  return numpyTypeName(type)[1] - '0';
}

int64_t bsmm::runtime::numpyCount(const NumpyArray &array) {
  int64_t count = 1, bytes = 0;
  bool isEmpty = false;
  for (int64_t extent : array.shape) {
    if (extent < 0)
      return -1;
    isEmpty |= extent == 0;
  }
  if (isEmpty)
    return 0;
  for (int64_t extent : array.shape)
    if (__builtin_mul_overflow(count, extent, &count))
      return -1;
  if (__builtin_mul_overflow(count, numpyTypeBytes(array.type), &bytes))
    return -1;
  return count;
}

namespace {
/// The Python dictionary of the header: only the three keys and the kinds of
/// values that the format has.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  std::string parse(NumpyArray &array) {
    bool hasType = false, hasOrder = false, hasShape = false;
    if (!eat('{'))
      return "expected '{'";
    while (!eat('}')) {
      std::string key;
      if (!string(key) || !eat(':'))
        return "expected a quoted key and ':'";
      if (key == "descr" && !hasType) {
        std::string error = type(array.type);
        if (!error.empty())
          return error;
        hasType = true;
      } else if (key == "fortran_order" && !hasOrder) {
        if (word("True"))
          return "expected C order, got Fortran order";
        if (!word("False"))
          return "fortran_order: expected True or False";
        hasOrder = true;
      } else if (key == "shape" && !hasShape) {
        if (!shape(array.shape))
          return "shape: expected up to 32 integers in parentheses";
        hasShape = true;
      } else {
        return "expected each of descr, fortran_order and shape once";
      }
      if (eat(','))
        continue;
      if (eat('}'))
        break;
      return "expected ',' or '}'";
    }
    skipSpace();
    if (at != text.size())
      return "expected nothing after '}'";
    if (!hasType || !hasOrder || !hasShape)
      return "expected descr, fortran_order and shape";
    return "";
  }

private:
  void skipSpace() {
    while (at < text.size() &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  bool eat(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool word(std::string_view expected) {
    skipSpace();
    if (text.substr(at, expected.size()) != expected)
      return false;
    at += expected.size();
    return true;
  }
  bool string(std::string &value) {
    skipSpace();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos)
      return false;
    value = std::string(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return true;
  }
  std::string type(NumpyType &result) {
    std::string text;
    if (!string(text))
      return "descr: expected a quoted type; structured types are not "
             "supported";
    for (unsigned i = 0; i < 8; ++i)
      if (text.size() == 3 && text.substr(1) == typeNames[i]) {
        bool isByte = typeNames[i][1] == '1';
        if (text[0] == '<' || text[0] == '=' || (isByte && text[0] == '|')) {
          result = static_cast<NumpyType>(i);
          return "";
        }
        if (text[0] == '>')
          return "descr: expected little-endian data, got '" + text + "'";
      }
    return "descr: expected one of u1, i1, u2, f2, i4, f4, i8, f8, got '" +
           text.substr(0, 40) + "'";
  }
  bool shape(std::vector<int64_t> &result) {
    if (!eat('('))
      return false;
    while (!eat(')')) {
      skipSpace();
      int64_t value = 0;
      size_t begin = at;
      while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
        if (__builtin_mul_overflow(value, int64_t(10), &value) ||
            __builtin_add_overflow(value, int64_t(text[at] - '0'), &value))
          return false;
        ++at;
      }
      if (at == begin || result.size() == 32)
        return false;
      result.push_back(value);
      if (!eat(',')) {
        // "(3)" would be an integer in Python.
        if (result.size() == 1 || !eat(')'))
          return false;
        break;
      }
    }
    return true;
  }

  std::string_view text;
  size_t at = 0;
};
} // namespace

Result<NumpyArray> bsmm::runtime::parseNumpy(std::string_view bytes) {
  auto byteAt = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (bytes.size() < 10 || bytes.substr(0, 6) != magic)
    return Error{"not an .npy file: expected the six bytes \\x93NUMPY and a "
                 "header"};
  size_t major = byteAt(6);
  if ((major != 1 && major != 2) || byteAt(7) != 0)
    return Error{"expected .npy version 1.0 or 2.0, got " +
                 std::to_string(major) + "." + std::to_string(byteAt(7))};
  size_t headerBegin = major == 1 ? 10 : 12;
  size_t headerSize = byteAt(8) | byteAt(9) << 8;
  if (major == 2) {
    if (bytes.size() < 12)
      return Error{"truncated .npy header"};
    headerSize |= byteAt(10) << 16 | byteAt(11) << 24;
  }
  if (headerSize > bytes.size() - headerBegin)
    return Error{"truncated .npy header: expected " +
                 std::to_string(headerSize) + " bytes, got " +
                 std::to_string(bytes.size() - headerBegin)};
  NumpyArray array;
  std::string error =
      HeaderParser(bytes.substr(headerBegin, headerSize)).parse(array);
  if (!error.empty())
    return Error{"bad .npy header: " + error};
  int64_t count = numpyCount(array);
  if (count < 0)
    return Error{"bad .npy header: expected a shape of less than 2^63 bytes"};
  std::string_view data = bytes.substr(headerBegin + headerSize);
  uint64_t expected = static_cast<uint64_t>(count) * numpyTypeBytes(array.type);
  if (data.size() != expected)
    return Error{"expected " + std::to_string(expected) +
                 " bytes of data for the shape, got " +
                 std::to_string(data.size())};
  array.data.assign(data.begin(), data.end());
  return array;
}

Result<NumpyArray> bsmm::runtime::readNumpyFile(const std::string &fileName) {
  std::ifstream file(fileName, std::ios::binary);
  if (!file)
    return Error{fileName + ": cannot open the file"};
  std::string bytes((std::istreambuf_iterator<char>(file)),
                    std::istreambuf_iterator<char>());
  if (file.bad())
    return Error{fileName + ": cannot read the file"};
  Result<NumpyArray> array = parseNumpy(bytes);
  if (!array)
    return Error{fileName + ": " + array.error()};
  return array;
}

Result<std::string> bsmm::runtime::formatNumpy(const NumpyArray &array) {
  int64_t count = numpyCount(array);
  if (count < 0 || array.shape.size() > 32)
    return Error{"expected a shape of up to 32 extents of 0 or more and less "
                 "than 2^63 bytes"};
  uint64_t expected = static_cast<uint64_t>(count) * numpyTypeBytes(array.type);
  if (array.data.size() != expected)
    return Error{"expected " + std::to_string(expected) +
                 " bytes of data for the shape, got " +
                 std::to_string(array.data.size())};
  std::string header = "{'descr': '";
  header += numpyTypeBytes(array.type) == 1 ? '|' : '<';
  header += std::string(numpyTypeName(array.type)) +
            "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < array.shape.size(); ++i)
    header += (i ? ", " : "") + std::to_string(array.shape[i]);
  if (array.shape.size() == 1)
    header += ",";
  header += "), }";
  // The data begins at a multiple of 64 bytes; the header ends with a newline.
  while ((10 + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  std::string out(magic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(array.data.begin(), array.data.end());
  return out;
}

std::string bsmm::runtime::writeNumpyFile(const std::string &fileName,
                                          const NumpyArray &array) {
  Result<std::string> bytes = formatNumpy(array);
  if (!bytes)
    return fileName + ": " + bytes.error();
  std::ofstream file(fileName, std::ios::binary | std::ios::trunc);
  file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  file.close();
  return file ? "" : fileName + ": cannot write the file";
}

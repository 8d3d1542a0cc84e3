//===- NumpyFile.h - arrays in .npy files -----------------------*- C++ -*-===//
//
// NumPy's file format, versions 1.0 and 2.0 (numpy.lib.format), C order, little
// end first. Packed types of fewer than 8 bits are stored as u1 bytes, bf16 as
// u2.
//
//===----------------------------------------------------------------------===//

#ifndef BSMM_RUNTIME_NUMPYFILE_H
#define BSMM_RUNTIME_NUMPYFILE_H

#include "bsmm/Runtime/Result.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bsmm::runtime {

enum class NumpyType : uint8_t { U1, I1, U2, F2, I4, F4, I8, F8 };

std::string_view numpyTypeName(NumpyType type); // "u1"
int64_t numpyTypeBytes(NumpyType type);

struct NumpyArray {
  NumpyType type = NumpyType::U1;
  std::vector<int64_t> shape; // empty: one value
  std::vector<uint8_t> data;  // C order, little end first
};

/// Number of values; -1 for a negative extent or more than 2^63 bytes.
int64_t numpyCount(const NumpyArray &array);

/// The array of a whole file. Damaged or unsupported contents give an error
/// that names the field.
Result<NumpyArray> parseNumpy(std::string_view bytes);
Result<NumpyArray> readNumpyFile(const std::string &fileName);

/// Contents of a file, version 1.0; an error when shape and data disagree.
Result<std::string> formatNumpy(const NumpyArray &array);
/// Empty on success, otherwise the error.
std::string writeNumpyFile(const std::string &fileName,
                           const NumpyArray &array);

} // namespace bsmm::runtime

#endif // BSMM_RUNTIME_NUMPYFILE_H

//===- NumpyFileTest.cpp - .npy files -------------------------------------===//

#include "bsmm/Runtime/NumpyFile.h"
#include "bsmm/Runtime/Random.h"
#include "gtest/gtest.h"
#include <cstdio>

using namespace bsmm::runtime;

namespace {

NumpyArray sample(NumpyType type, std::vector<int64_t> shape) {
  NumpyArray array;
  array.type = type;
  array.shape = std::move(shape);
  array.data.resize(
      static_cast<size_t>(numpyCount(array) * numpyTypeBytes(type)));
  Random random(3);
  for (uint8_t &byte : array.data)
    byte = static_cast<uint8_t>(random.next());
  return array;
}

std::string file(const std::string &header, const std::string &data,
                 char major = 1) {
  std::string out = "\x93NUMPY";
  out += major;
  out += '\0';
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  if (major == 2)
    out += std::string(2, '\0');
  return out + header + data;
}

std::string errorOf(const std::string &bytes) {
  Result<NumpyArray> array = parseNumpy(bytes);
  return array ? "" : array.error();
}

TEST(NumpyFile, RoundTripsOfAllTypesAndRanks) {
  for (int type = 0; type < 8; ++type)
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
             {}, {1}, {7}, {3, 5}, {2, 3, 4}, {0, 5}, {1, 1, 1, 1, 1}}) {
      NumpyArray array = sample(static_cast<NumpyType>(type), shape);
      Result<std::string> bytes = formatNumpy(array);
      ASSERT_TRUE(bytes) << bytes.error();
      EXPECT_EQ((bytes->size() - array.data.size()) % 64, 0u);
      Result<NumpyArray> again = parseNumpy(*bytes);
      ASSERT_TRUE(again) << again.error();
      EXPECT_EQ(again->type, array.type);
      EXPECT_EQ(again->shape, array.shape);
      EXPECT_EQ(again->data, array.data);
    }
}

// What numpy.save writes, byte for byte.
TEST(NumpyFile, HeaderAsNumpyWritesIt) {
  NumpyArray array = sample(NumpyType::F4, {2, 3});
  std::string expected =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expected += std::string(117 - expected.size(), ' ') + "\n";
  std::string data(array.data.begin(), array.data.end());
  EXPECT_EQ(*formatNumpy(array), file(expected, data));
}

TEST(NumpyFile, FilesOnDisk) {
  std::string name = testing::TempDir() + "bsmm_numpy_test.npy";
  NumpyArray array = sample(NumpyType::U2, {4, 4});
  ASSERT_EQ(writeNumpyFile(name, array), "");
  Result<NumpyArray> again = readNumpyFile(name);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->data, array.data);
  std::remove(name.c_str());
  Result<NumpyArray> absent = readNumpyFile(name);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error(), name + ": cannot open the file");
}

TEST(NumpyFile, VersionTwoAndSpellings) {
  Result<NumpyArray> array = parseNumpy(file(
      "{\"shape\":(2,),\"descr\":\"|u1\",\"fortran_order\":False}\n", "ab", 2));
  ASSERT_TRUE(array) << array.error();
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2}));
}

TEST(NumpyFile, ErrorsNameTheField) {
  const std::string order = "'fortran_order': False, ";
  EXPECT_EQ(errorOf("PK\x03\x04 a zip file").substr(0, 15), "not an .npy fil");
  EXPECT_EQ(errorOf(file("{}", "", 3)),
            "expected .npy version 1.0 or 2.0, got 3.0");
  EXPECT_EQ(errorOf(file("{}", "")), "bad .npy header: expected descr, "
                                     "fortran_order and shape");
  EXPECT_EQ(errorOf(file("{'descr': '>f4', " + order + "'shape': (1,)}", "")),
            "bad .npy header: descr: expected little-endian data, got '>f4'");
  EXPECT_EQ(errorOf(file("{'descr': '<c8', " + order + "'shape': (1,)}", "")),
            "bad .npy header: descr: expected one of u1, i1, u2, f2, i4, f4, "
            "i8, f8, got '<c8'");
  EXPECT_EQ(errorOf(file("{'descr': [('a', '<f4')], " + order + "}", "")),
            "bad .npy header: descr: expected a quoted type; structured types "
            "are not supported");
  EXPECT_EQ(errorOf(file("{'descr': '<f4', 'fortran_order': True, "
                         "'shape': (1,)}",
                         "")),
            "bad .npy header: expected C order, got Fortran order");
  for (const char *shape : {"(-1,)", "(3)", "3", "(1,,)", "(1, 2",
                            "(99999999999999999999,)", "(1.0,)"})
    EXPECT_NE(errorOf(file(
                  "{'descr': '<f4', " + order + "'shape': " + shape + "}", "")),
              "")
        << shape;
  EXPECT_EQ(errorOf(file("{'descr': '<f8', " + order +
                             "'shape': (4294967296, 4294967296)}",
                         "")),
            "bad .npy header: expected a shape of less than 2^63 bytes");
  EXPECT_EQ(
      errorOf(file("{'descr': '<f4', " + order + "'shape': (2,)}", "abc")),
      "expected 8 bytes of data for the shape, got 3");
  EXPECT_EQ(errorOf(file("{'descr': '<f4', " + order + "'shape': (2,)}",
                         "123456789")),
            "expected 8 bytes of data for the shape, got 9");
  NumpyArray wrong = sample(NumpyType::F4, {2});
  wrong.shape = {3};
  EXPECT_EQ(formatNumpy(wrong).error(),
            "expected 12 bytes of data for the shape, got 8");
}

TEST(NumpyFile, DamageNeverCrashes) {
  std::string good = *formatNumpy(sample(NumpyType::I4, {3, 4}));
  for (size_t size = 0; size < good.size(); ++size)
    ASSERT_NE(errorOf(good.substr(0, size)), "") << size;
  Random random(4);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = good;
    damaged[random.below(80)] = static_cast<char>(random.below(256));
    Result<NumpyArray> array = parseNumpy(damaged);
    if (array) {
      ASSERT_EQ(static_cast<int64_t>(array->data.size()),
                numpyCount(*array) * numpyTypeBytes(array->type));
    }
  }
}

} // namespace

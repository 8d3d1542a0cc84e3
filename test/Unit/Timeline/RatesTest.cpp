//===- RatesTest.cpp ------------------------------------------------------===//

#include "bsmm/Timeline/Rates.h"

#include "gtest/gtest.h"

#include <set>

using namespace bsmm::timeline;

TEST(Rates, TableIsWholeAndInOrder) {
  std::set<std::string_view> names;
  for (size_t k = 0; k < RateCount; ++k) {
    const RateRow &row = rateTable()[k];
    EXPECT_EQ(static_cast<size_t>(row.id), k);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    for (const Rate &rate : {row.sm90, row.sm100}) {
      EXPECT_FALSE(rate.source.empty()) << row.name;
      EXPECT_GE(rate.value, 0);
    }
    EXPECT_NE(formatRateTable().find(std::string(row.name)), std::string::npos);
  }
}

TEST(Rates, Targets) {
  Rates rates;
  std::string error;
  ASSERT_TRUE(ratesFor("sm_90a", rates, error));
  EXPECT_EQ(rates[RateId::Sms], 132);
  EXPECT_EQ(rates[RateId::TensorBytes], 4096);
  for (const char *target : {"sm_100a", "sm_100f", "sm_103a"}) {
    ASSERT_TRUE(ratesFor(target, rates, error));
    EXPECT_EQ(rates[RateId::TensorBytes], 8192);
  }
  for (const char *target : {"sm_120a", "sm_80", "", "sm_901"}) {
    EXPECT_FALSE(ratesFor(target, rates, error));
    EXPECT_NE(error.find("expected sm_90a"), std::string::npos);
  }
}

TEST(Rates, Set) {
  Rates rates;
  std::string error;
  ASSERT_TRUE(ratesFor("sm_90a", rates, error));
  EXPECT_TRUE(setRate(rates, "clock", 1.5, error));
  EXPECT_EQ(rates.cycles(100), 150);
  EXPECT_EQ(rates.bytesPerCycle(300), 200);
  EXPECT_TRUE(setRate(rates, "launch", 0, error));
  EXPECT_FALSE(setRate(rates, "clock", 0, error));
  EXPECT_EQ(error, "expected a number from 0.001 to 1e+09 for the rate "
                   "'clock', got 0");
  EXPECT_FALSE(setRate(rates, "l2_bandwidth", 1e-300, error));
  EXPECT_FALSE(setRate(rates, "sms", 1.5, error));
  EXPECT_FALSE(setRate(rates, "sms", 1e6, error));
  EXPECT_FALSE(setRate(rates, "dram_bandwidth", -1, error));
  EXPECT_FALSE(setRate(rates, "dram_bandwidth", 0.0 / 0.0, error));
  EXPECT_FALSE(setRate(rates, "fill_share", 2, error));
  EXPECT_FALSE(setRate(rates, "speed", 1, error));
  EXPECT_EQ(error, "there is no rate 'speed'; 'bsmm-emu rates' lists them");
  EXPECT_EQ(rates[RateId::Clock], 1.5);
}

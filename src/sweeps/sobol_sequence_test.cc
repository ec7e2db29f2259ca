#include "sweeps/sobol_sequence.h"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(SobolSequence, EveryIntervalOfEveryDimensionHasItsPoint) {
  for (std::size_t d = 0; d < kMostSobolDimensions; ++d) {
    for (const std::uint32_t bits : {4U, 8U}) {
      std::set<std::uint32_t> plain;
      std::set<std::uint32_t> scrambled;
      for (std::uint32_t i = 0; i < (1U << bits); ++i) {
        plain.insert(sobol_bits(d, i) >> (32 - bits));
        scrambled.insert(owen_scramble(sobol_bits(d, i), d * 7 + 1) >> (32 - bits));
      }
      EXPECT_EQ(plain.size(), 1U << bits) << "dimension " << d;
      EXPECT_EQ(scrambled.size(), 1U << bits) << "dimension " << d;
    }
  }
}

TEST(SobolSequence, TheFirstTwoDimensionsFillEveryBoxOfTheSquare) {
  for (std::uint32_t wide = 0; wide <= 6; ++wide) {
    std::set<std::uint32_t> boxes;
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uint32_t x = wide == 0 ? 0 : sobol_bits(0, i) >> (32 - wide);
      const std::uint32_t y = wide == 6 ? 0 : sobol_bits(1, i) >> (32 - (6 - wide));
      boxes.insert(x << 6 | y);
    }
    EXPECT_EQ(boxes.size(), 64U) << "boxes of width 2^-" << wide;
  }
}

// No pair of dimensions lies on a few lines.
TEST(SobolSequence, PairsOfDimensionsSpread) {
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t b = a + 1; b < 64; ++b) {
      std::set<std::uint32_t> boxes;
      for (std::uint32_t i = 0; i < 1024; ++i) boxes.insert((sobol_bits(a, i) >> 28) << 4 | sobol_bits(b, i) >> 28);
      EXPECT_GE(boxes.size(), b < 20 ? 128U : 64U) << a << " and " << b;
    }
  }
}

TEST(SobolSequence, AnotherSeedGivesOtherPoints) {
  std::uint32_t same = 0;
  for (std::uint32_t i = 0; i < 100; ++i) same += owen_scramble(i << 20, 1) == owen_scramble(i << 20, 2) ? 1 : 0;
  EXPECT_LT(same, 3U);
}

}  // namespace
}  // namespace roost

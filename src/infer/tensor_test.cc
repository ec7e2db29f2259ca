#include "infer/tensor.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(DataTypes, AreNamedAsTheProtocolDoes) {
  EXPECT_EQ(data_type_name(DataType::kFp32), "FP32");
  EXPECT_EQ(data_type_from_name("BYTES"), DataType::kBytes);
  EXPECT_EQ(data_type_from_name("FP8"), std::nullopt);
  EXPECT_EQ(element_size(DataType::kInt64), 8U);
}

TEST(ElementCount, RefusesWhatCannotBe) {
  EXPECT_EQ(element_count(std::vector<std::int64_t>{2, 3, 0}), 0U);
  EXPECT_EQ(element_count(std::vector<std::int64_t>{}), 1U);
  EXPECT_FALSE(element_count(std::vector<std::int64_t>{2, -1}));
  EXPECT_FALSE(element_count(std::vector<std::int64_t>{1LL << 40, 1LL << 40}));
}

}  // namespace
}  // namespace roost

#include "domain/secret_variables.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/digest.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

class SecretVariables : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::temp_directory_path() / ("variables-" + random_hex(6));
  const Sealer sealer_ = *(fs::create_directories(folder_), Sealer::open_or_make(folder_ / "key"));
};

TEST_F(SecretVariables, AreSealedByTheirNamesAndOnDemand) {
  Json variables = {{"HF_TOKEN", "hf_1234567"}, {"LR", "0.1"}, {"MINE", "something"}};
  seal_variables(variables, sealer_, {"MINE"});
  EXPECT_TRUE(is_sealed(text_at(variables, "HF_TOKEN")));
  EXPECT_TRUE(is_sealed(text_at(variables, "MINE")));
  EXPECT_EQ(text_at(variables, "LR"), "0.1");
  const Json once = variables;
  seal_variables(variables, sealer_);
  EXPECT_EQ(variables, once) << "what is sealed stays as it is";
  const auto opened = open_variables(variables, sealer_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->secret, Json({{"HF_TOKEN", "hf_1234567"}, {"MINE", "something"}}));
  EXPECT_EQ(opened->plain, Json({{"LR", "0.1"}}));
  mask_secret_values(variables);
  EXPECT_EQ(variables, Json({{"HF_TOKEN", "***"}, {"LR", "0.1"}, {"MINE", "***"}}));
}

TEST_F(SecretVariables, OneThatWasMovedToAnotherNameIsNotOpened) {
  Json variables = {{"HF_TOKEN", "hf_1234567"}};
  seal_variables(variables, sealer_);
  const auto opened = open_variables({{"OTHER", variables["HF_TOKEN"]}}, sealer_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("OTHER"), std::string::npos);
}

TEST_F(SecretVariables, MasksAndSealedTextsAreNoValues) {
  EXPECT_TRUE(check_values_are_given(Json{{"HF_TOKEN", "x"}, {"STARS", "***"}}));
  EXPECT_FALSE(check_values_are_given(Json{{"HF_TOKEN", "***"}}));
  EXPECT_FALSE(check_values_are_given(Json{{"ANY", "roost-sealed:abc"}}));
}

}  // namespace
}  // namespace roost

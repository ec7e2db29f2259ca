#include "domain/run_params.h"

#include <gtest/gtest.h>

#include <map>

namespace roost {
namespace {

using Values = std::map<std::string, std::string>;

Values values_of(const Json& spec) {
  Values values;
  for (const auto& param : run_params(spec)) values[param.name] = param.value;
  return values;
}

TEST(RunParams, ReadsEveryWayToWriteAnArgument) {
  const Json spec = {{"arguments", {"data.csv", "--lr", "1e-3", "--opt=adam", "-n", "3", "--shift", "-0.5", "--amp",
                                    "--name=a=b", "--lr", "0.01", "--", "--not", "this"}}};
  EXPECT_EQ(values_of(spec), (Values{{"lr", "0.01"}, {"opt", "adam"}, {"n", "3"}, {"shift", "-0.5"}, {"amp", "true"},
                                     {"name", "a=b"}}));
}

TEST(RunParams, KnowsNumbers) {
  std::map<std::string, std::optional<double>> numbers;
  for (const auto& param : run_params({{"arguments", {"--a", "1e-3", "--b", "1-2", "--c", "inf", "--d", "+4"}}})) {
    numbers[param.name] = param.number;
  }
  EXPECT_EQ(numbers, (std::map<std::string, std::optional<double>>{{"a", 1e-3}, {"b", {}}, {"c", {}}, {"d", 4}}));
}

TEST(RunParams, ReadsSimpleCommandsOnly) {
  EXPECT_EQ(values_of({{"command", R"(python -u train.py --lr 0.1 --note "two words" --x='a b')"}}),
            (Values{{"lr", "0.1"}, {"note", "two words"}, {"x", "a b"}}));
  EXPECT_EQ(values_of({{"command", "./train --lr 0.1"}}), (Values{{"lr", "0.1"}}));
  for (const char* command : {"a --lr 1 | tee x", "a --lr 1; b", "a --lr 1 > x", "a --lr 'open", "", "--"}) {
    EXPECT_TRUE(values_of({{"command", command}}).empty()) << command;
  }
  EXPECT_TRUE(values_of(Json()).empty());
}

TEST(RunParams, KeepsWithinBounds) {
  Json words = Json::array();
  for (int i = 0; i < 500; ++i) words.push_back("--p" + std::to_string(i));
  EXPECT_EQ(run_params({{"arguments", words}}).size(), 200U);
  EXPECT_TRUE(run_params({{"arguments", {"--" + std::string(101, 'x')}}}).empty());
  EXPECT_TRUE(run_params({{"arguments", {"--x", std::string(1001, 'x')}}}).empty());
}

}  // namespace
}  // namespace roost

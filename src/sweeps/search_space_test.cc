#include "sweeps/search_space.h"

#include <cmath>
#include <set>

#include "sweeps/configurations.h"
#include "sweeps/dimension_values.h"
#include "sweeps/sampler_fixture.h"

namespace roost {
namespace {

constexpr const char* kTree = R"([
  {"name": "optimizer", "expression": "choice", "values": ["sgd", "adam", "lion"]},
  {"name": "momentum", "expression": "choice", "values": [0.8, 0.9], "when": {"name": "optimizer", "values": ["sgd"]}},
  {"name": "nesterov", "expression": "choice", "values": [true, false], "when": {"name": "optimizer", "values": ["sgd"]}},
  {"name": "beta", "expression": "choice", "values": [1, 2, 3], "when": {"name": "optimizer", "values": ["adam", "lion"]}},
  {"name": "layers", "expression": "quniform", "values": [1, 3, 1]}])";

std::string refusal(const std::string& json) {
  const auto parsed = parse_search_space(Json::parse(json));
  EXPECT_FALSE(parsed) << json;
  return parsed ? "" : parsed.error().message;
}

TEST(SearchSpace, AValueComesBackFromItsPlaceInTheInterval) {
  for (const Dimension& dimension : space_of(kTen).dimensions) {
    double before = -1;
    for (double unit = 0.0005; unit < 1; unit += 0.001) {
      const Json value = value_at(dimension, unit);
      const auto back = unit_of(dimension, value);
      ASSERT_TRUE(back) << dimension.name << " " << value;
      if (is_discrete(dimension)) {
        EXPECT_EQ(value_at(dimension, *back), value) << dimension.name;
        const Cell cell = cell_at(dimension, unit);
        EXPECT_LE(cell.from, unit + 1e-12) << dimension.name << " " << value;
        EXPECT_GE(cell.to, unit - 1e-12) << dimension.name << " " << value;
        EXPECT_NEAR(*back, (cell.from + cell.to) / 2, 1e-12) << dimension.name;
        EXPECT_EQ(*back, cell_middle(dimension, unit)) << dimension.name;
      } else {
        EXPECT_NEAR(*back, unit, 1e-12) << dimension.name;
      }
      EXPECT_GE(*back, before - 1e-12) << dimension.name;
      before = *back;
    }
    EXPECT_TRUE(unit_of(dimension, value_at(dimension, 0))) << dimension.name;
    EXPECT_TRUE(unit_of(dimension, value_at(dimension, 1))) << dimension.name;
    EXPECT_FALSE(unit_of(dimension, Json("no such value"))) << dimension.name;
    EXPECT_FALSE(unit_of(dimension, Json())) << dimension.name;
  }
}

TEST(SearchSpace, ValuesLookAsPeopleWriteThem) {
  const SearchSpace space = space_of(kTen);
  EXPECT_EQ(value_number(space.dimensions[4], 3).dump(), "0.3");
  EXPECT_EQ(value_number(space.dimensions[2], 3).dump(), "3");
  EXPECT_EQ(value_at(space.dimensions[6], 0.999).dump(), "148");
  EXPECT_TRUE(is_categorical(space.dimensions[0]));
  EXPECT_FALSE(is_categorical(space.dimensions[1])) << "rising numbers have an order";
}

TEST(SearchSpace, ConfigurationsOfATreeAreNumberedWithoutHoles) {
  const SearchSpace space = space_of(kTree);
  ASSERT_EQ(space.size(), (4U + 3 + 3) * 3);
  const ConfigurationNumbers numbers(space);
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Json parameters = numbers.at(i);
    EXPECT_EQ(numbers.of(parameters), i) << parameters;
    EXPECT_EQ(parameters.contains("momentum"), parameters["optimizer"] == "sgd");
    EXPECT_EQ(parameters.contains("beta"), parameters["optimizer"] != "sgd");
    seen.insert(parameters.dump());
  }
  EXPECT_EQ(seen.size(), 30U);
  EXPECT_FALSE(numbers.of({{"optimizer", "adam"}, {"layers", 2}})) << "beta is missing";
  EXPECT_FALSE(numbers.of({{"optimizer", "adam"}, {"beta", 9}, {"layers", 2}}));
  EXPECT_FALSE(numbers.of(Json::array()));
  EXPECT_FALSE(space_of(kTen).size());
}

TEST(SearchSpace, WhatIsUsedCanBecomeFree) {
  const SearchSpace space = space_of(R"([{"name": "n", "expression": "randint", "values": [3]}])");
  UsedConfigurations used(space);
  used.add({{"n", 1}});
  used.add({{"n", 1}});
  used.add({{"n", 2}});
  EXPECT_EQ(used.next_free(1), Json({{"n", 0}}));
  used.remove({{"n", 1}});
  EXPECT_TRUE(used.has({{"n", 1}}));
  used.remove({{"n", 1}});
  EXPECT_EQ(used.next_free(4), Json({{"n", 1}}));
  used.add({{"n", 0}});
  used.add({{"n", 1}});
  EXPECT_TRUE(used.all());
  EXPECT_FALSE(used.next_free(0));
}

TEST(SearchSpace, UnitsOfParametersThatAreNotOfTheSpace) {
  const SearchSpace space = space_of(kTree);
  EXPECT_FALSE(units_of(space, {{"optimizer", "sgd"}}));
  EXPECT_FALSE(units_of(space, Json(3)));
  const auto units = units_of(space, {{"optimizer", "adam"}, {"beta", 3}, {"layers", 2}});
  ASSERT_TRUE(units);
  EXPECT_TRUE(std::isnan((*units)[1]));
  EXPECT_NEAR((*units)[4], 0.5, 1e-12);
}

TEST(SearchSpace, RefusalsSayWhichParameterAndWhatToChange) {
  EXPECT_NE(refusal("[]").find("at least one parameter"), std::string::npos);
  EXPECT_NE(refusal(R"([{"name": "lr", "expression": "choice", "values": []}])").find("\"lr\": choice needs at least one"),
            std::string::npos);
  EXPECT_NE(refusal(R"([{"name": "lr", "expression": "uniform", "values": [1, 0]}])").find("min must be the smaller one"),
            std::string::npos);
  EXPECT_NE(refusal(R"([{"name": "lr", "expression": "loguniform", "values": [1, 1000]}])").find("natural logarithms"),
            std::string::npos);
  EXPECT_NE(refusal(R"([{"name": "lr", "expression": "gaussian", "values": [1, 2]}])").find("no expression is called"),
            std::string::npos);
  EXPECT_NE(refusal(R"([{"name": "lr", "expression": "quniform", "values": [0, 1, 0]}])").find("greater than 0"),
            std::string::npos);
  EXPECT_NE(refusal(R"([{"name": "a", "expression": "uniform", "values": [0, 1]},
                        {"name": "b", "expression": "uniform", "values": [0, 1], "when": {"name": "a", "values": [1]}}])")
                .find("it must be a choice"),
            std::string::npos);
}

}  // namespace
}  // namespace roost

#include "records/param_records.h"

#include <gtest/gtest.h>

#include "mlflow/label_names.h"
#include "records/test_database.h"

namespace roost {
namespace {

class ParamRecords : public DatabaseFixture {
 protected:
  Status set(const Run& run, std::string_view name, std::string_view value) {
    Status set;
    write([&](Tx& tx) -> Status {
      set = set_param(tx, run, name, value);
      return {};
    });
    return set;
  }
  Status log(const Run& run, const Params& params) {
    Status logged;
    write([&](Tx& tx) -> Status {
      logged = log_params(tx, run, params);
      return {};
    });
    return logged;
  }
  Json params(const Run& run) {
    Json params;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(params, params_of_run(tx, run.seq));
      return {};
    });
    return params;
  }
};

TEST_F(ParamRecords, TheLastValueThatIsSetCounts) {
  const Run run = add_run(0, 1);
  EXPECT_TRUE(set(run, "lr", "0.1"));
  EXPECT_TRUE(set(run, "opt.name", "adam"));
  EXPECT_TRUE(set(run, "lr", "0.2"));
  EXPECT_EQ(params(run), (Json{{"lr", "0.2"}, {"opt.name", "adam"}}));
}

TEST_F(ParamRecords, WhatIsLoggedStays) {
  const Run run = add_run(0, 1);
  EXPECT_TRUE(set(run, "lr", "0.1"));
  EXPECT_TRUE(log(run, {{"lr", "0.2"}, {"epochs", "3"}, {"epochs", "3"}})) << "what was only set gives way";
  EXPECT_FALSE(log(run, {{"lr", "0.3"}}));
  EXPECT_FALSE(log(run, {{"layers", "1"}, {"layers", "2"}}));
  EXPECT_FALSE(set(run, "lr", "0.3"));
  EXPECT_TRUE(set(run, "lr", "0.2"));
  EXPECT_FALSE(log(run, {{"lr", "0.3"}})) << "and is as logged as before";
  EXPECT_EQ(params(run), (Json{{"lr", "0.2"}, {"epochs", "3"}, {"layers", "1"}}));
}

TEST_F(ParamRecords, LongValuesAreCutBetweenCharacters) {
  const Run run = add_run(0, 1);
  const std::string value(mlflow::kParamLimit - 1, 'a');
  EXPECT_TRUE(set(run, "set", value + "\xC3\xA9" + "b"));
  EXPECT_TRUE(log(run, {{"logged", value + "\xC3\xA9" + "b"}}));
  EXPECT_TRUE(set(run, "logged", value + "\xC3\xA9" + "c"));
  EXPECT_EQ(params(run), (Json{{"set", value + "\xC3\xA9"}, {"logged", value + "\xC3\xA9"}}));
}

TEST_F(ParamRecords, RefusesBadNamesAndTooMany) {
  const Run run = add_run(0, 1);
  EXPECT_FALSE(set(run, "", "1"));
  EXPECT_FALSE(set(run, std::string(mlflow::kNameLimit + 1, 'n'), "1"));
  EXPECT_FALSE(set(run, "bad\xFF", "1"));
  EXPECT_FALSE(set(run, "bad", "\xFF"));
  std::string longest;
  for (std::size_t i = 0; i < mlflow::kNameLimit; ++i) longest += "\xC3\xA9";
  EXPECT_TRUE(set(run, longest, "1"));
  Params many;
  for (int i = 1; i < 10'000; ++i) many.emplace_back(std::to_string(i), "1");
  ASSERT_TRUE(log(run, many));
  EXPECT_FALSE(set(run, "one more", "1"));
  EXPECT_FALSE(log(run, {{"one more", "1"}}));
  EXPECT_TRUE(set(run, longest, "2"));
  EXPECT_TRUE(log(run, {{longest, "3"}}));
}

}  // namespace
}  // namespace roost

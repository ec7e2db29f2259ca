#include "records/set_param.h"

#include <gtest/gtest.h>

#include "records/test_database.h"

namespace roost {
namespace {

class SetParam : public DatabaseFixture {
 protected:
  Status set(const Run& run, std::string_view name, std::string_view value) {
    Status set;
    write([&](Tx& tx) -> Status {
      set = set_param(tx, run, name, value);
      return {};
    });
    return set;
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

TEST_F(SetParam, TheLastValueCounts) {
  const Run run = add_run(0, 1);
  EXPECT_TRUE(set(run, "lr", "0.1"));
  EXPECT_TRUE(set(run, "opt.name", "adam"));
  EXPECT_TRUE(set(run, "lr", "0.2"));
  EXPECT_EQ(params(run), (Json{{"lr", "0.2"}, {"opt.name", "adam"}}));
}

TEST_F(SetParam, LongValuesAreCutBetweenCharacters) {
  const Run run = add_run(0, 1);
  std::string value(kMaxParamValue - 1, 'a');
  EXPECT_TRUE(set(run, "note", value + "\xC3\xA9"));
  EXPECT_EQ(params(run)["note"], value);
}

TEST_F(SetParam, RefusesBadNamesAndTooMany) {
  const Run run = add_run(0, 1);
  EXPECT_FALSE(set(run, "", "1"));
  EXPECT_FALSE(set(run, std::string(kMaxParamName + 1, 'n'), "1"));
  EXPECT_FALSE(set(run, "bad\xFF", "1"));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(set(run, std::to_string(i), "1"));
  EXPECT_FALSE(set(run, "one more", "1"));
  EXPECT_TRUE(set(run, "7", "2"));
}

}  // namespace
}  // namespace roost

#include "records/submission_records.h"

#include "records/test_database.h"

namespace roost {
namespace {

constexpr Micros kHour = 3600 * kSecond;

class SubmissionRecords : public DatabaseFixture {
 protected:
  Result<std::optional<std::string>> find(const SubmissionKey& key, Micros now = 2) {
    Result<std::optional<std::string>> found;
    write([&](Tx& tx) -> Status {
      found = find_submission(tx, key, now);
      return {};
    });
    return found;
  }
  void insert(const SubmissionKey& key, const Run& run, Micros now = 1) {
    write([&](Tx& tx) { return insert_submission(tx, key, run, now); });
  }
};

TEST_F(SubmissionRecords, TheSameSubmitFindsItsRunAndAnotherIsRefused) {
  const Run run = add_run();
  const SubmissionKey key{"default", "token/1", "k", "body"};
  EXPECT_FALSE(*find(key));
  insert(key, run);
  EXPECT_EQ(*find(key), run.id);
  EXPECT_FALSE(find({"default", "token/1", "k", "another body"}));
  EXPECT_FALSE(*find({"default", "token/2", "k", "body"})) << "of another caller";
  EXPECT_FALSE(*find({"elsewhere", "token/1", "k", "body"})) << "in another workspace";
}

TEST_F(SubmissionRecords, AKeyIsForgottenAfterADay) {
  const Run run = add_run();
  const SubmissionKey key{"default", "token/1", "k", "body"};
  insert(key, run, kHour);
  EXPECT_EQ(*find(key, 24 * kHour), run.id);
  EXPECT_FALSE(*find(key, 26 * kHour));
  insert(key, run, 26 * kHour);
  EXPECT_EQ(*find(key, 27 * kHour), run.id);
}

TEST_F(SubmissionRecords, KeysArePrintableAndShort) {
  EXPECT_TRUE(check_submission_key("5f3a-1"));
  for (const std::string& bad : {std::string(), std::string(201, 'x'), std::string("a b"), std::string("a\x7f")}) {
    EXPECT_FALSE(check_submission_key(bad)) << bad;
  }
}

}  // namespace
}  // namespace roost

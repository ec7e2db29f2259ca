#include "runner/attempt_keep.h"

#include "runner/test_attempt.h"

namespace roost {
namespace {

class AttemptKeepTest : public AttemptTest {
 protected:
  void SetUp() override {
    AttemptTest::SetUp();
    attempt_ = std::make_unique<Attempt>(settings_, clock_, order());
    ASSERT_TRUE(make_folders(attempt_->code() / "outputs"));
    keep_ = std::make_unique<AttemptKeep>(*attempt_);
  }
  void TearDown() override {
    keep_.reset();
    AttemptTest::TearDown();
  }
  void put(const std::string& name, const std::string& text) { write(attempt_->code() / name, text); }

  std::unique_ptr<Attempt> attempt_;
  std::unique_ptr<AttemptKeep> keep_;
  Outcome outcome_;
};

TEST_F(AttemptKeepTest, AllOutputsAreCollected) {
  EXPECT_FALSE(keep_->has_outputs());
  put("outputs/a.txt", "a");
  put("outputs/known.txt", "known");
  blob("known");
  EXPECT_TRUE(keep_->has_outputs());
  ASSERT_TRUE(keep_->collect(outcome_));
  EXPECT_TRUE(has_blob("a"));
  EXPECT_EQ(outcome_.outcome, "exited");
  EXPECT_EQ(outcome_.outputs, (Json{{{"path", "outputs/a.txt"}, {"digest", sha256_hex("a")}, {"size", 1}},
                                    {{"path", "outputs/known.txt"}, {"digest", sha256_hex("known")}, {"size", 5}}}));
}

TEST_F(AttemptKeepTest, ALostOutputFailsARunThatWentWell) {
  put("outputs/a.txt", "a");
  tell("blobs", std::deque<ErrorCode>(8, ErrorCode::kTooLarge));
  ASSERT_TRUE(keep_->collect(outcome_));
  EXPECT_EQ(outcome_.outcome, "outputs_failed");
  EXPECT_EQ(outcome_.message, "an output could not be kept: outputs/a.txt: so it was told");

  Outcome bad;
  bad.outcome = "launch_failed";
  tell("blobs", std::deque<ErrorCode>(8, ErrorCode::kTooLarge));
  ASSERT_TRUE(keep_->collect(bad));
  EXPECT_EQ(bad.outcome, "launch_failed") << "there is a reason already";
  EXPECT_FALSE(bad.notices.empty());
}

TEST_F(AttemptKeepTest, AServerWithoutRoomIsWaitedForUntilNobodyWantsTo) {
  put("outputs/a.txt", "a");
  attempt_->orders.cancel(0);
  tell("blobs", std::deque<ErrorCode>(2, ErrorCode::kResourceExhausted));
  ASSERT_TRUE(keep_->collect(outcome_));
  EXPECT_EQ(outcome_.message, "no space for outputs/a.txt (1 B)");
}

TEST_F(AttemptKeepTest, GivenUpIsTheEnd) {
  put("outputs/a.txt", "a");
  tell("blobs", {ErrorCode::kGivenUp});
  EXPECT_FALSE(keep_->collect(outcome_));
  EXPECT_TRUE(attempt_->orders.is_abandoned());
}

TEST_F(AttemptKeepTest, WhatMlflowLeftIsSaid) {
  attempt_->launched = timespec{1, 0};
  put("mlruns/0/loss", "1");
  ASSERT_TRUE(keep_->collect(outcome_));
  EXPECT_NE(to_text(outcome_.notices.json()).find("MLflow"), std::string::npos);
}

TEST_F(AttemptKeepTest, ForTheNextAttemptFoldersAreToldAsEnded) {
  put("outputs/deep/a.txt", "a");
  keep_->save_outputs();
  const auto told = calls("outputs");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0]["ended"], true);
  EXPECT_EQ(told[0]["folders"][0]["folder"], "outputs/deep");
  EXPECT_EQ(told[0]["folders"][0]["files"][0]["path"], "outputs/deep/a.txt");
}

TEST_F(AttemptKeepTest, WhatIsKeptMeanwhileCostsAShortRunNothing) {
  keep_->begin();
  clock_.pass(AttemptKeep::kBeforeKept);
  keep_->go_on();
  keep_->stop();
  clock_.pass(1);
  keep_->go_on();  // from here on there is one who keeps
  keep_->stop();
  EXPECT_TRUE(keep_->removed(Json::array()).empty());
  EXPECT_TRUE(told().empty());
}

TEST_F(AttemptKeepTest, PatienceForSpaceBeginsWithTheFirstRefusal) {
  SpaceWait space(clock_, AttemptKeep::kForSpace, [] { return false; });
  clock_.pass(2 * AttemptKeep::kForSpace);
  EXPECT_FALSE(space.gives_up());
  clock_.pass(AttemptKeep::kForSpace - 1);
  EXPECT_FALSE(space.gives_up());
  clock_.pass(1);
  EXPECT_TRUE(space.gives_up());
}

}  // namespace
}  // namespace roost

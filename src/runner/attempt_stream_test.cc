#include "runner/attempt_stream.h"

#include "runner/test_attempt.h"

namespace roost {
namespace {

class AttemptStreamTest : public AttemptTest {
 protected:
  void make(const Json& more = Json::object()) {
    attempt_ = std::make_unique<Attempt>(settings_, clock_, order(more));
    ASSERT_TRUE(make_folders(attempt_->folder));
    attempt_->streams.add_file("log", attempt_->folder / "rank-0.log");
    stream_ = std::make_unique<AttemptStream>(*attempt_);
    attempt_->started = clock_.steady();
    stream_->begin();
  }
  void print(const std::string& text) { std::ofstream(attempt_->folder / "rank-0.log", std::ios::app) << text; }

  std::unique_ptr<Attempt> attempt_;
  std::unique_ptr<AttemptStream> stream_;
};

TEST_F(AttemptStreamTest, AStartIsToldAfterAMoment) {
  make();
  stream_->go_on();
  EXPECT_TRUE(told().empty()) << "one that is over by then tells of it with its end";
  EXPECT_EQ(stream_->until_due(), AttemptStream::kBeforeTold);
  clock_.pass(AttemptStream::kBeforeTold);
  EXPECT_EQ(stream_->until_due(), 0);
  stream_->go_on();
  EXPECT_EQ(calls("started"), (std::vector<Json>{{{"node_rank", 0}, {"started_ago_us", AttemptStream::kBeforeTold}}}));
  clock_.pass(AttemptStream::kLook);
  stream_->go_on();
  EXPECT_EQ(told().size(), 1U) << "once";
}

TEST_F(AttemptStreamTest, OutputIsSentAtOnceWithTheStart) {
  make();
  print("one");
  EXPECT_TRUE(stream_->wants_output());
  stream_->note_output();
  EXPECT_FALSE(stream_->wants_output());
  stream_->go_on();
  EXPECT_EQ(told(), std::vector<std::string>{"started"});
  EXPECT_EQ(stream("log"), "one");
  EXPECT_EQ(attempt_->bytes_shipped, 3);

  print("two");
  stream_->note_output();
  stream_->go_on();
  EXPECT_EQ(stream("log"), "one") << "in pieces";
  clock_.pass(AttemptStream::kBetweenShips);
  stream_->go_on();
  EXPECT_EQ(stream("log"), "onetwo");
}

TEST_F(AttemptStreamTest, WithoutOutputItLooksNowAndThen) {
  make();
  clock_.pass(AttemptStream::kBeforeTold);
  stream_->go_on();
  print("late");
  clock_.pass(AttemptStream::kLook - 1);
  stream_->go_on();
  EXPECT_EQ(stream("log"), "");
  clock_.pass(1);
  stream_->go_on();
  EXPECT_EQ(stream("log"), "late");
}

TEST_F(AttemptStreamTest, AServerInTroubleIsLeftAlongForAWhile) {
  make();
  tell("started", {ErrorCode::kInternal});
  tell("streams", {ErrorCode::kInternal});
  print("one");
  stream_->note_output();
  stream_->go_on();
  EXPECT_EQ(calls("streams").size(), 1U);
  stream_->note_output();
  clock_.pass(AttemptStream::kAfterFailure - 1);
  stream_->go_on();
  EXPECT_EQ(calls("streams").size(), 1U);
  EXPECT_EQ(calls("started").size(), 1U);
  clock_.pass(1);
  stream_->go_on();
  EXPECT_EQ(stream("log"), "one");
  ASSERT_EQ(calls("started").size(), 2U);
  EXPECT_EQ(calls("started").back()["started_ago_us"], AttemptStream::kAfterFailure) << "as long ago as it is by then";
}

TEST_F(AttemptStreamTest, OtherNodesHearOfAFailureAtOnceAndOnce) {
  make({{"gang", gang(2, 1)}});
  attempt_->failure = {{"node_rank", 0}, {"rank", 0}};
  stream_->go_on();
  EXPECT_EQ(calls("failed").size(), 1U);
  clock_.pass(kSecond);
  stream_->go_on();
  EXPECT_EQ(calls("failed").size(), 1U);

  make();
  attempt_->failure = {{"node_rank", 0}, {"rank", 0}};
  clock_.pass(kSecond);
  stream_->go_on();
  EXPECT_EQ(calls("failed").size(), 1U) << "there is no other node";
}

TEST_F(AttemptStreamTest, GivenUpAbandons) {
  make();
  tell("started", {ErrorCode::kGivenUp});
  clock_.pass(AttemptStream::kBeforeTold);
  stream_->go_on();
  EXPECT_TRUE(attempt_->orders.is_abandoned());
  print("x");
  EXPECT_FALSE(stream_->ship_all(true));
}

TEST_F(AttemptStreamTest, TheRestIsSentUntilTheServerHasIt) {
  make();
  print("the rest");
  tell("streams", {ErrorCode::kInternal, ErrorCode::kUnavailable, ErrorCode::kNotFound});
  EXPECT_TRUE(stream_->ship_all(true));
  EXPECT_EQ(stream("log"), "the rest");
  EXPECT_FALSE(stream_->is_server_full());
}

TEST_F(AttemptStreamTest, AFullServerIsNotWaitedForUnlessThatIsWanted) {
  make();
  is_full_ = true;
  print("text");
  EXPECT_TRUE(stream_->ship_all(false));
  EXPECT_TRUE(stream_->is_server_full());
  attempt_->orders.cancel(0);  // nobody wants to wait
  EXPECT_TRUE(stream_->ship_all(true));
  EXPECT_TRUE(stream_->is_server_full());
}

}  // namespace
}  // namespace roost

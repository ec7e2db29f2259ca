#include "base/retry.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/fake_clock.h"

namespace roost {
namespace {

using std::chrono::milliseconds;
using Pauses = std::vector<long>;

class RetryTest : public testing::Test {
 protected:
  Backoff backoff(Backoff::Pauses pauses, Backoff::IsOver is_over = nullptr) {
    return Backoff(pauses, std::move(is_over), [this](milliseconds time) {
      slept_.push_back(time.count());
      clock_.pass(time.count() * 1000);
    });
  }
  static Error error(ErrorCode code) { return {code, "x"}; }

  FakeClock clock_;
  Pauses slept_;
};

TEST_F(RetryTest, EachCodeIsInOneListAtMost) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const Error one = error(static_cast<ErrorCode>(code));
    EXPECT_LE(is_away(one) + is_given_up(one) + is_refusal(one), 1) << error_code_name(one.code);
  }
  EXPECT_TRUE(is_away(error(ErrorCode::kDeadlineExceeded)));
  EXPECT_TRUE(is_given_up(error(ErrorCode::kUnauthenticated)));
  EXPECT_TRUE(is_refusal(error(ErrorCode::kTooLarge)));
  EXPECT_FALSE(is_refusal(error(ErrorCode::kNotFound)));
}

TEST_F(RetryTest, PausesGrowToTheLongestAndStartAnew) {
  Backoff pauses = backoff({milliseconds(10), milliseconds(50)});
  for (int i = 0; i < 5; ++i) pauses.pause();
  pauses.reset();
  pauses.pause();
  EXPECT_EQ(slept_, (Pauses{10, 20, 40, 50, 50, 10}));
}

TEST_F(RetryTest, APauseEndsSoonAfterItIsOver) {
  Backoff pauses = backoff({milliseconds(1000), milliseconds(1000)}, [this] { return slept_.size() >= 2; });
  pauses.pause();
  EXPECT_EQ(slept_, (Pauses{50, 50}));
  pauses.pause();
  EXPECT_EQ(slept_.size(), 2U);
}

TEST_F(RetryTest, OnlyWhatIsWorthIt) {
  Retry retry({}, backoff({}), clock_);
  EXPECT_TRUE(retry.again(error(ErrorCode::kUnavailable)));
  EXPECT_FALSE(retry.again(error(ErrorCode::kInternal)));
  Retry all({[](const Error& error) { return !is_refusal(error); }}, backoff({}), clock_);
  EXPECT_TRUE(all.again(error(ErrorCode::kInternal)));
  EXPECT_FALSE(all.again(error(ErrorCode::kInvalidArgument)));
}

TEST_F(RetryTest, SoOftenInARowWithoutProgress) {
  Retry retry({is_away, {}, 3}, backoff({milliseconds(1), milliseconds(9)}), clock_);
  EXPECT_TRUE(retry.again(error(ErrorCode::kUnavailable)));
  EXPECT_TRUE(retry.again(error(ErrorCode::kUnavailable)));
  retry.note_progress();
  EXPECT_TRUE(retry.again(error(ErrorCode::kUnavailable)));
  EXPECT_TRUE(retry.again(error(ErrorCode::kUnavailable)));
  EXPECT_FALSE(retry.again(error(ErrorCode::kUnavailable)));
  EXPECT_EQ(slept_, (Pauses{1, 2, 1, 2}));
}

TEST_F(RetryTest, PatienceIsFromTheBeginning) {
  Retry retry({is_away, kSecond, {}}, backoff({milliseconds(300), milliseconds(2000)}), clock_);
  EXPECT_TRUE(retry.again(error(ErrorCode::kUnavailable)));
  EXPECT_TRUE(retry.again(error(ErrorCode::kUnavailable)));
  EXPECT_FALSE(retry.again(error(ErrorCode::kUnavailable))) << "it would begin too late";
  EXPECT_EQ(slept_, (Pauses{300, 600}));
}

TEST_F(RetryTest, WhoIsStoppedDoesNotTryAgain) {
  bool over = false;
  Retry retry({}, backoff({}, [&] { return over; }), clock_);
  over = true;
  EXPECT_FALSE(retry.again(error(ErrorCode::kUnavailable)));
}

}  // namespace
}  // namespace roost

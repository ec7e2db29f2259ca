#include "base/refusal_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/fake_clock.h"

namespace roost {
namespace {

std::ptrdiff_t lines_in(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(RefusalLog, SaysItOnceAndThenCounts) {
  FakeClock clock;
  RefusalLog log(clock);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) log.refused("secret", "a token", "too many requests");
  log.refused("other", "somebody else", "too many requests");
  log.sum_up();
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines_in(said), 2) << said;
  EXPECT_NE(said.find("a token was refused: too many requests"), std::string::npos) << said;
  EXPECT_EQ(said.find("secret"), std::string::npos) << said;

  clock.pass(61 * kSecond);
  testing::internal::CaptureStderr();
  log.sum_up();
  log.sum_up();
  said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines_in(said), 1) << said;
  EXPECT_NE(said.find("a token was refused 99 more times in the last 61 s"), std::string::npos) << said;

  testing::internal::CaptureStderr();
  log.refused("secret", "a token", "too many requests");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "this interval has had its line";
  clock.pass(61 * kSecond);
  testing::internal::CaptureStderr();
  log.refused("other", "somebody else", "again");
  said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("a token was refused 1 more times"), std::string::npos) << said;
  EXPECT_NE(said.find("somebody else was refused: again"), std::string::npos) << "a quiet interval ended it: " << said;
}

}  // namespace
}  // namespace roost

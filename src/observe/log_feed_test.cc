#include "observe/log_feed.h"

#include <fstream>

#include <gtest/gtest.h>

namespace fs = std::filesystem;

namespace roost {
namespace {

std::string name_of(int rank) { return "azureml-logs/70_driver_log_" + std::to_string(rank) + ".txt"; }

class LogFeedTest : public ::testing::Test {
 protected:
  LogFeedTest() {
    char name[] = "/tmp/roost-feed-XXXXXX";
    folder_ = mkdtemp(name);
    logs_ = std::make_unique<LogStore>(folder_);
  }
  ~LogFeedTest() override { fs::remove_all(folder_); }

  // `bytes` of a rank, `at` microseconds.
  void say(int rank, std::string_view bytes, Micros at) {
    auto& length = lengths_[rank];
    length = logs_->append("r1", 1, name_of(rank), length, bytes, at).value();
  }
  std::unique_ptr<LogFeed> feed(const std::vector<std::uint64_t>& offsets = {0, 0, 0}) {
    std::vector<RankLog> ranks;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      ranks.push_back({static_cast<int>(i), name_of(static_cast<int>(i)), offsets[i]});
    }
    return merged_logs(*logs_, "r1", ranks);
  }
  // Everything that the feed has now, as "rank:text|rank:text".
  static std::string all(LogFeed& feed, bool over) {
    std::string out;
    for (;;) {
      const auto pieces = feed.next(1, over).value();
      if (pieces.empty()) return out;
      for (const auto& piece : pieces) {
        if (!out.empty()) out += "|";
        out += std::to_string(*piece.rank) + ":" + piece.text;
      }
    }
  }

  fs::path folder_;
  std::unique_ptr<LogStore> logs_;
  std::map<int, std::uint64_t> lengths_;
};

TEST_F(LogFeedTest, LinesComeInTheOrderOfTheirTimes) {
  say(1, "b1\n", 10);
  say(0, "a1\n", 20);
  say(0, "a2\n", 21);
  say(1, "b2\n", 30);
  say(2, "c1\n", 5);
  EXPECT_EQ(all(*feed(), true), "2:c1\n|1:b1\n|0:a1\na2\n|1:b2\n");
  EXPECT_EQ(logs_->list("r1", 1).size(), 3U) << "the times are no logs";
}

TEST_F(LogFeedTest, ALineIsNeverCutByAnotherRank) {
  say(0, "first half, ", 10);
  say(1, "whole\n", 20);
  const auto live = feed();
  EXPECT_EQ(all(*live, false), "1:whole\n");
  say(0, "second half\nand more", 30);
  EXPECT_EQ(all(*live, false), "0:first half, second half\n");
  EXPECT_EQ(all(*live, true), "0:and more") << "what is left at the end comes without its newline";
  EXPECT_EQ(all(*feed(), true), "1:whole\n|0:first half, second half\n|0:and more");
}

TEST_F(LogFeedTest, ResumingLosesAndDoublesNothing) {
  for (int i = 0; i < 300; ++i) say(i % 3, "line " + std::to_string(i) + "\n", i * 10);
  const std::string whole = all(*feed(), true);
  // Taken up anew after every piece.
  std::vector<std::uint64_t> offsets(3, 0);
  std::string pieced;
  for (;;) {
    const auto pieces = feed(offsets)->next(1, true).value();
    if (pieces.empty()) break;
    const auto& piece = pieces.front();
    offsets[static_cast<std::size_t>(*piece.rank)] = piece.offset;
    pieced += (pieced.empty() ? "" : "|") + std::to_string(*piece.rank) + ":" + piece.text;
  }
  EXPECT_EQ(pieced, whole);
}

TEST_F(LogFeedTest, ATornOrMissingTimeCostsNoLine) {
  say(0, "a1\n", 10);
  say(1, "b1\n", 20);
  const fs::path times = folder_ / "r1" / "r1" / "1.times" / name_of(0);
  std::ofstream(times, std::ios::app) << "torn";
  say(0, "a2\n", 30);
  say(1, "b2\n", 40);
  EXPECT_EQ(fs::file_size(times), 32U);
  EXPECT_EQ(all(*feed(), true), "0:a1\n|1:b1\n|0:a2\n|1:b2\n");
  fs::remove(times);
  EXPECT_EQ(all(*feed(), true), "1:b1\nb2\n|0:a1\na2\n");
}

TEST_F(LogFeedTest, LongLogsAndLinesComeWhole) {
  std::string long_line(700'000, 'x');
  say(0, long_line + "\n", 10);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "row " + std::to_string(i) + "\n";
  say(1, many, 20);
  std::string first;
  std::string second;
  const auto merged = feed();
  for (;;) {
    const auto pieces = merged->next(1, true).value();
    if (pieces.empty()) break;
    for (const auto& piece : pieces) (*piece.rank == 0 ? first : second) += piece.text;
  }
  EXPECT_EQ(first, long_line + "\n");
  EXPECT_EQ(second, many);
}

TEST_F(LogFeedTest, AFurtherAttemptIsReadFromItsStart) {
  say(0, "old\n", 10);
  const auto merged = feed();
  EXPECT_EQ(all(*merged, false), "0:old\n");
  merged->start_again();
  ASSERT_TRUE(logs_->append("r1", 2, name_of(0), 0, "new\n", 50));
  const auto pieces = merged->next(2, true).value();
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].text, "new\n");
  EXPECT_EQ(pieces[0].offset, 4U);
}

TEST_F(LogFeedTest, OneLogHoldsACharacterBackUntilItIsWhole) {
  ASSERT_TRUE(logs_->append("r1", 1, "log", 0, "caf\xc3"));
  const auto one = one_log(*logs_, "r1", "log", 0);
  EXPECT_EQ(one->next(1, false).value().at(0).text, "caf");
  EXPECT_TRUE(one->next(1, false).value().empty());
  ASSERT_TRUE(logs_->append("r1", 1, "log", 4, "\xa9"));
  EXPECT_EQ(one->next(1, false).value().at(0).text, "\u00e9");
  EXPECT_TRUE(one->next(1, true).value().empty());
}

}  // namespace
}  // namespace roost

#include "runner/attempt_stage.h"

#include "runner/test_attempt.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

using AttemptStageTest = AttemptTest;

TEST_F(AttemptStageTest, LaysOutWhatTheProcessesFind) {
  const std::string code = snapshot({{"lib/net.py", "class Net"}, {"train.py", "import lib"}});
  const std::string data = snapshot({{"a.csv", "1,2"}});
  const Json kept = {{{"path", "outputs/last.pt"}, {"digest", blob("weights")}, {"size", 7}}};
  Attempt attempt(settings_, clock_,
                  order({{"snapshot", code}, {"outputs", kept}, {"inputs", {{{"name", "birds"}, {"content", data}}}}}));
  Notices notices;
  const Status staged = stage_attempt(attempt, notices);
  ASSERT_TRUE(staged) << staged.error().message;
  EXPECT_EQ(read_file(attempt.code() / "lib/net.py").value(), "class Net");
  EXPECT_EQ(read_file(attempt.code() / "outputs/last.pt").value(), "weights");
  EXPECT_EQ(read_file(attempt.folder / "data/birds/a.csv").value(), "1,2");
  for (const char* name : {"code/logs", "spool", "stacks", "packages"}) {
    EXPECT_TRUE(fs::is_directory(attempt.folder / name)) << name;
  }
  EXPECT_TRUE(notices.empty());
  EXPECT_TRUE(attempt.outside.empty());
  EXPECT_EQ(Json::parse(read_file(attempt.server_copy()).value()), (Json{{"url", url_}})) << "not what opens the server";
}

TEST_F(AttemptStageTest, LogsAndSpoolAreStreamsFromNowOn) {
  Attempt attempt(settings_, clock_, order({{"node_rank", 1}, {"gang", gang(2, 1)}}));
  Notices notices;
  ASSERT_TRUE(stage_attempt(attempt, notices));
  write(attempt.code() / "logs/a.txt", "text");
  ASSERT_TRUE(attempt.streams.ship(attempt.server));
  EXPECT_EQ(stream("logs/node_1/a.txt"), "text");
}

TEST_F(AttemptStageTest, WhatAnEarlierAttemptLeftInTheFolderIsGone) {
  Attempt attempt(settings_, clock_, order());
  write(attempt.code() / "stale.py", "x");
  Notices notices;
  ASSERT_TRUE(stage_attempt(attempt, notices));
  EXPECT_FALSE(fs::exists(attempt.code() / "stale.py"));
}

TEST_F(AttemptStageTest, AnInputGoesWhereItWasWanted) {
  const Json inputs = {{{"name", "far"}, {"content", snapshot({{"a", "1"}})}, {"path", (root_ / "mnt/far").string()}},
                       {{"name", "near"}, {"content", snapshot({{"b", "2"}})}, {"path", "in/../near"}}};
  // Away from the data folder, which is not to be laid out into.
  settings_.cache = root_ / "kept" / "nodes" / "cache";
  settings_.folder = root_ / "kept" / "nodes" / "here";
  ASSERT_TRUE(make_folders(settings_.cache));
  settings_.spare = std::make_unique<SpareFolder>(settings_.folder / "spare");
  Attempt attempt(settings_, clock_, order({{"inputs", inputs}}));
  Notices notices;
  const Status staged = stage_attempt(attempt, notices);
  ASSERT_TRUE(staged) << staged.error().message;
  EXPECT_EQ(read_file(root_ / "mnt/far/a").value(), "1");
  EXPECT_EQ(read_file(attempt.code() / "near/b").value(), "2");
  EXPECT_EQ(attempt.outside, (std::vector<fs::path>{root_ / "mnt/far"}));
}

TEST_F(AttemptStageTest, AnInputGoesNotIntoRoostsOwnNorOverWhatIsThere) {
  Notices notices;
  const std::string data = snapshot({{"a", "1"}});
  Attempt own(settings_, clock_, order({{"inputs", {{{"name", "x"}, {"content", data}, {"path", settings_.cache.string()}}}}}));
  const Status refused = stage_attempt(own, notices);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("Roost's own folder"), std::string::npos) << refused.error().message;

  Attempt over(settings_, clock_, order({{"snapshot", snapshot({{"data/b", "2"}})},
                                         {"inputs", {{{"name", "x"}, {"content", data}, {"path", "data"}}}}}));
  const Status there = stage_attempt(over, notices);
  ASSERT_FALSE(there);
  EXPECT_EQ(there.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(AttemptStageTest, AnInputGoesThroughNoLink) {
  fs::create_directories(root_ / "elsewhere");
  Attempt attempt(settings_, clock_,
                  order({{"snapshot", snapshot({{"in", "->sub"}, {"sub/x", "1"}})},
                         {"inputs", {{{"name", "x"}, {"content", snapshot({{"a", "1"}})}, {"path", "in/deep"}}}}}));
  Notices notices;
  const Status staged = stage_attempt(attempt, notices);
  ASSERT_FALSE(staged);
  EXPECT_NE(staged.error().message.find("no link on the way is followed"), std::string::npos) << staged.error().message;
}

}  // namespace
}  // namespace roost

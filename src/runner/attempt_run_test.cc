#include "runner/attempt_run.h"

#include <thread>

#include "runner/test_attempt.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

class AttemptRunTest : public AttemptTest {
 protected:
  const SystemClock system_;
};

TEST_F(AttemptRunTest, TheHooksComeInTheirOrder) {
  AttemptRun attempt(settings_, system_, order({{"snapshot", snapshot({{"say.sh", "cat in.txt > outputs/copy"}, {"in.txt", "words"}})},
                                                {"command", "bash say.sh && echo done"}}));
  attempt.run();
  EXPECT_EQ(told().back(), "finished");
  const Json report = calls("finished").front();
  EXPECT_EQ(report["outcome"], "exited") << to_text(report);
  EXPECT_EQ(report["ranks"][0]["exit_code"], 0) << stream("azureml-logs/70_driver_log.txt");
  EXPECT_EQ(report["outputs"][0]["path"], "outputs/copy");
  EXPECT_TRUE(has_blob("words"));
  EXPECT_EQ(stream("azureml-logs/70_driver_log.txt"), "done\n");
  EXPECT_TRUE(fs::is_empty(settings_.folder / "runs")) << "nothing is left";
}

TEST_F(AttemptRunTest, WhatCannotBeStagedIsReported) {
  AttemptRun attempt(settings_, system_, order({{"snapshot", "none"}}));
  attempt.run();
  EXPECT_EQ(told(), std::vector<std::string>{"finished"});
  EXPECT_EQ(calls("finished").front()["outcome"], "staging_failed");
  EXPECT_EQ(calls("finished").front()["ranks"], Json::array());
}

TEST_F(AttemptRunTest, ACancelEndsIt) {
  AttemptRun attempt(settings_, system_, order({{"command", "echo on; sleep 600"}}));
  std::thread other([&] {
    await("started");
    EXPECT_FALSE(attempt.take_stacks().is_null());
    attempt.orders().cancel(0);
  });
  attempt.run();
  other.join();
  const Json report = calls("finished").front();
  EXPECT_EQ(report["ranks"][0]["stopped"], true) << to_text(report);
}

TEST_F(AttemptRunTest, WhatThereIsNoTimeToSendStays) {
  AttemptRun attempt(settings_, system_, order({{"command", "echo on; sleep 600"}}));
  std::thread other([&] {
    await("started");
    attempt.orders().stop_sending();
  });
  attempt.run();
  other.join();
  EXPECT_TRUE(calls("finished").empty());
  EXPECT_EQ(read_file(settings_.folder / "runs/r-1/rank-0.log").value(), "on\n");
}

}  // namespace
}  // namespace roost

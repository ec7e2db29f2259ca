#include "score/script_workers.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "score/test_script.h"

namespace roost {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

bool comes_true(const std::function<bool()>& is_so) {
  const auto until = steady_clock::now() + seconds(30);
  while (!is_so()) {
    if (steady_clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

// run() does what its input says.
const std::string kObedient = R"(
import os, sys, time
def init():
  pass
def run(data):
  word, _, rest = data.partition(" ")
  if word == "exit":
    os._exit(int(rest))
  if word == "sys.exit":
    sys.exit(int(rest))
  if word == "kill":
    os.kill(os.getpid(), int(rest))
  if word == "sleep":
    time.sleep(float(rest))
  if word == "touch-and-wait":
    open(rest, "w").close()
    while os.path.exists(rest):
      time.sleep(0.01)
  if word == "hang":
    import signal
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1000)
  if word == "fork":
    if os.fork() == 0:
      time.sleep(1000)
    os._exit(5)
  if word == "junk":
    os.write(3, b"x" * 100)
  return os.getpid()
)";

TEST_F(ScriptTest, ReplacesAWorkerThatEnds) {
  options_.queue_wait_ms = 20'000;
  start(kObedient);
  const std::string first = ask("pid").body;
  auto answer = ask("exit 7");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(message_of(answer), "The request was not finished: the worker process exited with code 7. Check the logs for more info.");
  EXPECT_EQ(answer.headers.at("x-ms-run-function-failed"), "True");
  const std::string second = ask("pid").body;
  EXPECT_NE(first, second);
  answer = ask("kill 9");
  EXPECT_NE(message_of(answer).find("was killed by SIGKILL (out of memory?)"), std::string::npos);
  EXPECT_EQ(ask("pid").status, 200);
  EXPECT_NE(message_of(ask("sys.exit 3")).find("exited with code 3"), std::string::npos);
  EXPECT_EQ(ask("pid").status, 200);
  EXPECT_EQ(servant_->load().errors, 3U);
  EXPECT_NE(servant_->metrics().find("roost_score_worker_restarts_total 3"), std::string::npos);
}

TEST_F(ScriptTest, SeesTheEndOfAWorkerWhoseChildHoldsTheSocket) {
  options_.queue_wait_ms = 20'000;
  start(kObedient);
  const auto answer = ask("fork");
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(message_of(answer).find("exited with code 5"), std::string::npos);
  EXPECT_EQ(ask("pid").status, 200);
}

TEST_F(ScriptTest, AsksAnotherWhenAnIdleOneWasKilled) {
  options_.workers = 2;
  options_.queue_wait_ms = 20'000;
  start(kObedient);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(0, ::kill(std::stoi(ask("pid").body), SIGKILL));
    EXPECT_EQ(ask("pid").status, 200);  // also when nobody has noticed yet
  }
}

TEST_F(ScriptTest, EndsRunAtTheTimeout) {
  options_.scoring_timeout_ms = 100;
  start(kObedient);
  const std::string pid = ask("pid").body;
  const auto answer = ask("sleep 60");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(message_of(answer), "Scoring timeout after 100 ms");
  EXPECT_EQ(ask("pid").body, pid);
}

TEST_F(ScriptTest, KillsAWorkerThatDoesNotMindTheTimeout) {
  options_.scoring_timeout_ms = 100;
  options_.kill_grace = milliseconds(100);
  start(kObedient);
  const std::string pid = ask("pid").body;
  const auto answer = ask("hang");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(message_of(answer), "Scoring timeout after 100 ms");
  EXPECT_TRUE(comes_true([&] { return ::kill(std::stoi(pid), 0) != 0; }));
  options_.queue_wait_ms = 10'000;
  EXPECT_TRUE(comes_true([&] { return ask("pid").status == 200; }));
}

TEST_F(ScriptTest, DropsAWorkerThatTalksUnasked) {
  options_.queue_wait_ms = 20'000;
  start(kObedient);
  const auto answer = ask("junk");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(ask("pid").status, 200);
}

TEST_F(ScriptTest, FailsAfterTooManyEndsInARow) {
  options_.most_crashes = 3;
  options_.first_back_off = milliseconds(1);
  options_.queue_wait_ms = 20'000;
  start(kObedient);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask("exit 1").status, 500);
  EXPECT_EQ(ask("pid").status, 200);  // one success, and the count starts again
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask("exit 1").status, 500);
  EXPECT_TRUE(comes_true([&] { return !servant_->is_ready(); }));
  EXPECT_EQ(servant_->failure(), "workers ended 4 times in a row; at last: the worker process exited with code 1");
  EXPECT_EQ(ask("pid").status, 503);
}

TEST_F(ScriptTest, FailsWithWhatTheScriptRaisesWhenItIsStartedAgain) {
  options_.most_crashes = 2;
  options_.first_back_off = milliseconds(1);
  start(kObedient);
  write("score.py", "raise ValueError('changed')\n");
  EXPECT_EQ(ask("exit 1").status, 500);
  EXPECT_TRUE(comes_true([&] { return !servant_->failure().empty(); }));
  EXPECT_NE(servant_->failure().find("importing score.py raised ValueError: changed"), std::string::npos);
}

TEST_F(ScriptTest, LetsRequestsWaitInAQueueWithALimit) {
  options_.queue_limit = 1;
  options_.queue_wait_ms = 60'000;
  start(kObedient);
  const std::string mark = (folder_ / "mark").string();
  std::jthread working([&] { EXPECT_EQ(ask("touch-and-wait " + mark).status, 200); });
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(mark); }));
  std::jthread waiting([&] { EXPECT_EQ(ask("pid").status, 200); });
  ASSERT_TRUE(comes_true([&] { return servant_->load().queued == 1; }));
  EXPECT_EQ(servant_->load().in_flight, 1U);
  const auto refused = ask("pid");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_NE(message_of(refused).find("1 requests wait already"), std::string::npos);
  std::filesystem::remove(mark);
}

TEST_F(ScriptTest, GivesUpWaitingForAWorker) {
  options_.queue_wait_ms = 50;
  start(kObedient);
  const std::string mark = (folder_ / "mark").string();
  std::jthread working([&] { EXPECT_EQ(ask("touch-and-wait " + mark).status, 200); });
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(mark); }));
  const auto refused = ask("pid");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(message_of(refused), "No worker was free within 50 ms. Try again in a moment.");
  std::filesystem::remove(mark);
}

TEST_F(ScriptTest, AsksSeveralWorkersAtOnce) {
  options_.workers = 3;
  start(kObedient);
  std::vector<std::jthread> asking;
  for (int i = 0; i < 3; ++i) {
    asking.emplace_back([&, i] { EXPECT_EQ(ask("touch-and-wait " + (folder_ / std::to_string(i)).string()).status, 200); });
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(folder_ / std::to_string(i)); }));
  EXPECT_EQ(servant_->load().in_flight, 3U);
  for (int i = 0; i < 3; ++i) std::filesystem::remove(folder_ / std::to_string(i));
}

TEST_F(ScriptTest, FinishesWhatIsUnderWayWhenItStops) {
  start(kObedient);
  const std::string pid = ask("pid").body;
  const std::string mark = (folder_ / "mark").string();
  std::jthread working([&] { EXPECT_EQ(ask("touch-and-wait " + mark).status, 200); });
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(mark); }));
  std::jthread stopping([&] { servant_->stop(); });
  EXPECT_TRUE(comes_true([&] { return !servant_->is_ready(); }));
  EXPECT_EQ(ask("pid").status, 503);
  std::filesystem::remove(mark);
  working.join();
  stopping.join();
  EXPECT_NE(0, ::kill(std::stoi(pid), 0));
}

TEST_F(ScriptTest, EndsAWorkerThatHangsWhenItStops) {
  options_.drain = milliseconds(50);
  start(kObedient);
  const std::string pid = ask("pid").body;
  std::jthread working([&] { EXPECT_EQ(ask("hang").status, 500); });
  ASSERT_TRUE(comes_true([&] { return servant_->load().in_flight == 1; }));
  servant_->stop();
  EXPECT_NE(0, ::kill(std::stoi(pid), 0));
}

TEST_F(ScriptTest, CanBeStoppedWhileItStarts) {
  write("score.py", "import time\nopen('started', 'w').close()\ntime.sleep(1000)\n");
  auto made = make_script_servant(options_);
  ASSERT_TRUE(made);
  servant_ = std::move(*made);
  std::jthread stopping([&] {
    EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(folder_ / "started"); }));
    servant_->stop();
  });
  const auto started = servant_->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kUnavailable);
}

TEST_F(ScriptTest, AnswersAThousandRequestsWithoutGrowing) {
  start("import os\ndef init():\n  pass\ndef run(data):\n"
        "  fds = len(os.listdir('/proc/self/fd'))\n  return [len(data), fds]\n");
  HttpClient client(web_.url());
  ClientRequest request;
  request.method = "POST";
  request.target = "/score";
  std::string first;
  for (int i = 0; i < 1000; ++i) {
    request.body = "12345";
    const auto answer = client.send(request);
    ASSERT_TRUE(answer && answer->status == 200);
    if (first.empty()) first = answer->body;
    ASSERT_EQ(answer->body, first);
  }
  EXPECT_EQ(servant_->load().requests, 1000U);
}

TEST_F(ScriptTest, PassesLargeBodies) {
  start("def init():\n  pass\ndef run(data):\n  return data\n");
  const std::string large(20 << 20, 'a');
  EXPECT_EQ(ask(large).body.size(), large.size() + 2);
}

}  // namespace
}  // namespace roost

#include "domain/launcher_log.h"

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "domain/root_cause.h"

namespace roost {
namespace {

// As torchrun of PyTorch 2.13 prints them.
std::string row(int index, int rank, int exit_code, const std::string& message) {
  return fmt::format("[{}]:\n  time      : 2026-11-18_03:05:37\n  host      : localhost\n  rank      : {} (local_rank: {})\n"
                     "  exitcode  : {} (pid: 20653) {}\n  error_file: <N/A>\n  traceback : {}\n",
                     index, rank, rank % 2, exit_code, exit_code < 0 ? " (SIG)" : "", message);
}

std::string launcher_end(const std::string& others, const std::string& first) {
  return fmt::format(
      "W1118 03:05:37.090000 17658 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 20653 closing signal "
      "SIGTERM\nE1118 03:05:37.155000 17658 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) "
      "local_rank: 1 (pid: 20654) of binary: /usr/bin/python3\nTraceback (most recent call last):\n"
      "  File \"/x/bin/torchrun\", line 8, in <module>\n    sys.exit(main())\n"
      "  File \"/x/torch/distributed/launcher/api.py\", line 383, in launch_agent\n    raise ChildFailedError(\n"
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n{2}\ntrain.py FAILED\n{3}\nFailures:\n{0}{3}\n"
      "Root Cause (first observed failure):\n{1}{2}\n",
      others, first, std::string(60, '='), std::string(60, '-'));
}

const std::string kNone = "  <NO_OTHER_FAILURES>\n";
const std::string kNoFile = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html";
const std::string kLostPeer =
    "RuntimeError: [/__w/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:3260. This is typically "
    "caused by a remote worker crashing. Check the logs of the remote worker before reporting an error.";

std::string said(const std::string& prefix, const std::string& exception) {
  return fmt::format("{0}Traceback (most recent call last):\n{0}  File \"/t/train.py\", line 6, in <module>\n{0}    step()\n"
                     "{0}{1}\n",
                     prefix, exception);
}

std::string exception_of(const WorkerFailure& failure) { return failure.traceback ? failure.traceback->exception : ""; }

TEST(LauncherLog, ItsFirstFailureIsBlamed) {
  const auto found = launcher_failure(said("[rank3]: ", "ValueError: bad batch") + said("[rank2]: ", kLostPeer) +
                                      launcher_end(row(1, 2, -15, "Signal 15 (SIGTERM) received"), row(0, 3, 1, kNoFile)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(found->exit_code, 1);
  EXPECT_EQ(exception_of(*found), "ValueError: bad batch");
  EXPECT_FALSE(found->secondary);
}

TEST(LauncherLog, AVictimThatTheLauncherSawFirstIsNot) {
  // Both had ended when it looked, and it takes the lower local rank.
  const auto found = launcher_failure(said("[rank3]: ", "ValueError: bad batch") + said("[rank2]: ", kLostPeer) +
                                      launcher_end(row(1, 3, 1, kNoFile), row(0, 2, 1, kNoFile)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(exception_of(*found), "ValueError: bad batch");
  // The same where the culprit had no word to say.
  for (const int code : {7, -SIGSEGV, -SIGKILL}) {
    const auto silent = launcher_failure(said("[rank2]: ", kLostPeer) +
                                         launcher_end(row(1, 3, code, kNoFile), row(0, 2, 1, kNoFile)));
    ASSERT_TRUE(silent);
    EXPECT_EQ(silent->rank, 3) << code;
    EXPECT_FALSE(silent->secondary);
    EXPECT_NE(silent->text().find(code > 0 ? "rank 3 ended with exit code 7" : "rank 3 was ended by SIG"), std::string::npos)
        << silent->text();
  }
}

TEST(LauncherLog, OnlyVictimsAreSaidToBeSo) {
  const auto found = launcher_failure(said("[rank1]: ", kLostPeer) + said("[rank0]: ", kLostPeer) +
                                      launcher_end(row(1, 0, -15, "Signal 15 (SIGTERM) received"), row(0, 1, 1, kNoFile)));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->secondary);
  EXPECT_EQ(found->rank, 1);
}

TEST(LauncherLog, ALauncherThatWasEndedBeforeItLookedAgain) {
  const std::string ended =
      "W1118 03:05:37.0 1 torch/distributed/elastic/agent/server/api.py:739] Received 15 death signal, shutting down workers\n"
      "Traceback (most recent call last):\n  File \"/x/torch/distributed/elastic/agent/server/api.py\", line 721, in run\n"
      "    result = self._invoke_run(role)\n"
      "torch.distributed.elastic.multiprocessing.api.SignalException: Process 12 got signal: 15\n";
  const auto found = launcher_failure(said("[rank3]: ", "ValueError: bad batch") + said("[rank2]: ", kLostPeer) + ended);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(exception_of(*found), "ValueError: bad batch");
  const auto before_any_group = launcher_failure(said("", "KeyError: 'bird'") + ended);
  ASSERT_TRUE(before_any_group);
  EXPECT_EQ(exception_of(*before_any_group), "KeyError: 'bird'");
  EXPECT_FALSE(launcher_failure(ended)) << "nothing is known of its workers";
}

TEST(LauncherLog, WhatBearsNoNameIsByTheOneThatSaidNothingElse) {
  const auto found = launcher_failure(said("", "OSError: shown, and gone on") + said("", "KeyError: 'bird'") +
                                      launcher_end(row(1, 0, -15, "Signal 15 (SIGTERM) received"), row(0, 1, 1, kNoFile)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 1);
  EXPECT_EQ(exception_of(*found), "KeyError: 'bird'");
  // Older PyTorch marks nobody: a victim's may come last.
  const auto older = launcher_failure(said("", "KeyError: 'bird'") + said("", kLostPeer) +
                                      launcher_end(row(1, 0, -15, "Signal 15 (SIGTERM) received"), row(0, 1, 1, kNoFile)));
  ASSERT_TRUE(older);
  EXPECT_EQ(exception_of(*older), "KeyError: 'bird'");
  // All workers have spoken by name: what else was shown is no reason.
  const auto shown = launcher_failure(said("", "OSError: shown, and gone on") + said("[rank1]: ", kLostPeer) +
                                      launcher_end(kNone, row(0, 1, 1, kNoFile)));
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->secondary);
}

TEST(LauncherLog, TheErrorFileAndTheOutputUnderTee) {
  const auto recorded = launcher_failure(launcher_end(
      kNone, row(0, 1, 1, "Traceback (most recent call last):\n    File \"/t/train.py\", line 3, in main\n      step()\n"
                          "  ValueError: bad batch")));
  ASSERT_TRUE(recorded);
  EXPECT_EQ(exception_of(*recorded), "ValueError: bad batch");
  EXPECT_EQ(recorded->traceback->lines[1], "  File \"/t/train.py\", line 3, in main");
  const auto teed = launcher_failure(said("[default0]:", "KeyError: 'x'") + said("[default1]:[rank1]: ", kLostPeer) +
                                     launcher_end(row(1, 0, 1, kNoFile), row(0, 1, 1, kNoFile)));
  ASSERT_TRUE(teed);
  EXPECT_EQ(teed->rank, 0);
  EXPECT_EQ(exception_of(*teed), "KeyError: 'x'");
}

TEST(LauncherLog, OfSeveralRoundsTheLastCounts) {
  const std::string round =
      "E1118 03:05:37.155000 1 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 1 (pid: 2)\n";
  const auto found = launcher_failure(said("[rank1]: ", "ValueError: of the first round") + round + said("[rank0]: ", kLostPeer) +
                                      launcher_end(kNone, row(0, 0, 1, kNoFile)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 0);
  EXPECT_TRUE(found->secondary);
}

TEST(LauncherLog, AccelerateWithOneProcess) {
  const auto found = launcher_failure(
      said("", "KeyError: 'no such bird'") +
      "Traceback (most recent call last):\n  File \"/x/bin/accelerate\", line 8, in <module>\n    sys.exit(main())\n"
      "  File \"/x/accelerate/commands/launch.py\", line 999, in simple_launcher\n    raise subprocess.CalledProcessError(\n"
      "subprocess.CalledProcessError: Command '['/usr/bin/python3', 'bad.py']' returned non-zero exit status 1.\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(exception_of(*found), "KeyError: 'no such bird'");
  EXPECT_FALSE(launcher_failure(said("", "subprocess.CalledProcessError: Command '['false']' returned non-zero exit status 1.")));
}

TEST(LauncherLog, OddOnesAreNoReasonToFail) {
  EXPECT_FALSE(launcher_failure(""));
  EXPECT_FALSE(launcher_failure("INFO torch.distributed.elastic is here\n" + said("", "ValueError: x")));
  EXPECT_FALSE(launcher_failure("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"));
  EXPECT_TRUE(launcher_failure("torch.distributed.elastic.ChildFailedError\nRoot Cause (first observed failure):\n[0]:\n"));
  (void)launcher_failure("[rank99999999999999]: torch.distributed.elastic\n[]:\n[x]:[rank]: \nChildFailedError\nFailures:\n[0]:\n"
                         "exitcode: 99999999999999\nrank: -\n");
}

TEST(RootCause, OfSeveralLaunchersTheOneWhoseWorkerFailedByItself) {
  const auto launcher = [](int rank, Micros at, std::string output) {
    RankEnd end;
    end.rank = rank;
    end.node = "node" + std::to_string(rank);
    end.exit_code = 1;
    end.ended = at;
    end.output = std::move(output);
    return end;
  };
  const std::string victims = said("[rank1]: ", kLostPeer) + launcher_end(kNone, row(0, 1, 1, kNoFile));
  const std::string culprit = said("[rank3]: ", "ValueError: bad batch") + said("[rank2]: ", kLostPeer) +
                              launcher_end(row(1, 3, 1, kNoFile), row(0, 2, 1, kNoFile));
  auto cause = find_root_cause({launcher(0, 1, victims), launcher(1, 2, culprit)});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->message, "rank 1 on node1 ended with exit code 1: ValueError: bad batch (in its process of rank 3)");
  EXPECT_EQ(cause->why, "ValueError: bad batch (in its process of rank 3)");
  EXPECT_TRUE(cause->certain);
  EXPECT_EQ(cause->roles, (std::vector{RankRole::kVictim, RankRole::kCulprit}));
  cause = find_root_cause({launcher(0, 1, victims), launcher(1, 2, launcher_end(kNone, row(0, 3, -SIGKILL, "killed")))});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->rank, 1);
  EXPECT_NE(cause->message.find("exit code 1: its process of rank 3 was ended by SIGKILL"), std::string::npos) << cause->message;
  EXPECT_FALSE(cause->traceback);
}

}  // namespace
}  // namespace roost

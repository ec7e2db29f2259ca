#include "domain/root_cause.h"

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace roost {
namespace {

const std::string kReset =
    "step 3\n[rank0]: Traceback (most recent call last):\n[rank0]:   File \"t.py\", line 9, in <module>\n"
    "[rank0]:     dist.all_reduce(x)\n[rank0]: RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by "
    "peer [127.0.0.1]:51234\n";
const std::string kValue =
    "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n    main()\n"
    "  File \"train.py\", line 4, in main\n    raise ValueError(\"bad batch\")\nValueError: bad batch\n";
const std::string kTimeout =
    "Traceback (most recent call last):\n  File \"t.py\", line 2, in <module>\n    dist.barrier()\n"
    "RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 5000ms for recv operation\n";

RankEnd exited(int rank, int code, Micros at, std::string output = "") {
  RankEnd end;
  end.rank = rank;
  end.node = "node" + std::to_string(rank / 2);
  end.exit_code = code;
  end.ended = at;
  end.output = std::move(output);
  return end;
}

RankEnd signalled(int rank, int signal, Micros at, bool stopped = false) {
  RankEnd end = exited(rank, 0, at);
  end.exit_code.reset();
  end.signal = signal;
  end.stopped = stopped;
  return end;
}

TEST(RootCause, NobodyFailed) { EXPECT_FALSE(find_root_cause({exited(0, 0, 5), exited(1, 0, 6)})); }

TEST(RootCause, TheExceptionAndNotThoseWhoLostTheirPeer) {
  const auto cause =
      find_root_cause({exited(0, 1, 10, kReset), exited(1, 1, 11, kReset), exited(2, 1, 30, kReset), exited(3, 1, 20, kValue)});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->rank, 3);
  EXPECT_EQ(cause->node, "node1");
  EXPECT_EQ(cause->message, "rank 3 on node1 ended with exit code 1: ValueError: bad batch");
  ASSERT_TRUE(cause->traceback);
  EXPECT_EQ(cause->traceback->lines.front(), "Traceback (most recent call last):");
  EXPECT_EQ(cause->traceback->lines.back(), "ValueError: bad batch");
  EXPECT_EQ(cause->roles, (std::vector{RankRole::kVictim, RankRole::kVictim, RankRole::kVictim, RankRole::kCulprit}));
}

TEST(RootCause, TheFirstOfSeveralThatFailedOnTheirOwn) {
  const auto cause = find_root_cause({exited(0, 1, 30, kValue), exited(1, 2, 20), exited(2, 1, 10, kReset)});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->rank, 1);
  EXPECT_EQ(cause->message, "rank 1 on node0 ended with exit code 2");
}

TEST(RootCause, ASignalCountsButNotOneThatWeSentOrALauncherDid) {
  auto cause = find_root_cause({signalled(0, SIGTERM, 5, true), signalled(1, SIGSEGV, 4), signalled(2, SIGTERM, 3)});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->rank, 1);
  EXPECT_NE(cause->message.find("SIGSEGV (segmentation fault)"), std::string::npos);
  EXPECT_EQ(cause->roles, (std::vector{RankRole::kStopped, RankRole::kCulprit, RankRole::kVictim}));
}

TEST(RootCause, OutOfMemoryIsSaid) {
  auto killed = signalled(1, SIGKILL, 4);
  killed.out_of_memory = true;
  const auto cause = find_root_cause({exited(0, 1, 5, kReset), killed});
  ASSERT_TRUE(cause);
  EXPECT_NE(cause->message.find("out of memory, the kernel ended it"), std::string::npos) << cause->message;
}

TEST(RootCause, ARankThatLeftTooEarly) {
  const auto cause = find_root_cause({exited(0, 1, 10, kReset), exited(1, 0, 5), exited(2, 1, 11, kReset)});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->rank, 1);
  EXPECT_NE(cause->message.find("while the others still needed it"), std::string::npos) << cause->message;
}

TEST(RootCause, ARankThatNeverAnswered) {
  const auto cause =
      find_root_cause({exited(0, 1, 10, kTimeout), exited(1, 1, 11, kTimeout), signalled(2, SIGTERM, 12, true)});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->rank, 2);
  EXPECT_NE(cause->message.find("rank 2 on node1 did not answer the others in time"), std::string::npos);
}

TEST(RootCause, ARankThatNeverAnsweredIsFoundBehindThoseWhoLostTheOneThatTimedOut) {
  const auto cause =
      find_root_cause({exited(0, 1, 11, kTimeout), exited(1, 1, 10, kReset), signalled(2, SIGTERM, 12, true)});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->rank, 2);
}

TEST(RootCause, OnlyVictimsAreLeft) {
  const auto cause = find_root_cause({exited(0, 1, 10, kReset), exited(1, 1, 9, kReset)});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->rank, 1);
  EXPECT_NE(cause->message.find("but none failed on its own"), std::string::npos);
}

TEST(Traceback, ReadsTheLastOneWithoutThePrefixesOfLaunchers) {
  const auto found = last_traceback(fmt::format("{}retrying\n{}bye\n", kValue, kReset));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->exception.starts_with("RuntimeError: [gloo")) << found->exception;
  EXPECT_EQ(found->lines.size(), 5U);  // "bye" may belong to the message: nothing tells
  EXPECT_FALSE(last_traceback("all is well\n"));
  EXPECT_FALSE(last_traceback("Traceback (most recent call last):\n  File \"cut off"));
}

TEST(Traceback, ReadsFatalErrorsAndUncaughtExceptions) {
  const auto fatal = last_traceback(
      "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n  File \"a.py\", line 3 in f\n"
      "\nExtension modules: numpy (total: 1)\n");
  ASSERT_TRUE(fatal);
  EXPECT_EQ(fatal->exception, "Fatal Python error: Segmentation fault");
  EXPECT_EQ(fatal->lines.back(), "  File \"a.py\", line 3 in f");
  const auto thrown = last_traceback("terminate called after throwing an instance of 'std::runtime_error'\n  what():  no\n");
  ASSERT_TRUE(thrown);
  EXPECT_NE(thrown->exception.find("no"), std::string::npos);
}

constexpr std::string_view kLong =
    "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n"
    "RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s): \"fc.bias\".\nsecond\n\n  indented\n";

TEST(Traceback, AnExceptionHasAllLinesOfItsMessage) {
  const std::string whole =
      "RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s): \"fc.bias\".\nsecond\n\n  indented";
  for (const std::string after : {"", "\nprinted apart\n", "Abort(1) on node 0\n", "W1118 03:06:53.1 12 x.py:7] bad\n",
                                  "2026-11-18 03:06:53,1 INFO bye\n", "----------\nmpirun noticed\n"}) {
    const auto found = last_traceback(std::string(kLong) + after);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->exception, whole) << after;
    EXPECT_EQ(found->lines.size(), 7U) << after;
  }
}

TEST(Traceback, AMessageWithoutEndIsTakenInPart) {
  std::string text = "Traceback (most recent call last):\n  File \"t.py\", line 1\nValueError: x\n";
  for (int i = 0; i < 500; ++i) text += "line\n";
  const auto found = last_traceback(text);
  ASSERT_TRUE(found);
  EXPECT_LT(found->lines.size(), 30U);
  EXPECT_TRUE(found->exception.starts_with("ValueError: x\nline\n"));
}

TEST(Traceback, ItsHeadingTellsOneKindFromAnother) {
  EXPECT_EQ(heading_of("ValueError: bad batch\nConnection reset by peer"), "ValueError: bad batch");
  EXPECT_EQ(heading_of("RuntimeError:\nConnection reset by peer"), "RuntimeError:\nConnection reset by peer");
  EXPECT_EQ(heading_of("KeyError"), "KeyError");
}

TEST(RootCause, ARankThatItsLauncherKilledFirstIsKnownByItsLastWords) {
  std::vector<RankEnd> ranks(3);
  for (int i = 0; i < 3; ++i) {
    ranks[static_cast<std::size_t>(i)].rank = i;
    ranks[static_cast<std::size_t>(i)].node = "n";
    ranks[static_cast<std::size_t>(i)].stopped = true;
  }
  EXPECT_FALSE(find_root_cause(ranks));
  ranks[1].output = "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\nValueError: bad batch\n"
                    "Abort(1) on node 1 (rank 1 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 1) - process 1\n";
  auto cause = find_root_cause(ranks);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->message, "rank 1 on n failed: ValueError: bad batch");
  EXPECT_TRUE(cause->certain);
  EXPECT_EQ(cause->roles, (std::vector{RankRole::kStopped, RankRole::kCulprit, RankRole::kStopped}));
  // The same if it was ended by SIGTERM, while another one complains of its peers.
  ranks[0].output = "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n"
                    "mpi4py.MPI.Exception: MPI_ERR_OTHER: known error not in list\n";
  ranks[0].exit_code = 1;
  ranks[1].signal = 15;
  ranks[0].stopped = ranks[1].stopped = false;
  cause = find_root_cause(ranks);
  EXPECT_EQ(cause->rank, 1);
  EXPECT_EQ(cause->roles, (std::vector{RankRole::kVictim, RankRole::kCulprit, RankRole::kStopped}));
  // Whoever was seen to fail comes first.
  ranks[2].stopped = false;
  ranks[2].exit_code = 3;
  EXPECT_EQ(find_root_cause(ranks)->rank, 2);
}

TEST(Traceback, SaysWhatTheEnvironmentLacks) {
  EXPECT_NE(advice_on("ModuleNotFoundError: No module named 'horovod'").find("lacks Horovod"), std::string::npos);
  EXPECT_NE(advice_on("ModuleNotFoundError: No module named 'horovod.torch'").find("pip package horovod"),
            std::string::npos);
  EXPECT_NE(advice_on("ImportError: Extension horovod.torch has not been built: ...").find("HOROVOD_WITH_PYTORCH=1"),
            std::string::npos);
  EXPECT_NE(advice_on("ModuleNotFoundError: No module named 'mpi4py'").find("lacks mpi4py"), std::string::npos);
  EXPECT_EQ(advice_on("ModuleNotFoundError: No module named 'horovodx'"), "");
  EXPECT_EQ(advice_on("ValueError: horovod"), "");
}

}  // namespace
}  // namespace roost

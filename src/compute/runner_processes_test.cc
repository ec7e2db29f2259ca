#include "compute/runner_processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include "base/digest.h"
#include "compute/machine.h"

namespace roost {
namespace {

namespace fs = std::filesystem;
using Look = RunnerProcesses::Look;

class RunnerProcessesTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = fs::path(testing::TempDir()) / ("runners-" + random_hex(4)); }
  void TearDown() override {
    if (child_ > 0) end_child();
    (void)remove_tree(folder_);
  }

  // A process that has the lock in the node's folder, as a runner would.
  Node start_runner(const fs::path& nodes) {
    Node node;
    node.id = "n1";
    (void)make_folders(nodes / node.id);
    const std::string lock = (nodes / node.id / kRunnerLock).string();
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    child_ = ::fork();
    if (child_ == 0) {
      const int fd = ::open(lock.c_str(), O_RDWR | O_CREAT, 0600);
      if (::flock(fd, LOCK_EX) != 0 || ::write(ready[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    node.pid = child_;
    node.pid_started = process_start_time(child_).value_or(0);
    return node;
  }
  void end_child() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  bool child_lives() const { return ::kill(child_, 0) == 0; }

  fs::path folder_;
  pid_t child_ = 0;
};

TEST_F(RunnerProcessesTest, ARunnerOfAnEarlierServerIsFoundAndEnded) {
  const Node node = start_runner(folder_);
  RunnerProcesses processes(folder_);
  EXPECT_EQ(processes.look(node), Look::kAlive);
  processes.kill(node);
  EXPECT_EQ(::waitpid(child_, nullptr, 0), child_);
  child_ = 0;
  EXPECT_EQ(processes.look(node), Look::kGone);
}

TEST_F(RunnerProcessesTest, ACopyOfTheFolderLeavesTheRunnersOfTheOriginalAlone) {
  const Node node = start_runner(folder_ / "original");
  fs::copy(folder_ / "original", folder_ / "copy", fs::copy_options::recursive);
  RunnerProcesses processes(folder_ / "copy");
  EXPECT_EQ(processes.look(node), Look::kGone);
  processes.kill(node);
  EXPECT_EQ(RunnerProcesses(folder_ / "original").look(node), Look::kAlive);
}

TEST_F(RunnerProcessesTest, AnotherProcessWithItsPidIsNotTheRunner) {
  Node node = start_runner(folder_);
  node.pid_started += 1;
  RunnerProcesses processes(folder_);
  EXPECT_EQ(processes.look(node), Look::kGone);
  processes.kill(node);
  EXPECT_TRUE(child_lives());
  node.pid = 1 << 30;
  EXPECT_EQ(processes.look(node), Look::kGone);
}

TEST_F(RunnerProcessesTest, WithoutAFreeDescriptorNobodyIsTakenForDead) {
  const Node node = start_runner(folder_);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{3, limit.rlim_max};
  RunnerProcesses fresh(folder_);
  RunnerProcesses seen(folder_);
  EXPECT_EQ(seen.look(node), Look::kAlive);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Look unknown = fresh.look(node);
  const Look held = seen.look(node);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(unknown, Look::kUnknown);
  EXPECT_EQ(held, Look::kAlive);
  end_child();
  EXPECT_EQ(fresh.look(node), Look::kGone);
}

}  // namespace
}  // namespace roost

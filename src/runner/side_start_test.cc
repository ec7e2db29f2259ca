#include "runner/side_start.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/files.h"
#include "runner/launch.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

// A run that does nothing until it is told to end, and programs beside it.
class SideStartTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("roost-side-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
    LaunchSpec spec;
    spec.folder = folder_;
    spec.processes.push_back({{"/bin/sh", "-c", "exec sleep 1000"}, {}, {{"PATH", "/usr/bin:/bin"}}, folder_ / "log"});
    auto launched = launch_processes(spec);
    ASSERT_TRUE(launched) << launched.error().message;
    run_ = std::move(*launched);
  }
  void TearDown() override {
    run_.reset();
    (void)remove_tree(folder_);
  }

  struct Side {
    SideStart::Started started;
    Fd output;
  };
  Side start(std::vector<std::string> words, std::map<std::string, std::string> variables = {{"PATH", "/usr/bin:/bin"}}) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    Fd read(ends[0]);
    const Fd write(ends[1]);
    const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    auto started = run_->sides()->start({std::move(words), std::move(variables), null.get(), write.get(), write.get(), false});
    EXPECT_TRUE(started);
    return {started ? std::move(*started) : SideStart::Started{}, std::move(read)};
  }
  static std::string all_of(const Fd& fd) {
    std::string text;
    char buffer[4096];
    for (;;) {
      const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
      if (got <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(got));
    }
  }

  fs::path folder_;
  std::unique_ptr<RunningProcesses> run_;
};

TEST_F(SideStartTest, AProgramHasItsWordsVariablesAndTheRunsFolder) {
  const Side side = start({"sh", "-c", "printf '%s|%s|%s' \"$1\" \"$X\" \"$(pwd)\"", "sh", "a b"}, {{"PATH", "/usr/bin:/bin"}, {"X", "1=2"}});
  EXPECT_EQ(all_of(side.output), "a b|1=2|" + fs::canonical(folder_).string());
  EXPECT_EQ(all_of(side.started.end), "exit 0\n");
}

TEST_F(SideStartTest, ItsEndIsToldAsItWas) {
  EXPECT_EQ(all_of(start({"sh", "-c", "exit 37"}).started.end), "exit 37\n");
  EXPECT_EQ(all_of(start({"sh", "-c", "kill -9 $$"}).started.end), "signal 9\n");
  EXPECT_EQ(all_of(start({"/no/such/program"}).started.end), "launch 2\n");
  EXPECT_FALSE(run_->is_over());
}

TEST_F(SideStartTest, ManyRunAtOnce) {
  std::vector<Side> sides;
  for (int i = 0; i < 20; ++i) sides.push_back(start({"sh", "-c", "echo " + std::to_string(i)}));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all_of(sides[static_cast<std::size_t>(i)].output), std::to_string(i) + "\n");
}

TEST_F(SideStartTest, ASignalReachesItsWholeGroup) {
  const Side side = start({"sh", "-c", "sleep 1000 & echo up; wait"});
  char up[3] = {};
  ASSERT_EQ(::read(side.output.get(), up, 3), 3);
  run_->sides()->signal(side.started.id, SIGHUP);
  EXPECT_EQ(all_of(side.started.end), "signal 1\n");
  EXPECT_EQ(all_of(side.output), "");  // nobody holds it any more
}

TEST_F(SideStartTest, EndsWithTheRunAndStartsNoMore) {
  const Side side = start({"sh", "-c", "trap '' HUP TERM; echo up; sleep 1000"});
  char up[3] = {};
  ASSERT_EQ(::read(side.output.get(), up, 3), 3);
  const auto sides = run_->sides();
  run_->terminate();
  EXPECT_EQ(all_of(side.started.end), "");
  EXPECT_EQ(all_of(side.output), "");
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  pollfd gone{run_->report_fd(), POLLIN, 0};
  while (!run_->is_over()) {
    (void)run_->take_ends();
    gone.fd = run_->report_fd();
    ::poll(&gone, 1, -1);
  }
  EXPECT_FALSE(sides->start({{"true"}, {}, null.get(), null.get(), null.get(), false}));
}

TEST_F(SideStartTest, WhatIsTooLongIsRefused) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const SideProgram program{{"true", std::string(9 << 20, 'x')}, {}, null.get(), null.get(), null.get(), false};
  EXPECT_FALSE(run_->sides()->start(program));
}

}  // namespace
}  // namespace roost

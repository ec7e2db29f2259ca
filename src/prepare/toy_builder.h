#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>

#include "base/files.h"
#include "prepare/environment_builder.h"

namespace roost {

// Builds at once, or fails with the words that a test gave it, or goes on until somebody ends it.
class ToyBuilder final : public EnvironmentBuilder {
 public:
  Result<BuiltEnvironment> build(const BuildOrder& order, const Hooks& hooks) override {
    std::unique_lock lock(mutex_);
    ++builds;
    const int pid = builds;
    lock.unlock();
    hooks.runs(pid);
    hooks.prints("building\n");
    lock.lock();
    changed_.wait(lock, [&] { return !waits || ended_ == pid; });
    const bool was_ended = ended_ == pid;
    const std::string why = was_ended ? "the build was ended before it was done" : error;
    lock.unlock();
    hooks.runs(0);
    if (!why.empty()) return fail(ErrorCode::kFailedPrecondition, why);
    ROOST_CHECK(make_folders(order.folder));
    BuiltEnvironment built;
    built.builder = "venv";
    built.python = python;
    return built;
  }
  void end_build(int pid) override {
    const std::lock_guard lock(mutex_);
    ended_ = pid;
    changed_.notify_all();
  }
  void go_on() {
    const std::lock_guard lock(mutex_);
    waits = false;
    changed_.notify_all();
  }

  // What a test sets before the first build.
  std::string error;
  std::string python = "/bin/sh";
  bool waits = false;
  int builds = 0;  // so many were begun

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int ended_ = 0;
};

}  // namespace roost

#pragma once

// For tests: a loop whose time passes when it is told.

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "net/loop.h"

namespace roost {

class FakeLoop final : public Loop {
 public:
  void post(std::function<void()> job) override { job(); }
  std::unique_ptr<Timer> after(std::chrono::milliseconds time, std::function<void()> job) override {
    const auto key = std::pair(now_ + time, ++count_);
    (*jobs_)[key] = std::move(job);
    return std::make_unique<FakeTimer>(jobs_, key);
  }
  void pass(std::chrono::milliseconds time) {
    const auto end = now_ + time;
    while (!jobs_->empty() && jobs_->begin()->first.first <= end) {
      now_ = jobs_->begin()->first.first;
      const auto job = std::move(jobs_->begin()->second);
      jobs_->erase(jobs_->begin());
      job();
    }
    now_ = end;
  }

 private:
  using Key = std::pair<std::chrono::milliseconds, int>;
  using Jobs = std::map<Key, std::function<void()>>;
  class FakeTimer final : public Timer {
   public:
    FakeTimer(std::shared_ptr<Jobs> jobs, Key key) : jobs_(std::move(jobs)), key_(key) {}
    ~FakeTimer() override { jobs_->erase(key_); }

   private:
    const std::shared_ptr<Jobs> jobs_;
    const Key key_;
  };

  std::shared_ptr<Jobs> jobs_ = std::make_shared<Jobs>();
  std::chrono::milliseconds now_{0};
  int count_ = 0;
};

}  // namespace roost

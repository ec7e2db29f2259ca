#pragma once

#include <condition_variable>
#include <mutex>

#include "onnx/test_onnx.h"

namespace roost {

// y = 2 x in rows of one float. Fails for a row below zero. With the gate closed, runs wait until it is opened.
class FakeRunner final : public ModelRunner {
 public:
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, std::span<const std::string> outputs,
                                  Deadline deadline) override {
    const std::vector<float> values = values_of<float>(inputs[0]);
    {
      std::unique_lock lock(mutex_);
      sizes_.push_back(inputs[0].shape[0]);
      most_ = std::max(most_, ++now_);
      changed_.notify_all();
      const bool opened = changed_.wait_until(lock, deadline, [this] { return open_; });
      --now_;
      if (!opened) return fail(ErrorCode::kDeadlineExceeded, "late");
    }
    std::vector<float> doubled;
    for (const float value : values) {
      if (value < 0) return fail(ErrorCode::kInvalidArgument, "below zero");
      doubled.push_back(value * 2);
    }
    if (gives_one_row) doubled.resize(1);
    return std::vector{floats(outputs[0], {static_cast<std::int64_t>(doubled.size()), 1}, doubled)};
  }

  void close() { set(false); }
  void open() { set(true); }
  // Until so many runs were begun, in all.
  void await_runs(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sizes_.size() >= count; });
  }
  std::vector<std::int64_t> sizes() const {  // rows of each run, in order
    const std::lock_guard lock(mutex_);
    return sizes_;
  }
  int most_at_once() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }

  bool gives_one_row = false;

 private:
  void set(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int now_ = 0;
  int most_ = 0;
  std::vector<std::int64_t> sizes_;
};

}  // namespace roost

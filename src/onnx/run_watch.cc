#include "onnx/run_watch.h"

namespace roost {

RunCutoff::RunCutoff() : thread_([this](const std::stop_token& stop) { loop(stop); }) {}

RunCutoff::~RunCutoff() = default;

RunCutoff::Guard::~Guard() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.entries_.erase(entry_);
}

RunCutoff::Guard RunCutoff::watch(Time time, std::function<void()> expired) {
  bool is_first = false;
  Entries::iterator entry;
  {
    const std::lock_guard lock(mutex_);
    entry = entries_.emplace(time, std::move(expired));
    is_first = time < sleeping_until_;
    if (is_first) sleeping_until_ = time;
  }
  if (is_first) changed_.notify_one();
  return {*this, entry};
}

void RunCutoff::loop(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Time now = std::chrono::steady_clock::now();
    sleeping_until_ = Time::max();
    // Entries stay until their guards go; what was called is not called again.
    for (auto& [time, expired] : entries_) {
      if (time > now) {
        sleeping_until_ = time;
        break;
      }
      if (expired) std::exchange(expired, nullptr)();
    }
    const Time until = sleeping_until_;
    // Woken only for an earlier time: who is done leaves without a word.
    if (until == Time::max()) {
      changed_.wait(lock, stop, [&] { return sleeping_until_ < until; });
    } else {
      changed_.wait_until(lock, stop, until, [&] { return sleeping_until_ < until; });
    }
  }
}

}  // namespace roost

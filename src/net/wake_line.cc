#include "net/wake_line.h"

#include <utility>

namespace roost {

WakeLine::WakeLine(std::function<void()> ring) : ring_(std::move(ring)) {}

void WakeLine::wake() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(woken_, true) && ring_) ring_();
}

bool WakeLine::rearm() {
  const std::lock_guard lock(mutex_);
  return std::exchange(woken_, false);
}

bool WakeLine::woken() const {
  const std::lock_guard lock(mutex_);
  return woken_;
}

void WakeLine::cut() {
  const std::lock_guard lock(mutex_);
  ring_ = nullptr;
}

}  // namespace roost

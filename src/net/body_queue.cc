#include "net/body_queue.h"

#include <utility>

namespace roost {

BodyQueue::BodyQueue(std::function<void()> changed) : changed_(std::move(changed)) {}

Result<std::string> BodyQueue::read() {
  std::unique_lock lock(mutex_);
  const bool first = !std::exchange(wanted_, true);
  if (first && !finished_ && !error_) {
    lock.unlock();
    changed_();
    lock.lock();
  }
  ready_.wait(lock, [this] { return error_ || finished_ || !bytes_.empty(); });
  if (error_) return roost::fail(*error_);
  std::string piece = std::exchange(bytes_, std::string());
  lock.unlock();
  if (piece.size() >= kCapacity) changed_();
  return piece;
}

void BodyQueue::push(std::string& bytes) {
  if (bytes.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (bytes_.empty()) {
      bytes_.swap(bytes);
    } else {
      bytes_ += bytes;
    }
  }
  bytes.clear();
  ready_.notify_one();
}

bool BodyQueue::full() const {
  const std::lock_guard lock(mutex_);
  return bytes_.size() >= kCapacity;
}

bool BodyQueue::wanted() const {
  const std::lock_guard lock(mutex_);
  return wanted_;
}

void BodyQueue::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  ready_.notify_one();
}

void BodyQueue::fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  ready_.notify_one();
}

}  // namespace roost

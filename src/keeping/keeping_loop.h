#pragma once

#include <stop_token>
#include <thread>

#include "base/wake.h"
#include "keeping/keeping_parts.h"

namespace roost {

// The thread that keeps the data folder small: deletes for good what was asked for and what has been in the bin long
// enough, applies the retention rules, and collects garbage daily and when the disk gets full. Everything it has to do is
// in the database or follows from the time.
class KeepingLoop {
 public:
  explicit KeepingLoop(KeepingParts parts) : parts_(std::move(parts)), waiter_(wake_) {}
  ~KeepingLoop() { stop(); }

  void start();
  void stop();
  // Something is to be deleted for good, or a rule changed.
  void wake() { wake_.notify(); }

 private:
  void run(const std::stop_token& stop);
  void empty_bin();
  void collect_if_due();

  KeepingParts parts_;
  Wake wake_;
  Wake::Waiter waiter_;
  std::jthread thread_;
};

}  // namespace roost

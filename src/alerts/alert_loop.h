#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <thread>

#include "alerts/alert_parts.h"
#include "base/wake.h"
#include "records/alert_records.h"

namespace roost {

// The thread that sends what was written down as to be sent (raise_alert), and looks for what nobody reports: GPUs without
// work and a disk that gets full. What was taken by its receiver is written down after it: a server that is killed between
// the two sends it once more, under the same id. What cannot be sent is tried again, later and later, for a day.
class AlertLoop {
 public:
  explicit AlertLoop(AlertParts parts) : parts_(std::move(parts)), waiter_(wake_) {}
  ~AlertLoop() { stop(); }

  void start();
  void stop();

  // Sends one alert to the channel now and writes down what came of it. On the caller's thread.
  Result<Alert> test(const std::string& channel, const std::string& who);

 private:
  void run(const std::stop_token& stop);
  void send_due(const std::stop_token& stop);
  void send_one(Alert alert, std::map<std::string, Micros>& failed);
  void look_around();
  void look_at_gpus();
  void look_at_disk();
  std::chrono::nanoseconds until_next_due();

  AlertParts parts_;
  Wake wake_;
  Wake::Waiter waiter_;
  bool disk_was_low_ = false;
  Micros looked_ = 0;
  ChangeHub::Subscription runs_changed_;
  std::jthread thread_;
};

}  // namespace roost

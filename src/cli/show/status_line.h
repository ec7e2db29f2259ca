#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/show/style.h"

namespace roost {

// One line at the foot of a terminal that says what is being waited for and for how long, redrawn
// by a thread of its own. Does nothing when standard error is no terminal. Thread-safe.
class StatusLine {
 public:
  StatusLine(const Style& style, bool shown);
  ~StatusLine();  // removes the line
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Shows `text` with the time since this call.
  void show(const std::string& text);
  // Removes the line until the next show(); other output may be written after it.
  void hide();

 private:
  void redraw();

  const Style style_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::chrono::steady_clock::time_point since_;
  bool drawn_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace roost

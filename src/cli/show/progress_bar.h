#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "cli/show/style.h"

namespace roost {

// "Uploading  ████████░░░░  42 %  1.2 GB of 2.9 GB  84 MB/s  20 s left", at most `width` columns.
std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total,
                          double seconds, int width, const Style& style);

// Shows on standard error how far a transfer is: one line redrawn in place on a terminal, nothing
// in a pipe. update() may be called from any thread.
class ProgressBar {
 public:
  // A transfer that ends within the first tenth of a second shows no bar.
  ProgressBar(std::string label, std::uint64_t total, const Style& style, bool quiet);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Removes the line, so that other output may follow.
  void clear();
  void set_total(std::uint64_t total);
  void update(std::uint64_t done);
  void add(std::uint64_t more);
  std::uint64_t done() const;
  double seconds() const;

 private:
  void draw();

  const std::string label_;
  const Style style_;
  const bool shown_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_draw_ = start_;
};

}  // namespace roost

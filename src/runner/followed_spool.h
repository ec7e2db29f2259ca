#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"

namespace roost {

// A spool file (docs/spool.md) as a stream of whole lines. A line that is too long for the server is left
// out of the stream, so that what follows it is not kept back.
class FollowedSpool {
 public:
  static constexpr std::size_t kLongestLine = 8 << 20;

  void see(int root, const std::string& path);
  // Whole lines after sent(), about `limit` bytes at most, and nothing from the first NUL on, which
  // stands for what has not been written yet.
  std::string next_lines(std::size_t limit);
  std::uint64_t sent() const { return sent_; }
  void set_sent(std::uint64_t length) { sent_ = length; }
  // Once for each line that was left out: how long it is.
  std::optional<std::uint64_t> take_left_out();

 private:
  // Where in the file the stream goes on.
  std::uint64_t place() const;

  Fd fd_;
  std::uint64_t sent_ = 0;
  std::uint64_t searched_ = 0;  // no newline from place() to here
  std::vector<std::pair<std::uint64_t, std::uint64_t>> left_out_;  // at this place of the stream, so many bytes
  std::size_t told_ = 0;
};

}  // namespace roost

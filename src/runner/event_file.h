#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "runner/notices.h"
#include "tensorboard/summary_lines.h"

namespace roost {

// One file that TensorBoard would read, as far as it was read: its bytes from here on become lines of the spool.
// The file may grow, be written anew with the same beginning, or lie elsewhere at the next look.
class EventFile {
 public:
  static constexpr std::size_t kWindow = 1 << 20;

  // `from`: what lies before it is not this attempt's.
  EventFile(std::string prefix, std::uint64_t from) : lines_(std::move(prefix)), at_(from) {}

  struct Read {
    std::string lines;
    std::vector<EventPicture> pictures;
    bool more = false;  // there is more of it to read now
  };
  // Reads on from an open file of `size` bytes; about kWindow bytes, or one event if it is larger.
  Read read(int fd, std::uint64_t size, Micros now);
  // Whether a file of this size has anything that was not read.
  bool wants(std::uint64_t size) const { return size > at_ && size >= needed_; }
  SummaryLines& lines() { return lines_; }
  // What became of what could not be read; `size` as it is at the end.
  void tell(const std::string& name, std::uint64_t size, Notices& notices) const;

 private:
  SummaryLines lines_;
  std::uint64_t at_ = 0;
  std::uint64_t needed_ = 0;  // nothing can be said before the file has as many bytes
  std::uint64_t corrupt_ = 0;
  std::uint64_t huge_ = 0;
};

}  // namespace roost

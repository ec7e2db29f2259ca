#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "base/files.h"

namespace roost {

// Wakes a thread that polls. raise() on any thread, the rest on the polling one.
class Interrupt {
 public:
  Interrupt() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void raise() {
    raised_ = true;
    const std::uint64_t one = 1;
    if (::write(fd_.get(), &one, sizeof one) < 0) return;  // it is raised already
  }

  // Whether it was raised since reset() or before. Stays so until reset().
  bool taken() {
    if (raised_.exchange(false)) taken_ = true;
    return taken_;
  }
  void reset() { taken_ = false; }

  // Readable after raise(), until drain().
  int fd() const { return fd_.get(); }
  void drain() {
    std::uint64_t count = 0;
    if (::read(fd_.get(), &count, sizeof count) < 0) return;  // nothing to drain
  }

 private:
  Fd fd_;
  std::atomic<bool> raised_{false};
  bool taken_ = false;
};

}  // namespace roost

#include "base/inside_write.h"

#include <atomic>
#include <cstdlib>

#include "base/log.h"

namespace roost {
namespace {

std::atomic<std::int64_t> caught{0};

}  // namespace

std::int64_t caught_inside_write() { return caught; }

void report_inside_write(std::string_view what) {
  ++caught;
  log_error("{} {} inside a write of the database, where nothing but SQL belongs: everybody waits for it",
            InsideWrite::activity(), what);
#ifndef NDEBUG
  std::abort();
#endif
}

}  // namespace roost

#pragma once

#include <cstdint>
#include <string_view>

namespace roost {

// Nothing but SQL belongs into a write transaction of the database: everybody who writes waits for its end, and one
// slow disk would stop them all. The database marks the thread that runs one, and whatever touches files or starts
// programs asks. Work in a transaction that it should not do is a broken invariant: with assertions (dev, asan, tsan)
// it aborts, else it is an error in the log, which every scenario looks for.
class InsideWrite {
 public:
  // `activity` is whom the transaction is for; it must live as long as this.
  explicit InsideWrite(std::string_view activity) { activity_ = activity; }
  ~InsideWrite() { activity_ = {}; }
  InsideWrite(const InsideWrite&) = delete;
  InsideWrite& operator=(const InsideWrite&) = delete;

  // "" outside.
  static std::string_view activity() { return activity_; }

 private:
  static inline thread_local std::string_view activity_;
};

// How often this process was caught; for tests.
std::int64_t caught_inside_write();
void report_inside_write(std::string_view what);

// `what` is "reads a file", say.
inline void check_outside_write(std::string_view what) {
  if (!InsideWrite::activity().empty()) report_inside_write(what);
}

}  // namespace roost

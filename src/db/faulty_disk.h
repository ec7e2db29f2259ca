#pragma once

#include <sqlite3.h>

#include <atomic>
#include <memory>

namespace roost {

// A disk for tests that stops working at a chosen operation. It stands between every database opened while it lives
// and the real files: from the n-th write, sync, truncation or growth on, each fails until heal(). One at a time.
class FaultyDisk {
 public:
  enum class Fault { kFull, kBroken };

  FaultyDisk();
  ~FaultyDisk();  // databases opened meanwhile must be closed
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // The operation number `nth` from here (1 is the next one) and all after it fail.
  void fail_from(int nth, Fault fault);
  void heal();
  // Whether an operation failed since fail_from().
  bool struck() const { return struck_; }

  // For the files: what the operation at hand should answer instead, SQLITE_OK to go on. `broken` is how a broken disk
  // fails at it.
  int strike(int broken);

 private:
  sqlite3_vfs vfs_;
  std::atomic<int> left_ = -1;  // operations that still work; < 0: all
  std::atomic<Fault> fault_ = Fault::kFull;
  std::atomic<bool> struck_ = false;
};

}  // namespace roost

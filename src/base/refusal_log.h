#pragma once

#include <map>
#include <mutex>
#include <string>

#include "base/clock.h"

namespace roost {

// Says in the log that somebody was refused: the first time at once, then once an interval how often it was since.
// Whoever asks too much must not fill the disk as well. Thread-safe.
class RefusalLog {
 public:
  // The clock must outlive this.
  explicit RefusalLog(const Clock& clock, Micros every = 60 * kSecond) : clock_(clock), every_(every) {}

  // `who` tells callers apart and is not shown, for it may be a secret. `name` is shown, `words` say what of.
  void refused(const std::string& who, const std::string& name, const std::string& words);
  // Says what is due. Costs nothing while nobody is refused; to be called now and then.
  void sum_up();

 private:
  struct Count {
    std::string name;
    Micros said = 0;
    std::int64_t unsaid = 0;
  };
  void sum_up_locked(Micros now);

  const Clock& clock_;
  const Micros every_;
  std::mutex mutex_;
  Micros next_ = 0;  // when something is due; 0: nothing ever
  std::map<std::string, Count> counts_;
};

}  // namespace roost

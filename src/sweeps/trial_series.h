#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace roost {

struct LoggedValue {
  double value = 0;
  std::optional<std::int64_t> step;
};

// What a trial has logged of the primary metric, over all attempts that go on from one another. An attempt that was paused
// or preempted is gone on with: the next one's values follow. One that was lost is not, unless the script logs steps, by
// which it is seen where it goes on. Values of steps that are logged again are dropped. An infinite value is taken as NaN:
// nothing could ever be better.
class TrialSeries {
 public:
  std::int64_t attempt() const { return attempt_; }
  std::int64_t count_of_attempt() const { return of_attempt_; }
  void next_attempt(bool goes_on);
  void add(const std::vector<LoggedValue>& more);
  // Before anything of its own: what the trial that it goes on from had logged so far.
  void inherit(const TrialSeries& from, std::int64_t count);

  const std::vector<double>& values() const { return values_; }

 private:
  void begin(const LoggedValue& first);

  std::int64_t attempt_ = 1;
  std::int64_t of_attempt_ = 0;
  bool is_new_ = false;  // an attempt that has logged nothing yet, after others
  bool goes_on_ = false;
  std::vector<double> values_;
  std::vector<std::optional<std::int64_t>> steps_;  // as many
};

}  // namespace roost

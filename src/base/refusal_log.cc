#include "base/refusal_log.h"

#include <algorithm>

#include "base/log.h"

namespace roost {

void RefusalLog::refused(const std::string& who, const std::string& name, const std::string& words) {
  const Micros now = clock_.steady();
  const std::lock_guard lock(mutex_);
  sum_up_locked(now);
  const auto [at, is_new] = counts_.try_emplace(who, Count{name, now, 0});
  if (!is_new) {
    ++at->second.unsaid;
    return;
  }
  log_warning("{} was refused: {}; further ones are counted", name, words);
  if (next_ == 0) next_ = now + every_;
}

void RefusalLog::sum_up() {
  const std::lock_guard lock(mutex_);
  sum_up_locked(clock_.steady());
}

void RefusalLog::sum_up_locked(Micros now) {
  if (next_ == 0 || now < next_) return;
  next_ = 0;
  for (auto at = counts_.begin(); at != counts_.end();) {
    Count& count = at->second;
    if (now - count.said >= every_) {
      if (count.unsaid == 0) {
        at = counts_.erase(at);
        continue;
      }
      log_warning("{} was refused {} more times in the last {} s", count.name, count.unsaid, (now - count.said) / kSecond);
      count.unsaid = 0;
      count.said = now;
    }
    const Micros due = count.said + every_;
    next_ = next_ == 0 ? due : std::min(next_, due);
    ++at;
  }
}

}  // namespace roost

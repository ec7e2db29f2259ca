#include "runner/hang_watch.h"

#include <algorithm>
#include <set>

namespace roost {
namespace {

constexpr std::int64_t kIdleTicks = 4;  // hundredths of a second of CPU between two calls: timers of sleeping processes
constexpr double kLooks = 200;          // in hang_seconds: a loop at work is hardly found at one line in all of them

double seconds(HangWatch::Time::duration time) { return std::chrono::duration<double>(time).count(); }

bool have_ranks(const std::vector<int>& pids) {
  std::set<std::string> ranks;
  for (const int pid : pids) ranks.insert(variable_of(pid, "RANK"));
  ranks.erase("");
  return ranks.size() > 1;
}

}  // namespace

double HangWatch::idle_seconds(Time now, std::int64_t bytes, const std::vector<TreeProcess>& processes, int ranks,
                               const Places& places_of) {
  std::int64_t used = 0;
  std::vector<int> busy;
  std::map<int, std::int64_t> ticks;
  for (const auto& process : processes) {
    const auto seen = ticks_seen_.find(process.pid);
    const std::int64_t delta = process.ticks - (seen == ticks_seen_.end() ? 0 : seen->second);
    used += delta;
    if (delta > kIdleTicks) busy.push_back(process.pid);
    ticks[process.pid] = process.ticks;
  }
  ticks_seen_ = std::move(ticks);
  if (processes.empty() || bytes != bytes_seen_) {
    last_active_ = last_bytes_ = now;
    places_seen_.clear();
  } else if (used > kIdleTicks) {
    const bool may_ask = hang_seconds_ > 0 && seconds(now - last_bytes_) >= hang_seconds_ / 4;
    const bool stand = may_ask && (ranks > 1 || have_ranks(busy)) && stand_still(now, busy, places_of);
    if (!stand) last_active_ = now;
  }
  bytes_seen_ = bytes;
  return seconds(now - last_active_);
}

bool HangWatch::stand_still(Time now, const std::vector<int>& busy, const Places& places_of) {
  if (now < next_look_) return true;  // as far as is known
  const bool told = seconds(now - last_active_) >= hang_seconds_;
  next_look_ = now + std::chrono::duration_cast<Time::duration>(
                         std::chrono::duration<double>(hang_seconds_ / kLooks * (told ? 10 : 1)));
  auto places = places_of(busy);
  const bool still = std::all_of(busy.begin(), busy.end(), [&](int pid) {
    const auto place = places.find(pid);
    const auto before = places_seen_.find(pid);
    return place != places.end() && before != places_seen_.end() && place->second == before->second;
  });
  // Those that were not busy this time stay known.
  for (auto& [pid, place] : places) places_seen_[pid] = std::move(place);
  return still;
}

}  // namespace roost

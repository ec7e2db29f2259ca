#include "cli/show/sweep_estimate.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "cli/show/run_text.h"
#include "cli/show/times.h"

namespace roost {
namespace {

constexpr std::int64_t kMostSteps = 100'000;  // beyond it nobody asks for the minute

std::int64_t count(const Json& sweep, const char* kind) { return integer_at(member(sweep, "counts"), kind); }

struct Pace {
  Micros mean = 0;              // of the trials that ended
  std::vector<Micros> elapsed;  // of those that run
};

std::optional<Pace> pace_of(const Json& trials, Micros now) {
  Pace pace;
  std::int64_t ended = 0;
  for (const Json& trial : trials) {
    const auto start = time_field(trial, "started_at");
    if (!start) continue;
    const auto end = time_field(trial, "ended_at");
    if (end) {
      pace.mean += std::max<Micros>(0, *end - *start);
      ++ended;
    } else if (!is_terminal_status(text_field(trial, "status"))) {
      pace.elapsed.push_back(std::max<Micros>(0, now - *start));
    }
  }
  if (ended == 0) return std::nullopt;
  pace.mean /= ended;
  return pace;
}

// How many run side by side. Where trials wait although the limit would let them run, the nodes are the limit.
std::int64_t slots_of(const Json& sweep, std::int64_t running, std::int64_t left) {
  std::int64_t slots = integer_at(member(sweep, "spec"), "max_concurrent_runs", running + left);
  if (count(sweep, "waiting") > 0 && running > 0) slots = std::min(slots, running);
  return std::max<std::int64_t>(1, slots);
}

}  // namespace

std::int64_t planned_trials(const Json& sweep) {
  const std::int64_t limit = integer_at(member(sweep, "spec"), "max_total_runs");
  const std::int64_t points = integer_at(sweep, "space_size", limit);
  return std::max(made_trials(sweep), std::min(limit, points));
}

std::int64_t made_trials(const Json& sweep) {
  return ended_trials(sweep) + count(sweep, "waiting") + count(sweep, "running") + count(sweep, "paused");
}

std::int64_t ended_trials(const Json& sweep) {
  return count(sweep, "completed") + count(sweep, "stopped") + count(sweep, "failed") + count(sweep, "canceled");
}

std::optional<Micros> estimated_end(const Json& sweep, const Json& trials, Micros now) {
  const std::string phase = text_field(sweep, "phase");
  if (phase != "running" && phase != "stopping") return std::nullopt;
  const auto pace = pace_of(trials, now);
  if (!pace) return std::nullopt;
  const auto running = static_cast<std::int64_t>(pace->elapsed.size());
  std::int64_t left = count(sweep, "waiting");
  if (phase == "running") left += planned_trials(sweep) - made_trials(sweep);
  left = std::clamp<std::int64_t>(left, 0, kMostSteps);

  // Each slot by when it is free next; whoever waits takes the first.
  std::priority_queue<Micros, std::vector<Micros>, std::greater<>> slots;
  for (const Micros elapsed : pace->elapsed) slots.push(now + std::max<Micros>(0, pace->mean - elapsed));
  const std::int64_t most = std::min(slots_of(sweep, running, left), running + left);
  while (static_cast<std::int64_t>(slots.size()) < most) slots.push(now);
  Micros end = now;
  for (; left > 0; --left) {
    const Micros free = slots.top();
    slots.pop();
    slots.push(free + pace->mean);
  }
  for (; !slots.empty(); slots.pop()) end = std::max(end, slots.top());

  const std::int64_t minutes = integer_at(member(sweep, "spec"), "max_duration_minutes");
  if (const auto created = time_field(sweep, "created_at"); created && minutes > 0) {
    end = std::max(now, std::min(end, *created + minutes * 60 * kSecond));
  }
  return end;
}

}  // namespace roost

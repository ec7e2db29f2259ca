#include "sweeps/sweep_loop.h"

#include <algorithm>

#include "base/log.h"
#include "base/report_error.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

// However often runs change, and whether or not anybody says so. Looking at thousands of children takes its time: the loop
// leaves most of it to others.
constexpr milliseconds kRest{20};
constexpr milliseconds kTick{500};
constexpr milliseconds kMostRest{400};
constexpr Micros kRestsPerTurn = 3;

}  // namespace

void SweepLoop::start() {
  changed_ = parts_.changes.hub().subscribe("runs", [this] { wake_.notify(); });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void SweepLoop::stop() {
  changed_.end();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void SweepLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Micros begun = parts_.clock.steady();
    take_turn("moving sweeps", [this] { turn(); });
    const milliseconds took(kRestsPerTurn * (parts_.clock.steady() - begun) / 1000);
    waiter_.pause(stop, std::clamp(took, kRest, kMostRest));
    waiter_.wait_for(stop, kTick);
  }
}

bool SweepLoop::turn() {
  std::vector<SweepRow> active;
  const Status read = parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(active, active_sweeps(tx));
    return {};
  });
  if (!read) {
    report(0, read.error());
    return true;
  }
  for (const auto& row : active) {
    const Status done = turn_of(row.run);
    if (done) {
      troubles_.erase(row.run);
      continue;
    }
    live_.erase(row.run);
    report(row.run, done.error());
  }
  return !active.empty();
}

Status SweepLoop::turn_of(std::int64_t sweep) {
  auto found = live_.find(sweep);
  if (found == live_.end()) {
    ROOST_TRY(LiveSweep loaded, LiveSweep::load(parts_, sweep));
    found = live_.emplace(sweep, std::move(loaded)).first;
  }
  ROOST_CHECK(found->second.take_turn());
  if (found->second.is_over()) live_.erase(found);
  return {};
}

void SweepLoop::report(std::int64_t sweep, const Error& error) {
  std::string& last = troubles_[sweep];
  if (last == error.message) return;
  last = error.message;
  log_warning("a sweep waits: {}", error.message);
}

}  // namespace roost

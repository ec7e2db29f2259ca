#include "schedule/queue_mirror.h"

#include "records/queue_records.h"

namespace roost {
namespace {

constexpr Micros kRemembered = 12 * kUseHalfLife;

}  // namespace

Status QueueMirror::refresh(Tx& tx, Micros now) {
  if (!has_read_) ROOST_CHECK(read_all(tx, now));
  ROOST_TRY(const std::int64_t newest, last_event(tx));
  if (newest != event_) {
    ROOST_TRY(auto changes, queue_changes(tx, event_));
    for (auto& change : changes) {
      remove(change.run);
      if (!change.waits) continue;
      const Key key(change.waits->workspace, change.waits->compute);
      queues_[key].put(std::move(change.waits->run));
      places_[change.run] = key;
    }
    event_ = newest;
  }
  ROOST_TRY(auto placed, placed_runs(tx));
  running_.clear();
  for (auto& [workspace, compute, run] : placed) {
    PastUse& past = past_[{workspace, compute}];
    past.add(run.user, static_cast<double>(run.nodes), std::max(used_until_, run.started), now);
    past.note_start(run.user, run.started);
    running_[{workspace, compute}].push_back(std::move(run));
  }
  used_until_ = now;
  return {};
}

Status QueueMirror::read_all(Tx& tx, Micros now) {
  ROOST_TRY(auto all, read_queue(tx));
  ROOST_TRY(const auto uses, node_uses(tx, now - kRemembered));
  ROOST_TRY(event_, last_event(tx));
  for (auto& [workspace, compute, run] : all) {
    places_[run.seq] = {workspace, compute};
    queues_[{workspace, compute}].put(std::move(run));
  }
  for (const auto& use : uses) {
    PastUse& past = past_[{use.workspace, use.compute}];
    past.add(use.user, 1, use.from, use.to.value_or(now));
    past.note_start(use.user, use.from);
  }
  used_until_ = now;
  has_read_ = true;
  return {};
}

void QueueMirror::started(std::int64_t run) { remove(run); }

void QueueMirror::remove(std::int64_t run) {
  const auto place = places_.find(run);
  if (place == places_.end()) return;
  queues_.at(place->second).remove(run);
  places_.erase(place);
}

const RunQueue* QueueMirror::queue(const std::string& workspace, const std::string& compute) const {
  const auto found = queues_.find({workspace, compute});
  return found == queues_.end() || found->second.empty() ? nullptr : &found->second;
}

const PastUse* QueueMirror::past(const std::string& workspace, const std::string& compute) const {
  const auto found = past_.find({workspace, compute});
  return found == past_.end() ? nullptr : &found->second;
}

std::vector<RunningRun> QueueMirror::running(const std::string& workspace, const std::string& compute) const {
  const auto found = running_.find({workspace, compute});
  return found == running_.end() ? std::vector<RunningRun>() : found->second;
}

}  // namespace roost

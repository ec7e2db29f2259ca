#include "schedule/run_queue.h"

namespace roost {

void RunQueue::put(QueuedRun run) {
  remove(run.seq);
  ++version_;
  places_[run.seq] = {run.priority, run.user};
  if (run.provisioning) provisioning_.insert(run.seq);
  Runs& runs = levels_[run.priority][run.user];
  runs.emplace_hint(runs.end(), run.seq, std::move(run));
}

const QueuedRun* RunQueue::find(std::int64_t seq) const {
  const auto place = places_.find(seq);
  if (place == places_.end()) return nullptr;
  return &levels_.at(place->second.priority).at(place->second.user).at(seq);
}

void RunQueue::remove(std::int64_t seq) {
  const auto place = places_.find(seq);
  if (place == places_.end()) return;
  ++version_;
  const auto level = levels_.find(place->second.priority);
  const auto user = level->second.find(place->second.user);
  user->second.erase(seq);
  if (user->second.empty()) level->second.erase(user);
  if (level->second.empty()) levels_.erase(level);
  places_.erase(place);
  provisioning_.erase(seq);
}

}  // namespace roost

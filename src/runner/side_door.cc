#include "runner/side_door.h"

namespace roost {

void SideDoor::open(std::shared_ptr<SideStart> start, std::map<int, Variables> ranks, int user, int group) {
  const std::lock_guard lock(mutex_);
  start_ = std::move(start);
  ranks_ = std::move(ranks);
  user_ = user;
  group_ = group;
}

void SideDoor::close() {
  const std::lock_guard lock(mutex_);
  start_.reset();
}

std::optional<SideDoor::Way> SideDoor::way(std::optional<int> rank) const {
  const std::lock_guard lock(mutex_);
  if (!start_ || ranks_.empty()) return std::nullopt;
  const auto found = rank ? ranks_.find(*rank) : ranks_.begin();
  if (found == ranks_.end()) return std::nullopt;
  return Way{start_, found->second, user_, group_};
}

}  // namespace roost

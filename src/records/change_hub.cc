#include "records/change_hub.h"

#include <utility>

namespace roost {

ChangeHub::Subscription& ChangeHub::Subscription::operator=(Subscription&& other) noexcept {
  if (this != &other) {
    end();
    hub_ = std::exchange(other.hub_, nullptr);
    key_ = std::move(other.key_);
    id_ = other.id_;
  }
  return *this;
}

void ChangeHub::Subscription::end() {
  ChangeHub* hub = std::exchange(hub_, nullptr);
  if (!hub) return;
  const std::lock_guard lock(hub->mutex_);
  const auto it = hub->followers_.find(key_);
  if (it == hub->followers_.end()) return;
  it->second.erase(id_);
  if (it->second.empty()) hub->followers_.erase(it);
}

ChangeHub::Subscription ChangeHub::subscribe(const std::string& key, std::function<void()> changed) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = next_id_++;
  followers_[key].emplace(id, std::move(changed));
  return Subscription(*this, key, id);
}

void ChangeHub::publish(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto it = followers_.find(key);
  if (it == followers_.end()) return;
  for (const auto& [id, changed] : it->second) changed();
}

}  // namespace roost

#include "compute/host_choice.h"

namespace roost {
namespace {

constexpr Micros kPassedOver = 300'000'000;

}  // namespace

bool HostChoice::is_well(std::size_t host, Micros now) const {
  return failed_[host] == 0 || now - failed_[host] >= kPassedOver;
}

std::size_t HostChoice::choose(const std::string& node, std::int64_t slot, Micros now) {
  const std::lock_guard lock(mutex_);
  const std::size_t first = static_cast<std::size_t>(slot) % failed_.size();
  std::size_t host = first;
  for (std::size_t i = 0; i < failed_.size(); ++i) {
    const std::size_t next = (first + i) % failed_.size();
    if (!is_well(next, now)) continue;
    host = next;
    break;
  }
  chosen_[node] = host;
  return host;
}

std::optional<std::size_t> HostChoice::note_failed(const std::string& node, Micros now) {
  const std::lock_guard lock(mutex_);
  const auto found = chosen_.find(node);
  if (found == chosen_.end()) return std::nullopt;
  const std::size_t host = found->second;
  chosen_.erase(found);
  failed_[host] = now;
  for (std::size_t i = 0; i < failed_.size(); ++i) {
    if (is_well(i, now)) return host;
  }
  return std::nullopt;
}

void HostChoice::forget(const std::string& node) {
  const std::lock_guard lock(mutex_);
  chosen_.erase(node);
}

}  // namespace roost

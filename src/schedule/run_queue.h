#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "domain/queued_run.h"

namespace roost {

// The runs that wait for one compute, kept in the order in which they are looked at: by priority, then
// by user, then by age. Changing it costs O(log n), so that a cycle need not read a long queue again.
class RunQueue {
 public:
  using Runs = std::map<std::int64_t, QueuedRun>;                             // by seq: the oldest first
  using Users = std::map<std::string, Runs>;
  using Levels = std::map<std::int64_t, Users, std::greater<std::int64_t>>;  // by priority

  // Replaces what was known of the run.
  void put(QueuedRun run);
  void remove(std::int64_t seq);
  const QueuedRun* find(std::int64_t seq) const;  // null if it does not wait here

  const Levels& levels() const { return levels_; }
  // Those that are shown as Provisioning, by seq.
  const std::set<std::int64_t>& provisioning() const { return provisioning_; }
  std::size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }
  std::uint64_t version() const { return version_; }  // another one after each change

 private:
  struct Place {
    std::int64_t priority;
    std::string user;
  };
  Levels levels_;
  std::uint64_t version_ = 0;
  std::unordered_map<std::int64_t, Place> places_;
  std::set<std::int64_t> provisioning_;
};

}  // namespace roost

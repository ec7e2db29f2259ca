#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace roost {

// Which of several hosts a new node goes to: by turns, and past those where a start failed a short time
// ago, unless it did so everywhere. Thread-safe.
class HostChoice {
 public:
  explicit HostChoice(std::size_t count) : failed_(count) {}

  // The host for a node in this slot; remembered under the node's name.
  std::size_t choose(const std::string& node, std::int64_t slot, Micros now);
  // The start of that node failed. The host, if it is passed over from now on while another one is not.
  std::optional<std::size_t> note_failed(const std::string& node, Micros now);
  void forget(const std::string& node);

 private:
  bool is_well(std::size_t host, Micros now) const;

  std::mutex mutex_;
  std::vector<Micros> failed_;  // when, by host; 0: never
  std::map<std::string, std::size_t> chosen_;
};

}  // namespace roost

#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "base/files.h"
#include "domain/compute.h"

namespace roost {

// The runners of this machine that belong to one data folder, each held by a pidfd once it was seen to be ours. A
// process is taken for a node's runner only if pid and start time are those of the node and the lock in the
// node's folder is held: the database of a restored backup names the runners of the original. Thread-safe.
class RunnerProcesses {
 public:
  // `nodes` has a folder for each node.
  explicit RunnerProcesses(std::filesystem::path nodes) : nodes_(std::move(nodes)) {}

  // A child of ours that was just started for the node.
  void started(const Node& node);
  // kGone only for certain: there is no such process, or it is another, or it works for another folder. Whatever
  // could not be found out, for want of a descriptor say, is kUnknown.
  enum class Look { kAlive, kGone, kUnknown };
  Look look(const Node& node);
  // SIGKILL, if it is certainly the node's runner. Everybody else is left alone.
  void kill(const Node& node);
  void forget(const Node& node);

  // Whether that process works in the node's folder.
  Look works_for(const Node& node, std::int64_t pid) const;

 private:
  struct Held {
    std::int64_t pid = 0;
    Fd pidfd;
  };
  Look look_locked(const Node& node);

  const std::filesystem::path nodes_;
  std::mutex mutex_;
  std::map<std::string, Held> held_;  // by node
};

}  // namespace roost

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace roost {

// How much of the node a run may use; 0 is no limit.
struct Limits {
  std::uint64_t memory = 0;  // bytes
  double cpus = 0;
};
Limits limits_from(const Json& json);  // {"memory", "cpus"}
std::string limits_text(const Limits& limits);
// The stricter of both in each.
Limits least_of(const Limits& a, const Limits& b);

// Where control groups are; a test has its own.
struct CgroupFiles {
  std::filesystem::path root = "/sys/fs/cgroup";
  std::filesystem::path own = "/proc/self/cgroup";
};

// The control groups of one run, of version 1 or 2 of the kernel's, made below the runner's own and
// removed with this object. Only a group that is the top one, or was delegated to us (systemd's
// Delegate=yes, or a folder that is our user's), is divided: any other belongs to whoever made it.
class RunCgroup {
 public:
  // Sets what can be set. What cannot is in problems(), in words: a run does not fail for it.
  static RunCgroup make(const Limits& limits, const std::string& name, const CgroupFiles& files = {});
  RunCgroup() = default;
  RunCgroup(RunCgroup&& other) noexcept = default;
  RunCgroup& operator=(RunCgroup&& other) = delete;
  ~RunCgroup();

  const std::vector<std::string>& problems() const { return problems_; }
  bool limits_memory() const { return limits_memory_; }
  bool limits_cpus() const { return limits_cpus_; }
  // A process joins by writing "0" to each of these.
  std::vector<int> join_fds() const;
  // True if the kernel has ended a process of the run because of its memory limit.
  bool was_oom_killed() const;

 private:
  struct Group {
    std::filesystem::path folder;
    Fd join;
  };
  // False if it could not be set.
  bool add(const std::filesystem::path& parent, const std::string& name, const char* file, const std::string& value);

  std::vector<Group> groups_;
  std::vector<std::string> problems_;
  bool limits_memory_ = false;
  bool limits_cpus_ = false;
};

}  // namespace roost

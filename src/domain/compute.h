#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "domain/vm_sizes.h"

namespace roost {

inline constexpr const char* kSlurmSize = "slurm";  // of a compute that was attached, not made by a size

// A cluster that grows and shrinks with its queue.
struct Compute {
  std::string workspace;
  std::string name;
  std::string vm_size;
  std::string vm_priority = "dedicated";  // or "lowpriority"
  std::int64_t min_nodes = 0;
  std::int64_t max_nodes = 4;
  std::int64_t idle_seconds = 120;
  std::int64_t max_nodes_per_user = 0;  // at a time; 0: no limit
  std::int64_t max_runs_per_user = 0;
  Micros created = 0;
  Micros modified = 0;
  bool draining = false;  // takes no new runs; deleted once the last one has ended
  bool deleting = false;
  Json slurm;  // what the Slurm engine knows of it, if it is that one's; else null

  bool is_low_priority() const { return vm_priority == "lowpriority"; }
};

// preparing: started, not heard of yet. leaving: told to end. unusable: did not come up. preempted: taken
// away from a low-priority compute; it ends once its run has been stopped.
enum class NodeState { kPreparing, kIdle, kRunning, kLeaving, kUnusable, kPreempted };
std::string_view node_state_name(NodeState state);
NodeState node_state_from_name(std::string_view name);

// The file in a node's folder that its runner holds locked for as long as it lives: who has it locked works in
// this very folder, not in a copy of it.
inline constexpr const char* kRunnerLock = "lock";
// The file there by which a runner says that it was told to end, by whoever ends the machine.
inline constexpr const char* kEvictedMark = "evicted";

struct Node {
  std::string id;
  std::string workspace;
  std::string compute;
  NodeState state = NodeState::kPreparing;
  std::int64_t pid = 0;
  std::int64_t pid_started = 0;  // the process's start time, so that a reused pid is not mistaken
  Micros started = 0;
  std::optional<Micros> idle_since;
  std::int64_t slot = 0;  // its place among those of its compute; its rank in a Slurm job
  std::string allocation;  // Allocation::key(), if it came up in a Slurm job
  Micros state_since = 0;

  void enter(NodeState next, Micros now) {
    state = next;
    state_since = now;
    idle_since = next == NodeState::kIdle ? std::optional(now) : std::nullopt;
  }
};

// From untrusted JSON. `parse_compute_update` changes only the fields that are there.
Result<Compute> parse_compute(const Json& body);
Status apply_compute_update(const Json& body, Compute& compute);

// What a node of a compute has, as far as that is known, and what is to be said about it.
struct NodeShare {
  Resources resources;
  std::vector<std::string> notices;
};
Json compute_json(const Compute& compute, const std::vector<Node>& nodes, std::int64_t target_nodes,
                  const NodeShare& share);

}  // namespace roost

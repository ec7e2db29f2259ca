#include "domain/compute.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "domain/slurm_options.h"

namespace roost {
namespace {

constexpr std::array<std::string_view, 6> kNodeStates = {"preparing", "idle",     "running",
                                                         "leaving",   "unusable", "preempted"};
constexpr std::int64_t kMaxNodes = 1000;
constexpr std::int64_t kMaxRuns = 1'000'000;
constexpr std::int64_t kMaxIdle = 31'536'000;

// Real code also passes the idle time as a string.
void read_idle(const Json& body, JsonFields& fields, std::int64_t& idle) {
  const auto it = body.is_object() ? body.find("idle_seconds_before_scaledown") : body.end();
  if (body.is_object() && it != body.end() && it->is_string()) {
    const auto text = fields.string("idle_seconds_before_scaledown");
    const bool digits = !text.empty() && text.size() < 9 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) {
      fields.reject("\"idle_seconds_before_scaledown\" must be a whole number of seconds");
      return;
    }
    idle = std::stoll(text);
    return;
  }
  idle = fields.integer("idle_seconds_before_scaledown", idle, 0, kMaxIdle);
}

// Null, as an SDK sends it, is no limit.
void read_user_limits(const Json& body, JsonFields& fields, Compute& compute) {
  const auto read = [&](const char* name, std::int64_t most, std::int64_t& limit) {
    if (body.is_object() && body.contains(name) && body[name].is_null()) {
      fields.has(name);
      limit = 0;
      return;
    }
    limit = fields.integer(name, limit, 0, most);
  };
  read("max_nodes_per_user", kMaxNodes, compute.max_nodes_per_user);
  read("max_runs_per_user", kMaxRuns, compute.max_runs_per_user);
}

Status check(const Compute& compute) {
  if (compute.vm_priority != "dedicated" && compute.vm_priority != "lowpriority") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"vm_priority\" is \"{}\"; it must be dedicated or lowpriority",
                            printable(compute.vm_priority)));
  }
  if (compute.min_nodes > compute.max_nodes) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("min_nodes ({}) is larger than max_nodes ({})", compute.min_nodes,
                            compute.max_nodes));
  }
  return {};
}

}  // namespace

std::string_view node_state_name(NodeState state) {
  return kNodeStates[static_cast<std::size_t>(state)];
}

NodeState node_state_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNodeStates.size(); ++i) {
    if (kNodeStates[i] == name) return static_cast<NodeState>(i);
  }
  return NodeState::kUnusable;
}

Result<Compute> parse_compute(const Json& body) {
  JsonFields fields(body, "the compute");
  Compute compute;
  compute.name = fields.required_string("name");
  compute.vm_size = fields.string("vm_size");
  if (compute.vm_size.empty()) compute.vm_size = "STANDARD_NC6";
  compute.vm_priority = lower(fields.string("vm_priority", "dedicated"));
  compute.min_nodes = fields.integer("min_nodes", 0, 0, kMaxNodes);
  compute.max_nodes = fields.integer("max_nodes", 4, 1, kMaxNodes);
  read_idle(body, fields, compute.idle_seconds);
  const bool on_slurm = fields.has("slurm");
  const Json slurm = fields.object("slurm");
  read_user_limits(body, fields, compute);
  ROOST_CHECK(fields.done());
  if (on_slurm) {
    ROOST_TRY(const SlurmOptions options, parse_slurm_options(slurm, "\"slurm\" of the compute"));
    compute.slurm = slurm_options_json(options);
    compute.vm_size = kSlurmSize;
    if (!body.contains("max_nodes")) compute.max_nodes = kMaxNodes;
  }
  ROOST_CHECK(check_compute_name(compute.name));
  ROOST_CHECK(check_text(compute.vm_size, "the VM size", 64));
  ROOST_CHECK(check(compute));
  return compute;
}

Status apply_compute_update(const Json& body, Compute& compute) {
  JsonFields fields(body, "the compute");
  Compute next = compute;
  next.min_nodes = fields.integer("min_nodes", compute.min_nodes, 0, kMaxNodes);
  next.max_nodes = fields.integer("max_nodes", compute.max_nodes, 1, kMaxNodes);
  read_idle(body, fields, next.idle_seconds);
  read_user_limits(body, fields, next);
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check(next));
  compute = next;
  return {};
}

Json compute_json(const Compute& compute, const std::vector<Node>& nodes, std::int64_t target_nodes,
                  const NodeShare& share) {
  Json counts = {{"preparing", 0}, {"running", 0},   {"idle", 0},
                 {"unusable", 0},  {"leaving", 0},   {"preempted", 0}};
  std::int64_t current = 0;
  std::int64_t staying = 0;
  bool resizing = false;
  Micros changed = compute.modified;
  for (const auto& node : nodes) {
    auto& count = counts[std::string(node_state_name(node.state))];
    count = count.get<int>() + 1;
    if (node.state != NodeState::kUnusable) ++current;
    resizing = resizing || node.state == NodeState::kPreparing || node.state == NodeState::kLeaving ||
               node.state == NodeState::kPreempted;
    changed = std::max(changed, node.state_since);
    staying += node.state == NodeState::kRunning || node.state == NodeState::kIdle ? 1 : 0;
  }
  // An idle node counts as wanted until its idle time is over, as Azure ML reports it.
  target_nodes = std::max(target_nodes, staying);
  return {{"name", compute.name},
          {"workspace", compute.workspace},
          {"type", compute.vm_size == kSlurmSize ? "Slurm" : "AmlCompute"},
          {"slurm", compute.slurm},
          {"vm_size", compute.vm_size},
          {"vm_priority", compute.vm_priority},
          {"min_nodes", compute.min_nodes},
          {"max_nodes", compute.max_nodes},
          {"idle_seconds_before_scaledown", compute.idle_seconds},
          {"max_nodes_per_user", compute.max_nodes_per_user},
          {"max_runs_per_user", compute.max_runs_per_user},
          {"created_at", format_time(compute.created)},
          {"modified_at", format_time(compute.modified)},
          {"provisioning_state", compute.deleting || compute.draining ? "Deleting" : "Succeeded"},
          {"allocation_state", current == target_nodes && !resizing ? "Steady" : "Resizing"},
          {"allocation_state_at", format_time(changed)},
          {"current_node_count", current},
          {"target_node_count", target_nodes},
          {"node_state_counts", std::move(counts)},
          {"resources",
           {{"cpus", share.resources.cpus}, {"memory_mb", share.resources.memory_mb}, {"gpus", share.resources.gpus}}},
          {"notices", share.notices}};
}

}  // namespace roost

#include "compute/provisioning.h"

#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/log.h"
#include "base/report_error.h"
#include "compute/machine.h"
#include "records/compute_records.h"

namespace roost {
namespace {

// Until a compute whose node could not be started tries again.
constexpr Micros kStartPause = 5 * kSecond;

std::string key_of(const std::string& workspace, const std::string& compute) { return workspace + "/" + compute; }

}  // namespace

Status Provisioning::insert(Node& node, const Compute& compute) {
  const Micros now = parts_.clock.now();
  node.workspace = compute.workspace;
  node.compute = compute.name;
  node.started = now;
  node.enter(NodeState::kPreparing, now);
  return parts_.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto nodes, list_nodes(tx, compute.workspace, compute.name));
    std::set<std::int64_t> taken;
    for (const auto& other : nodes) taken.insert(other.slot);
    node.slot = 0;
    while (taken.contains(node.slot)) ++node.slot;
    node.id = fmt::format("{}-{}-{}", compute.name, node.slot, random_hex(3));
    return insert_node(tx, node, Access::hash(parts_.access.node_token(node.id)));
  });
}

Status Provisioning::start(ComputeEngine& engine, Node& node, const Compute& compute) {
  ROOST_TRY(const NodeHandle handle, engine.start({node, compute, parts_.access.node_token(node.id)}));
  node.pid = handle.number;
  node.pid_started = handle.stamp;
  return parts_.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(Node stored, find_node(tx, node.id));
    stored.pid = handle.number;
    stored.pid_started = handle.stamp;
    return save_node(tx, stored);
  });
}

void Provisioning::add_nodes(const Compute& compute, std::int64_t count) {
  if (is_paused(key_of(compute.workspace, compute.name))) return;
  ComputeEngine& engine = parts_.engines.of(compute);
  for (std::int64_t i = 0; i < count; ++i) {
    Node node;
    if (const Status inserted = insert(node, compute); !inserted) {
      log_error("adding a node: {}", inserted.error().message);
      return;
    }
    parts_.nodes.heard(node.id);
    if (const Status up = start(engine, node, compute); !up) {
      log_error("node {}: {}", node.id, up.error().message);
      engine.end(node);
      report_error(parts_.db.write([&](Tx& tx) { return remove_node(tx, node.id); }), "removing a node");
      note_failed_start(engine, node);
      parts_.wake.notify();
      return;
    }
    log_info("node {}: started, process {}", node.id, node.pid);
  }
}

// Only nodes of this machine have anything that another run could be given meanwhile.
bool Provisioning::left_processes(const std::string& node) { return has_processes_of(node); }

void Provisioning::gone(const Node& node, const std::string& reason) {
  ComputeEngine& engine = parts_.engines.of(node);
  if (node.state == NodeState::kPreparing && !engine.has_own_queue()) {
    note_failed_start(engine, node);
    log_error("node {} ended before it came up; see {}", node.id, engine.log_of(node));
    return;
  }
  log_info("node {}: {}", node.id, reason);
  engine.clean_up(node);
}

void Provisioning::note_failed_start(ComputeEngine& engine, const Node& node) {
  if (engine.note_failed_start(node)) return;
  const std::lock_guard lock(mutex_);
  not_before_[key_of(node.workspace, node.compute)] = parts_.serving.now() + kStartPause;
}

bool Provisioning::is_paused(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto pause = not_before_.find(key);
  return pause != not_before_.end() && parts_.serving.now() < pause->second;
}

}  // namespace roost

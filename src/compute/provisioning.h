#pragma once

#include <map>
#include <mutex>
#include <string>

#include "access/access.h"
#include "base/clock.h"
#include "base/serving_time.h"
#include "base/wake.h"
#include "compute/engines.h"
#include "db/database.h"
#include "domain/node_handles.h"
#include "records/node_watch.h"

namespace roost {

// What starting nodes needs. Built by the object graph; everything in it is thread-safe and outlives it.
struct ProvisionParts {
  Database& db;
  const Access& access;  // makes the tokens of nodes
  const Engines& engines;
  NodeWatch& nodes;
  Wake& wake;
  const Clock& clock;
  const ServingTime& serving;
};

// Gives computes nodes, through the engine of each, and knows what is behind them. Thread-safe.
class Provisioning final : public NodeHandles {
 public:
  explicit Provisioning(ProvisionParts parts) : parts_(std::move(parts)) {}

  // Starts so many. If one cannot be started the rest waits a moment, unless it would go to another place.
  void add_nodes(const Compute& compute, std::int64_t count);

  Look look(const Node& node) override { return parts_.engines.of(node).look(node); }
  bool was_evicted(const Node& node) override { return parts_.engines.of(node).was_evicted(node); }
  void end(const Node& node) override { parts_.engines.of(node).end(node); }
  bool adopt(Node& node, std::int64_t pid) override { return parts_.engines.of(node).adopt(node, pid); }
  bool is_for_one_run(const Node& node) override { return parts_.engines.of(node).has_own_queue(); }
  bool left_processes(const std::string& node) override;
  void gone(const Node& node, const std::string& reason) override;

 private:
  Status insert(Node& node, const Compute& compute);
  Status start(ComputeEngine& engine, Node& node, const Compute& compute);
  // A node did not come up: another place may do; else not at once.
  void note_failed_start(ComputeEngine& engine, const Node& node);
  bool is_paused(const std::string& key);

  const ProvisionParts parts_;
  std::mutex mutex_;
  std::map<std::string, Micros> not_before_;  // by workspace/compute; ServingTime
};

}  // namespace roost

#pragma once

#include <map>
#include <string>

#include "compute/compute_engine.h"
#include "compute/slurm/slurm_cluster.h"
#include "compute/slurm/slurm_loop.h"

namespace roost {

// Nodes are runners in jobs of a Slurm cluster, whose own queue decides: SlurmLoop hands runs in, and runners that come
// up in a job join by themselves.
class SlurmEngine final : public ComputeEngine {
 public:
  // `sizes`: VM size in lower case, or "*" -> SlurmOptions, for computes that are to be Slurm's without naming it.
  SlurmEngine(SlurmSettings cluster, std::map<std::string, Json> sizes, SlurmParts parts)
      : cluster_(std::move(cluster)), sizes_(std::move(sizes)), loop_(std::move(parts), cluster_) {}

  bool serves(const Compute& compute) const override { return is_slurm(compute); }
  bool serves(const Node& node) const override { return is_of_job(node); }
  void claim(Compute& compute) const override;
  // Whether Slurm would take a job of one node. A Slurm that does not answer is no reason to refuse: runs wait for it.
  Status check(const Compute& compute) override;

  bool has_own_queue() const override { return true; }
  Result<NodeHandle> start(const NodeRequest& request) override;
  // Slurm starts and ends its nodes, and tells of those that are gone.
  NodeHandles::Look look(const Node&) override { return NodeHandles::Look::kAlive; }
  void end(const Node&) override {}

  Status explain(Tx& tx, const Compute& compute, std::vector<WaitEstimate>& waits) const override {
    return loop_.explain(tx, compute, waits);
  }
  // Nodes that Slurm gave to a job, or brings up for it, and whose runners have not joined yet.
  Status add_coming(Tx& tx, const Compute& compute, std::vector<Node>& nodes) const override;

  void begin() override { loop_.start(); }
  void stop() override { loop_.stop(); }
  void end_all() override { loop_.end_all(); }

 private:
  SlurmCluster cluster_;
  const std::map<std::string, Json> sizes_;
  SlurmLoop loop_;
};

}  // namespace roost

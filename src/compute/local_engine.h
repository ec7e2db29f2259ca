#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compute/compute_engine.h"
#include "compute/host_choice.h"
#include "compute/runner_processes.h"

namespace roost {

// A place for nodes with a network of its own that shares this machine's files: a network namespace or
// a container. `start` comes before the runner's command there: {"ip", "netns", "exec", "host1"}.
struct NodeHost {
  std::string address;
  std::vector<std::string> start;
};

// Nodes are runner processes on this machine, each in a session of its own, so that they outlive the
// server; pid and start time are their handles. They find the server, also a restarted one, by the server file in the data folder.
class LocalEngine final : public ComputeEngine {
 public:
  LocalEngine(std::filesystem::path program, std::filesystem::path data, std::string data_id, Resources machine,
              const Clock& clock, std::vector<NodeHost> hosts = {})
      : program_(std::move(program)),
        data_(std::move(data)),
        processes_(data_ / "nodes"),
        data_id_(std::move(data_id)),
        machine_(machine),
        clock_(clock),
        hosts_(std::move(hosts)),
        choice_(hosts_.size()) {}

  // All that no other engine has.
  bool serves(const Compute&) const override { return true; }
  bool serves(const Node&) const override { return true; }
  Status check(const Compute& compute) override;
  NodeShare share_of(const Compute& compute) const override;
  Result<NodeHandle> start(const NodeRequest& request) override;
  bool note_failed_start(const Node& node) override;
  std::string log_of(const Node& node) const override;
  bool adopt(Node& node, std::int64_t pid) override;
  NodeHandles::Look look(const Node& node) override;
  bool was_evicted(const Node& node) override;
  void end(const Node& node) override;
  void clean_up(const Node& node) override;

 private:
  std::filesystem::path program_;
  std::filesystem::path data_;
  RunnerProcesses processes_;
  std::string data_id_;
  Resources machine_;
  const Clock& clock_;
  std::vector<NodeHost> hosts_;
  HostChoice choice_;
};

}  // namespace roost

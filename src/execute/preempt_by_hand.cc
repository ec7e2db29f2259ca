#include "execute/preempt_by_hand.h"

#include <fmt/format.h>

#include "base/text.h"
#include "execute/preempt.h"
#include "records/compute_records.h"
#include "records/workspace_records.h"

namespace roost {

Result<Preempted> preempt_by_hand(const ExecuteParts& execute, const std::string& workspace, const std::string& name,
                                  const std::string& wanted) {
  Preempted preempted;
  ROOST_CHECK(execute.db.write([&](Tx& tx) -> Status {
    preempted = {};
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(const Compute compute, find_compute(tx, workspace, name));
    if (!compute.is_low_priority()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} is a dedicated compute, whose nodes are not preempted; only those with "
                              "vm_priority lowpriority are",
                              compute.name));
    }
    ROOST_TRY(auto nodes, list_nodes(tx, compute.workspace, compute.name));
    if (!wanted.empty()) std::erase_if(nodes, [&](const Node& node) { return node.id != wanted; });
    if (!wanted.empty() && nodes.empty()) {
      return fail(ErrorCode::kNotFound, fmt::format("{} has no node \"{}\"; 'roost compute show {}' lists them",
                                                    compute.name, printable(wanted), compute.name));
    }
    for (auto& node : nodes) {
      const std::string why = fmt::format("node {} was taken by hand", node.id);
      ROOST_CHECK(preempt_node(tx, node, why, execute.clock.now(), preempted));
    }
    return {};
  }));
  for (const auto& node : preempted.nodes) execute.changes.node_changed(node);
  for (const auto& node : preempted.told) execute.changes.node_changed(node);
  for (const auto& run : preempted.runs) execute.changes.run_changed(run);
  execute.wake.notify();
  return preempted;
}

}  // namespace roost

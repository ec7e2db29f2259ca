#include "compute/slurm/join_job.h"

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "records/allocation_records.h"
#include "records/compute_records.h"

namespace roost {
namespace {

// "n1-3fa2b1c4x7": the host, and which job it works for.
std::string node_name(const std::string& host, const Allocation& allocation) {
  std::string name = fmt::format("{}-{}", host, allocation.name.substr(allocation.name.rfind('-') + 1));
  if (allocation.index >= 0) name += fmt::format("x{}", allocation.index);
  return name;
}

bool is_host_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == std::string::npos;
}

}  // namespace

Result<Node> join_job(Database& db, const Access& access, NodeWatch& nodes, const Clock& clock, const JobRunner& runner) {
  if (!is_host_name(runner.host)) {
    return fail(ErrorCode::kInvalidArgument, "\"host\" is no host name: " + printable(runner.host));
  }
  Node node;
  ROOST_CHECK(db.write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto allocation, find_allocation(tx, runner.allocation, runner.index));
    if (!allocation || allocation->state == AllocationState::kEnding) {
      return fail(ErrorCode::kGivenUp, "nobody waits for this job any more");
    }
    if (runner.rank >= allocation->nodes) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the job has {} nodes; there is no rank {}", allocation->nodes, runner.rank));
    }
    node.id = node_name(runner.host, *allocation);
    if (find_node(tx, node.id)) return {};
    node.workspace = allocation->workspace;
    node.compute = allocation->compute;
    node.started = clock.now();
    node.slot = runner.rank;
    node.allocation = allocation->key();
    return insert_node(tx, node, Access::hash(access.node_token(node.id)));
  }));
  nodes.heard(node.id);
  log_info("node {}: joined", node.id);
  return node;
}

}  // namespace roost

#include "compute/slurm/slurm_engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/slurm_options.h"
#include "records/allocation_records.h"

namespace roost {

// What the operator set for this VM size.
void SlurmEngine::claim(Compute& compute) const {
  for (const auto& name : {lower(compute.vm_size), std::string("*")}) {
    if (const auto known = sizes_.find(name); known != sizes_.end()) {
      compute.slurm = known->second;
      return;
    }
  }
}

Status SlurmEngine::check(const Compute& compute) {
  ROOST_TRY(const SlurmOptions options, parse_slurm_options(compute.slurm, "the compute"));
  const Status taken = cluster_.check(options, 1);
  if (taken || taken.error().code != ErrorCode::kInvalidArgument) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("Slurm would refuse the runs of {}: {}", compute.name, taken.error().message));
}

Result<NodeHandle> SlurmEngine::start(const NodeRequest& request) {
  return fail(ErrorCode::kInternal,
              fmt::format("Slurm gives the nodes of {} by itself; none is started by hand", request.compute.name));
}

Status SlurmEngine::add_coming(Tx& tx, const Compute& compute, std::vector<Node>& nodes) const {
  ROOST_TRY(const auto allocations, list_allocations(tx));
  for (const auto& one : allocations) {
    const SlurmPhase phase = slurm_phase(one.phase);
    if (one.workspace != compute.workspace || one.compute != compute.name || one.state != AllocationState::kSubmitted ||
        (phase != SlurmPhase::kStarting && phase != SlurmPhase::kRunning)) {
      continue;
    }
    const auto there = std::count_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.allocation == one.key(); });
    Node coming;  // preparing
    coming.allocation = one.key();
    nodes.insert(nodes.end(), static_cast<std::size_t>(std::max<std::int64_t>(0, one.nodes - there)), coming);
  }
  return {};
}

}  // namespace roost

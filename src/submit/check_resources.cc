#include "submit/check_resources.h"

#include <fmt/format.h>

namespace roost {
namespace {

// Also what there is none of.
std::string all_of(const Amounts& amounts) {
  return fmt::format("{}, {} and {}", amounts.gpus == 0 ? "no GPU" : gpus_text(amounts.gpus), cpus_text(amounts.cpus),
                     memory_text(amounts.memory_mb));
}

}  // namespace

Status check_resources(const ResourceAsk& ask, std::int64_t nodes, const std::string& compute, const Amounts& node,
                       const Amounts& machine) {
  const Amounts each{ask.gpus.value_or(0), ask.cpus, ask.memory_mb};
  if (!each.fits(node)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the run asks for {} on each node, but a node of {} has {}; ask for less, or choose another "
                            "compute ('roost compute ls' lists them)",
                            amounts_text(each), compute, all_of(node)));
  }
  if (!(each * nodes).fits(machine)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the run asks for {} on each of {} nodes, which are {} in all, but the nodes of {} share one "
                            "machine with {}; ask for less",
                            amounts_text(each), nodes, amounts_text(each * nodes), compute, all_of(machine)));
  }
  return {};
}

}  // namespace roost

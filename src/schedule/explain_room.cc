#include "schedule/explain_room.h"

#include <map>

#include <fmt/format.h>

#include "domain/vm_sizes.h"
#include "records/lease_records.h"
#include "records/queue_records.h"
#include "schedule/machine_room.h"

namespace roost {
namespace {

std::string free_text(std::int64_t free, std::int64_t total) { return fmt::format("{} of {} free", free, total); }

// What is missing first of what it needs.
std::string lack_text(const Amounts& need, const Amounts& free, const Amounts& total) {
  if (need.gpus > free.gpus) return fmt::format("waits for {}; {}", gpus_text(need.gpus), free_text(free.gpus, total.gpus));
  if (need.cpus > free.cpus) return fmt::format("waits for {}; {}", cpus_text(need.cpus), free_text(free.cpus, total.cpus));
  if (need.memory_mb > free.memory_mb) {
    return fmt::format("waits for {}; {} is free", memory_text(need.memory_mb), memory_text(std::max<std::int64_t>(0, free.memory_mb)));
  }
  return fmt::format("waits for {}, which a run in front needs", amounts_text(need));
}

}  // namespace

Status explain_room(Tx& tx, const Compute& compute, const Inventory& inventory, std::vector<WaitEstimate>& waits) {
  if (waits.empty()) return {};
  ROOST_TRY(const Amounts held, held_amounts(tx));
  ROOST_TRY(const auto asking, asking_runs(tx, compute.workspace, compute.name));
  const Amounts total = inventory.amounts();
  const Amounts free = total - held;
  std::optional<std::int64_t> size_gpus;
  if (const auto gpus = promised_gpus(compute.vm_size, static_cast<int>(total.gpus))) size_gpus = *gpus;
  RoomShare share({total, free, {}, {}}, compute.is_low_priority(), size_gpus, 0);
  for (auto& wait : waits) {
    const auto run = asking.find(wait.run);
    if (run == asking.end() || !wait.position) continue;
    const Amounts need = need_of(run->second.ask, run->second.nodes, size_gpus, total.gpus).each * run->second.nodes;
    if (share.take(run->second)) continue;
    wait.reason = lack_text(need, free, total);
    wait.start_at.reset();
    wait.basis.clear();
  }
  return {};
}

}  // namespace roost

#include "server/default_compute.h"

#include <algorithm>

#include "records/compute_records.h"

namespace roost {

Status insert_default_compute(Tx& tx, const std::string& workspace, const Resources& machine,
                              Micros now) {
  Compute local;
  local.workspace = workspace;
  local.name = "local";
  local.vm_size = "local";
  local.max_nodes = std::clamp(machine.cpus, 2, 8);
  local.idle_seconds = 300;
  local.created = now;
  local.modified = now;
  return insert_compute(tx, local);
}

}  // namespace roost

#include "server/default_compute.h"

#include <algorithm>

#include "domain/endpoint.h"
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

Status insert_endpoint_compute(Tx& tx, const std::string& workspace, Micros now) {
  Compute compute;
  compute.workspace = workspace;
  compute.name = kEndpointCompute;
  compute.vm_size = "local";
  compute.max_nodes = 64;
  compute.idle_seconds = 30;
  compute.created = now;
  compute.modified = now;
  return insert_compute(tx, compute);
}

}  // namespace roost

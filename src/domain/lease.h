#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/resource_ask.h"

namespace roost {

// What of the machine one node of an attempt has for itself.
struct Lease {
  std::vector<std::string> gpus;  // as CUDA_VISIBLE_DEVICES names them
  std::vector<int> cpu_set;       // which CPUs, as many as were asked for; none: any
  std::int64_t memory_mb = 0;     // 0: not asked for

  Amounts amounts() const;
};
Json lease_json(const Lease& lease);
Lease lease_from(const Json& stored);

// What there is to give, by name.
struct Inventory {
  std::vector<std::string> gpus;
  std::vector<int> cpus;
  std::int64_t memory_mb = 0;

  Amounts amounts() const;
};

// Shares out `takes` over `nodes` nodes: GPUs evenly, the first nodes have those that are left over. `held` is what others
// have. Nothing if there is less left than that.
std::optional<std::vector<Lease>> choose_leases(const Inventory& all, const std::vector<Lease>& held, const Amounts& takes,
                                                std::int64_t nodes);

}  // namespace roost

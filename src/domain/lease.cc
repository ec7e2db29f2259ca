#include "domain/lease.h"

#include <set>

namespace roost {
namespace {

// Those of `all` that nobody has, in their order.
template <class T>
std::vector<T> left_of(const std::vector<T>& all, const std::set<T>& taken) {
  std::vector<T> left;
  for (const T& one : all) {
    if (!taken.contains(one)) left.push_back(one);
  }
  return left;
}

template <class T>
void move_some(std::vector<T>& from, std::int64_t count, std::vector<T>& to) {
  to.assign(from.begin(), from.begin() + count);
  from.erase(from.begin(), from.begin() + count);
}

}  // namespace

Amounts Lease::amounts() const { return {std::ssize(gpus), std::ssize(cpu_set), memory_mb}; }
Amounts Inventory::amounts() const { return {std::ssize(gpus), std::ssize(cpus), memory_mb}; }

Json lease_json(const Lease& lease) {
  Json out = {{"gpus", lease.gpus}};
  if (!lease.cpu_set.empty()) out["cpu_set"] = lease.cpu_set;
  if (lease.memory_mb > 0) out["memory_mb"] = lease.memory_mb;
  return out;
}

Lease lease_from(const Json& stored) {
  Lease lease;
  for (const auto& gpu : array_at(stored, "gpus")) {
    if (gpu.is_string()) lease.gpus.push_back(gpu.get<std::string>());
  }
  for (const auto& cpu : array_at(stored, "cpu_set")) {
    if (cpu.is_number_integer()) lease.cpu_set.push_back(cpu.get<int>());
  }
  lease.memory_mb = integer_at(stored, "memory_mb");
  return lease;
}

std::optional<std::vector<Lease>> choose_leases(const Inventory& all, const std::vector<Lease>& held, const Amounts& takes,
                                                std::int64_t nodes) {
  std::set<std::string> gpus_taken;
  std::set<int> cpus_taken;
  std::int64_t memory = all.memory_mb;
  for (const auto& lease : held) {
    gpus_taken.insert(lease.gpus.begin(), lease.gpus.end());
    cpus_taken.insert(lease.cpu_set.begin(), lease.cpu_set.end());
    memory -= lease.memory_mb;
  }
  auto gpus = left_of(all.gpus, gpus_taken);
  auto cpus = left_of(all.cpus, cpus_taken);
  if (nodes < 1 || !takes.fits({std::ssize(gpus), std::ssize(cpus), memory})) return std::nullopt;
  std::vector<Lease> leases(static_cast<std::size_t>(nodes));
  for (std::int64_t i = 0; i < nodes; ++i) {
    Lease& lease = leases[static_cast<std::size_t>(i)];
    move_some(gpus, takes.gpus / nodes + (i < takes.gpus % nodes ? 1 : 0), lease.gpus);
    move_some(cpus, takes.cpus / nodes, lease.cpu_set);
    lease.memory_mb = takes.memory_mb / nodes;
  }
  return leases;
}

}  // namespace roost

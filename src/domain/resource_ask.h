#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace roost {

// GPUs, CPUs and memory: of a machine, a node or a run.
struct Amounts {
  std::int64_t gpus = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;

  friend bool operator==(const Amounts&, const Amounts&) = default;
  friend Amounts operator+(const Amounts& a, const Amounts& b) {
    return {a.gpus + b.gpus, a.cpus + b.cpus, a.memory_mb + b.memory_mb};
  }
  friend Amounts operator-(const Amounts& a, const Amounts& b) {
    return {a.gpus - b.gpus, a.cpus - b.cpus, a.memory_mb - b.memory_mb};
  }
  friend Amounts operator*(const Amounts& a, std::int64_t n) { return {a.gpus * n, a.cpus * n, a.memory_mb * n}; }
  // Of what it has none it fits, even if there is less than nothing.
  bool fits(const Amounts& room) const {
    return (gpus == 0 || gpus <= room.gpus) && (cpus == 0 || cpus <= room.cpus) &&
           (memory_mb == 0 || memory_mb <= room.memory_mb);
  }
  bool is_nothing() const { return *this == Amounts(); }
};

// What a run says that it needs on each of its nodes. What was left open it takes as it comes.
struct ResourceAsk {
  std::optional<std::int64_t> gpus;  // 0: none, though there may be some
  std::int64_t cpus = 0;             // 0: left open
  std::int64_t memory_mb = 0;        // 0: left open

  bool is_open() const { return !gpus && cpus == 0 && memory_mb == 0; }
};

// From untrusted JSON, "resources" of a run: {"gpus", "cpus", "memory_mb"}, each of which may be missing.
Result<ResourceAsk> parse_resource_ask(const Json& body);
// The same; null if all was left open.
Json resource_ask_json(const ResourceAsk& ask);
// From a stored specification, which has been checked.
ResourceAsk resource_ask_of_spec(const Json& spec);

// "16g", "16384m", "1.5 GiB": megabytes (of 2^20 bytes). A number alone is gigabytes.
Result<std::int64_t> parse_memory_mb(const std::string& text);

// "2 GPUs", "1 CPU", "16 GB of memory".
std::string gpus_text(std::int64_t count);
std::string cpus_text(std::int64_t count);
std::string memory_text(std::int64_t megabytes);
// The same in one, of what is not zero: "2 GPUs, 4 CPUs and 16 GB of memory".
std::string amounts_text(const Amounts& amounts);

// What a run takes of the machine that its nodes share.
struct RunNeed {
  Amounts each;              // on each node, or it waits
  std::int64_t spare_gpus = 0;  // besides, of those that nobody has, on all nodes together at most
};

// `size_gpus`: what the size of the compute promises each node; nothing if its nodes have the machine as a whole. A
// promise that the machine can never keep is kept as far as there are GPUs.
RunNeed need_of(const ResourceAsk& ask, std::int64_t nodes, std::optional<std::int64_t> size_gpus, std::int64_t machine_gpus);

}  // namespace roost

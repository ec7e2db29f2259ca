#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace roost {

// What a compute asks of Slurm for each of its nodes, in the words of sbatch. An empty one is left to the
// cluster's own defaults.
struct SlurmOptions {
  std::string partition;
  std::string account;
  std::string qos;
  std::string gres;
  std::string constraint;
  std::int64_t cpus = 0;    // of a node; 0 with no gres: the node is not shared with other jobs
  std::string memory;       // of a node, as sbatch --mem has it
  std::string reservation;

  bool whole_node() const { return cpus == 0 && gres.empty(); }
};

// From untrusted JSON; each value must be one that cannot be taken for another option.
Result<SlurmOptions> parse_slurm_options(const Json& body, std::string_view what);
Json slurm_options_json(const SlurmOptions& options);

}  // namespace roost

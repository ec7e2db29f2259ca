#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "db/database.h"

namespace roost {

// What a workspace, an experiment or a run takes of the disk. Equal files of several are stored once: `outputs` counts
// what is held by nobody else, so it is what deleting would free; `shared` what others hold as well.
struct DiskUse {
  std::int64_t runs = 0;
  std::int64_t files = 0;
  std::int64_t outputs = 0;
  std::int64_t shared = 0;
  std::int64_t logs = 0;
  std::int64_t metrics = 0;  // with system samples; about
  std::int64_t freed() const { return outputs + logs + metrics; }
};

struct DiskUseOf {
  std::int64_t row = 0;
  std::string name;  // of the experiment, or the run's id
  std::string experiment;
  DiskUse use;
};

struct DiskUses {
  DiskUse workspace;
  std::vector<DiskUseOf> experiments;
  std::vector<DiskUseOf> runs;  // also those in the bin
};

// By a few walks over tables, whatever the number of runs. `held` are digests of files that models and data stores have:
// those are shared. Logs are for the caller to add.
Result<DiskUses> disk_uses(Tx& tx, std::string_view workspace, const std::unordered_set<std::string>& held);

// Digests of files of data stores, and of the manifests that models are.
Result<std::unordered_set<std::string>> datastore_digests(Tx& tx);
Result<std::vector<std::string>> model_contents(Tx& tx);

}  // namespace roost

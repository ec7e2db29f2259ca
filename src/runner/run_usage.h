#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/nvml.h"
#include "runner/process_tree.h"

namespace roost {

// How busy a run itself is on this node, whatever else the machine does: the processes below its supervisor, and the GPUs
// that are its own. Not thread-safe.
class RunUsage {
 public:
  explicit RunUsage(const Nvml& nvml) : nvml_(nvml) {}

  // {"run_cpu_percent" (of the `cpus` that it may use, since the sample before), "run_memory_mb",
  //  "run_gpu0_percent", "run_gpu0_memory_mb", ...} with GPUs in the order of `gpus`. Empty without processes.
  Json sample(const std::vector<TreeProcess>& processes, int cpus, const std::vector<std::string>& gpus);

 private:
  const Nvml& nvml_;
  std::map<int, std::int64_t> last_ticks_;  // by pid
  std::chrono::steady_clock::time_point last_at_;
};

}  // namespace roost

#pragma once

#include <chrono>
#include <filesystem>

#include "base/json.h"
#include "base/nvml.h"

namespace roost {

// How busy the whole machine is: CPU, memory, disk and network by /proc, GPUs by NVML where there are some.
// Rates are over the time since the sample before. Not thread-safe.
class Usage {
 public:
  // `nvml` must outlive it.
  Usage(std::filesystem::path disk, const Nvml& nvml);
  // {"cpu_percent", "memory_used_mb", "memory_percent", "load_1m", "disk_free_gb",
  //  "disk_read_mb_s", "disk_write_mb_s", "network_in_mb_s", "network_out_mb_s",
  //  "gpu0_percent", "gpu0_memory_mb", ...}
  Json sample();

 private:
  struct Counters {
    double cpu_busy = 0, cpu_all = 0, disk_read = 0, disk_written = 0, net_in = 0, net_out = 0;
  };
  static Counters read_counters();
  void add_gpus(Json& out);

  std::filesystem::path disk_;
  const Nvml& nvml_;
  Counters last_;
  std::chrono::steady_clock::time_point last_at_;
};

}  // namespace roost

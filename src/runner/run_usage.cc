#include "runner/run_usage.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "base/files.h"

namespace roost {
namespace {

double round2(double value) { return std::round(value * 100) / 100; }

double resident_mb(int pid) {
  const auto text = read_file(fmt::format("/proc/{}/statm", pid));
  long long total = 0;
  long long resident = 0;
  if (!text || std::sscanf(text->c_str(), "%lld %lld", &total, &resident) != 2) return 0;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

Json RunUsage::sample(const std::vector<TreeProcess>& processes, int cpus, const std::vector<std::string>& gpus) {
  Json out = Json::object();
  if (processes.empty()) {
    last_ticks_.clear();
    return out;
  }
  const auto at = std::chrono::steady_clock::now();
  const double seconds = std::max(0.001, std::chrono::duration<double>(at - last_at_).count());
  std::map<int, std::int64_t> ticks;
  double used = 0;
  double memory = 0;
  for (const auto& process : processes) {
    ticks[process.pid] = process.ticks;
    const auto before = last_ticks_.find(process.pid);
    // A number that is used again may have less.
    used += static_cast<double>(std::max<std::int64_t>(0, process.ticks - (before == last_ticks_.end() ? 0 : before->second)));
    memory += resident_mb(process.pid);
  }
  if (!last_ticks_.empty()) {
    const double busy = used / static_cast<double>(::sysconf(_SC_CLK_TCK));
    out["run_cpu_percent"] = round2(std::min(100.0, 100 * busy / seconds / std::max(1, cpus)));
  }
  last_ticks_ = std::move(ticks);
  last_at_ = at;
  out["run_memory_mb"] = round2(memory);
  const auto devices = gpus.empty() ? std::vector<Nvml::Device>() : nvml_.devices();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto device = std::find_if(devices.begin(), devices.end(), [&](const Nvml::Device& one) {
      return one.uuid == gpus[i] || std::to_string(one.index) == gpus[i];
    });
    if (device == devices.end()) continue;
    const Nvml::Load load = nvml_.load(*device);
    if (load.percent) out[fmt::format("run_gpu{}_percent", i)] = *load.percent;
    out[fmt::format("run_gpu{}_memory_mb", i)] = round2(load.memory_mb);
  }
  return out;
}

}  // namespace roost

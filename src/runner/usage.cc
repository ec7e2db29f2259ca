#include "runner/usage.h"

#include <sys/statvfs.h>

#include <cctype>
#include <cmath>
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr double kMegabyte = 1e6;

double round2(double value) { return std::round(value * 100) / 100; }

}  // namespace

Usage::Usage(std::filesystem::path disk, const Nvml& nvml)
    : disk_(std::move(disk)), nvml_(nvml), last_(read_counters()), last_at_(std::chrono::steady_clock::now()) {}

Usage::Counters Usage::read_counters() {
  Counters counters;
  if (const auto stat = read_file("/proc/stat")) {
    std::istringstream line(stat->substr(0, stat->find('\n')));
    std::string name;
    double value = 0;
    line >> name;
    for (int i = 0; i < 8 && line >> value; ++i) {
      counters.cpu_all += value;
      if (i != 3 && i != 4) counters.cpu_busy += value;  // idle, iowait
    }
  }
  if (const auto disks = read_file("/proc/diskstats")) {
    for (const auto& text : split(*disks, '\n')) {
      std::istringstream line(text);
      std::string major, minor, name;
      double reads = 0, merged = 0, read_sectors = 0, read_ms = 0, writes = 0, written_merged = 0,
             written = 0;
      if (!(line >> major >> minor >> name >> reads >> merged >> read_sectors >> read_ms >> writes >>
            written_merged >> written)) {
        continue;
      }
      // Whole disks only: partitions, loops and RAM disks would count twice.
      const bool partition = std::isdigit(static_cast<unsigned char>(name.back())) != 0 &&
                             !name.starts_with("nvme") && !name.starts_with("md");
      if (partition || name.starts_with("loop") || name.starts_with("ram") ||
          (name.starts_with("nvme") && name.find('p') != std::string::npos)) {
        continue;
      }
      counters.disk_read += read_sectors * 512;
      counters.disk_written += written * 512;
    }
  }
  if (const auto devices = read_file("/proc/net/dev")) {
    for (const auto& text : split(*devices, '\n')) {
      const auto colon = text.find(':');
      if (colon == std::string::npos || trim(text.substr(0, colon)) == "lo") continue;
      std::istringstream line(text.substr(colon + 1));
      double in = 0, skip = 0, out = 0;
      line >> in;
      for (int i = 0; i < 7; ++i) line >> skip;
      line >> out;
      counters.net_in += in;
      counters.net_out += out;
    }
  }
  return counters;
}

Json Usage::sample() {
  const Counters now = read_counters();
  const auto at = std::chrono::steady_clock::now();
  const double seconds = std::max(0.001, std::chrono::duration<double>(at - last_at_).count());
  const auto rate = [&](double a, double b) { return round2(std::max(0.0, a - b) / seconds / kMegabyte); };
  Json out = Json::object();
  const double all = now.cpu_all - last_.cpu_all;
  out["cpu_percent"] = all > 0 ? round2(100 * (now.cpu_busy - last_.cpu_busy) / all) : 0.0;
  out["disk_read_mb_s"] = rate(now.disk_read, last_.disk_read);
  out["disk_write_mb_s"] = rate(now.disk_written, last_.disk_written);
  out["network_in_mb_s"] = rate(now.net_in, last_.net_in);
  out["network_out_mb_s"] = rate(now.net_out, last_.net_out);
  last_ = now;
  last_at_ = at;

  if (const auto meminfo = read_file("/proc/meminfo")) {
    double total = 0, available = 0;
    for (const auto& line : split(*meminfo, '\n')) {
      std::sscanf(line.c_str(), "MemTotal: %lf", &total);
      std::sscanf(line.c_str(), "MemAvailable: %lf", &available);
    }
    if (total > 0) {
      out["memory_used_mb"] = round2((total - available) / 1024);
      out["memory_percent"] = round2(100 * (total - available) / total);
    }
  }
  if (const auto load = read_file("/proc/loadavg")) out["load_1m"] = std::atof(load->c_str());
  struct statvfs disk {};
  if (::statvfs(disk_.c_str(), &disk) == 0) {
    out["disk_free_gb"] =
        round2(static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) / 1e9);
  }
  add_gpus(out);
  return out;
}

void Usage::add_gpus(Json& out) {
  int number = 0;
  for (const auto& device : nvml_.devices()) {
    const Nvml::Load load = nvml_.load(device);
    if (load.percent) out[fmt::format("gpu{}_percent", number)] = *load.percent;
    out[fmt::format("gpu{}_memory_mb", number)] = round2(load.memory_mb);
    ++number;
  }
}

}  // namespace roost

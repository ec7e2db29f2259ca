#include "compute/machine.h"

#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace roost {
Inventory find_machine() {
  Inventory machine;
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &cpus)) machine.cpus.push_back(cpu);
    }
  }
  if (machine.cpus.empty()) machine.cpus.push_back(0);
  machine.memory_mb = sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024;
  return machine;
}

bool has_processes_of(const std::string& node) {
  const std::string mark = std::string(1, '\0') + "ROOST_NODE=" + node + std::string(1, '\0');
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // Of others' processes it cannot be read: what a run started is ours, or we are root.
    const auto variables = read_file(entry.path() / "environ");
    if (variables && (std::string(1, '\0') + *variables).find(mark) != std::string::npos) return true;
  }
  return false;
}

Result<long long> process_start_time(int pid) {
  ROOST_TRY(const std::string text, read_file(fmt::format("/proc/{}/stat", pid)));
  // The name in parentheses may hold blanks and parentheses itself.
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return 0;
  const auto fields = split(std::string_view(text).substr(name_end + 2), ' ');
  if (fields.size() < 20 || fields[0] == "Z" || fields[0] == "X") return 0;
  return std::stoll(fields[19]);
}

}  // namespace roost

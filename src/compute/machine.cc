#include "compute/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace roost {
namespace {

// /dev/nvidia0, /dev/nvidia1, ...; not /dev/nvidiactl and the like.
int count_gpus() {
  int count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("nvidia") && name.size() > 6 &&
        std::all_of(name.begin() + 6, name.end(),
                    [](unsigned char c) { return std::isdigit(c) != 0; })) {
      ++count;
    }
  }
  return count;
}

}  // namespace

Resources find_machine() {
  Resources machine;
  cpu_set_t cpus;
  machine.cpus = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
  machine.memory_mb = static_cast<int>(sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024);
  machine.gpus = count_gpus();
  return machine;
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

#include "runner/process_tree.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

struct Stat {
  int parent = 0;
  std::int64_t ticks = 0;
};

bool read_stat(int pid, Stat& stat) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  const std::size_t after = text ? text->rfind(')') : std::string::npos;
  if (after == std::string::npos) return false;
  unsigned long user = 0;
  unsigned long system = 0;
  const int got = std::sscanf(text->c_str() + after, ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                              &stat.parent, &user, &system);
  stat.ticks = static_cast<std::int64_t>(user + system);
  return got == 3;
}

// The last pid of the "NSpid:" line.
int inner_pid(int pid) {
  const auto text = read_file(fmt::format("/proc/{}/status", pid));
  const std::size_t line = text ? text->find("NSpid:") : std::string::npos;
  if (line == std::string::npos) return pid;
  const std::string words = text->substr(line + 6, text->find('\n', line) - line - 6);
  const std::size_t last = words.find_last_of(" \t");
  return last == std::string::npos ? pid : std::atoi(words.c_str() + last);
}

}  // namespace

std::vector<TreeProcess> processes_below(int supervisor) {
  std::map<int, Stat> all;
  std::error_code error;
  for (auto it = fs::directory_iterator("/proc", error); !error && it != fs::directory_iterator(); it.increment(error)) {
    const int pid = std::atoi(it->path().filename().c_str());
    Stat stat;
    if (pid > 0 && read_stat(pid, stat)) all[pid] = stat;
  }
  std::vector<TreeProcess> found;
  for (const auto& [pid, stat] : all) {
    int above = stat.parent;
    for (int depth = 0; depth < 64 && above > 1 && above != supervisor; ++depth) {
      const auto parent = all.find(above);
      above = parent == all.end() ? 0 : parent->second.parent;
    }
    if (above == supervisor) found.push_back({pid, inner_pid(pid), stat.ticks});
  }
  return found;
}

std::string variable_of(int pid, const std::string& name) {
  const auto text = read_file(fmt::format("/proc/{}/environ", pid));
  if (!text) return {};
  for (const auto& assignment : split(*text, '\0')) {
    if (assignment.starts_with(name) && assignment.size() > name.size() && assignment[name.size()] == '=') {
      return assignment.substr(name.size() + 1);
    }
  }
  return {};
}

std::string command_of(int pid) {
  std::string text = read_file(fmt::format("/proc/{}/cmdline", pid)).value_or("");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return to_utf8(text).substr(0, 500);
}

}  // namespace roost

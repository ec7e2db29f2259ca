#include "runner/stacks.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "runner/process_tree.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kSignal = 5;  // above SIGRTMIN; sitecustomize.py has the same
constexpr std::chrono::milliseconds kForAnAnswer{400};
constexpr std::size_t kMostText = 64 * 1024;

bool has_py_spy() {
  for (const auto& folder : split(std::getenv("PATH") ? std::getenv("PATH") : "", ':')) {
    if (::access(fmt::format("{}/py-spy", folder).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  ::pclose(pipe);
  return text;
}

int rank_of(int pid) {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const std::string rank = variable_of(pid, name); !rank.empty()) return std::atoi(rank.c_str());
  }
  return 0;
}

}  // namespace

Json take_stacks(int supervisor, const fs::path& folder) {
  const bool by_py_spy = has_py_spy();
  const auto all = processes_below(supervisor);
  std::map<int, std::uint64_t> before;  // by pid: how long the answer file was
  if (!by_py_spy) {
    for (const auto& process : all) {
      std::error_code error;
      const auto size = fs::file_size(folder / std::to_string(process.inner_pid), error);
      // Who has no such file does not answer the signal, but ends of it.
      if (error || variable_of(process.pid, "ROOST_STACKS").empty()) continue;
      before[process.pid] = size;
      ::kill(process.pid, SIGRTMIN + kSignal);
    }
    std::this_thread::sleep_for(kForAnAnswer);
  }
  Json stacks = Json::array();
  for (const auto& process : all) {
    std::string text;
    if (by_py_spy) {
      text = output_of(fmt::format("py-spy dump --pid {} 2>/dev/null", process.pid));
    } else if (const auto known = before.find(process.pid); known != before.end()) {
      const auto answer = read_file(folder / std::to_string(process.inner_pid)).value_or("");
      if (answer.size() > known->second) text = answer.substr(known->second);
    }
    stacks.push_back({{"rank", rank_of(process.pid)},
                      {"pid", process.inner_pid},
                      {"command", command_of(process.pid)},
                      {"stack", to_utf8(text).substr(0, kMostText)}});
  }
  return stacks;
}

}  // namespace roost

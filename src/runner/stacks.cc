#include "runner/stacks.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "base/open_beneath.h"
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

// The run owns what is in the folder: it is opened once, as a plain file, and read from where it ended.
struct Answer {
  Fd fd;
  std::uint64_t from = 0;
};

// Asks each of these processes where it is, and gives them the time to answer.
std::map<int, std::string> ask(const std::vector<TreeProcess>& processes, const fs::path& folder) {
  std::map<int, Answer> answers;  // by pid
  const Fd root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  for (const auto& process : processes) {
    auto file = root ? open_plain_file(root.get(), std::to_string(process.inner_pid)) : std::nullopt;
    // Who has no such file does not answer the signal, but ends of it.
    if (!file || variable_of(process.pid, "ROOST_STACKS").empty()) continue;
    answers[process.pid] = {std::move(file->fd), static_cast<std::uint64_t>(file->info.st_size)};
    ::kill(process.pid, SIGRTMIN + kSignal);
  }
  if (!answers.empty()) std::this_thread::sleep_for(kForAnAnswer);
  std::map<int, std::string> texts;
  for (const auto& [pid, answer] : answers) texts[pid] = read_at(answer.fd.get(), answer.from, kMostText);
  return texts;
}

}  // namespace

Json take_stacks(int supervisor, const fs::path& folder) {
  const bool by_py_spy = has_py_spy();
  const auto all = processes_below(supervisor);
  auto answers = by_py_spy ? std::map<int, std::string>() : ask(all, folder);
  Json stacks = Json::array();
  for (const auto& process : all) {
    const std::string text =
        by_py_spy ? output_of(fmt::format("py-spy dump --pid {} 2>/dev/null", process.pid)) : answers[process.pid];
    stacks.push_back({{"rank", rank_of(process.pid)},
                      {"pid", process.inner_pid},
                      {"command", command_of(process.pid)},
                      {"stack", to_utf8(text).substr(0, kMostText)}});
  }
  return stacks;
}

std::map<int, std::string> main_threads(int supervisor, const std::vector<int>& pids, const fs::path& folder) {
  auto processes = processes_below(supervisor);
  std::erase_if(processes, [&](const TreeProcess& process) {
    return std::find(pids.begin(), pids.end(), process.pid) == pids.end();
  });
  std::map<int, std::string> places;
  for (const auto& [pid, text] : ask(processes, folder)) {
    // faulthandler has the main thread last.
    const std::size_t start = text.rfind("(most recent call first):\n");
    if (start != std::string::npos) places[pid] = text.substr(start);
  }
  return places;
}

}  // namespace roost

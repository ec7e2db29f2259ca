#include "runner/mpi_node.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "runner/scratch_file.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::size_t kMost = 1 << 20;
constexpr std::size_t kLastLines = 6;

// A plain file's bytes, at most kMost from `from` on; nothing for what is no plain file.
std::optional<std::string> read_plain(const fs::path& path, bool tail = false) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const off_t from = tail ? std::max<off_t>(0, info.st_size - static_cast<off_t>(kMost)) : 0;
  std::string text(std::min(static_cast<std::size_t>(info.st_size - from), kMost), '\0');
  const ssize_t got = ::pread(fd.get(), text.data(), text.size(), from);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

}  // namespace

void add_mpi_variables(const std::vector<NodeFacts>& nodes, std::map<std::string, std::string>& set) {
  std::set<std::string> machines;
  for (const auto& node : nodes) machines.insert(node.machine);
  if (machines.size() < nodes.size()) set.try_emplace("UCX_TLS", "self,tcp");
}

std::optional<ProcessEnd> parse_process_end(const std::string& text) {
  ProcessEnd end;
  char what[16] = {};
  int value = 0;
  long long at = 0;
  if (std::sscanf(text.c_str(), "%15s %d %lld", what, &value, &at) != 3) return std::nullopt;
  end.at = at;
  if (std::strcmp(what, "exit") == 0) end.exit_code = value & 0xff;
  if (std::strcmp(what, "signal") == 0 && value >= 1 && value <= 64) end.signal = value;
  if (std::strcmp(what, "launch") == 0) end.launch_errno = value;
  if (!end.exit_code && !end.signal && end.launch_errno == 0) return std::nullopt;
  return end;
}

fs::path MpiNode::rank_file(int rank, const char* what) const {
  return folder_ / fmt::format("rank-{}.{}", rank, what);
}

Status MpiNode::write_rank(int rank, const LaunchProcess& process, const fs::path& code) const {
  std::string words;
  std::string variables;
  for (const auto& word : process.program) words.append(word).push_back('\0');
  for (const auto& [name, value] : process.variables) variables.append(name + "=" + value).push_back('\0');
  variables.append("ROOST_MPI_CODE=" + code.string()).push_back('\0');
  ROOST_CHECK(write_scratch_file(rank_file(rank, "program"), words));
  return write_scratch_file(rank_file(rank, "environment"), variables);
}

LaunchProcess MpiNode::process(std::vector<std::string> program,
                               const std::map<std::string, std::string>& variables) const {
  LaunchProcess launched;
  launched.program = std::move(program);
  launched.variables = variables;
  launched.output = launcher_log();
  launched.variables["ROOST_MPI_FOLDER"] = folder_.string();
  launched.variables["TMPDIR"] = (folder_ / "tmp").string();  // for the files of mpirun and its daemons
  // They look at the machine's cores, but would also start what they find of GPUs, and try ten X servers for some.
  launched.variables.try_emplace("HWLOC_COMPONENTS", "-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero");
  launched.variables.try_emplace("HWLOC_PLUGINS_BLACKLIST",
                                 "hwloc_gl.so,hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,"
                                 "hwloc_levelzero.so");
  return launched;
}

LaunchProcess MpiNode::launcher(const Gang& gang, const std::vector<NodeFacts>& nodes,
                                const std::map<std::string, std::string>& variables) const {
  std::vector<std::string> program = {helper_.string(), "start", std::to_string(gang.per_node)};
  for (const auto& node : nodes) program.push_back(fmt::format("{}={}", node.name, node.network));
  return process(std::move(program), variables);
}

LaunchProcess MpiNode::daemon(const std::map<std::string, std::string>& variables) const {
  return process({"/bin/sh", "-c"}, variables);
}

std::vector<MpiNode::Ask> MpiNode::take_asks(const std::vector<NodeFacts>& nodes) {
  std::vector<Ask> asks;
  for (const auto& node : nodes) {
    if (asked_[node.name]) continue;
    const auto command = read_plain(folder_ / ("ask-" + node.name));
    if (!command) continue;
    asked_[node.name] = true;
    asks.push_back({node.name, *command});
  }
  return asks;
}

Status MpiNode::answer(const std::string& node, int exit_code) const {
  return write_scratch_file(folder_ / ("done-" + node), std::to_string(exit_code));
}

bool MpiNode::has_started(int rank) const {
  std::error_code error;
  return fs::exists(fs::symlink_status(rank_file(rank, "started"), error));
}

std::optional<ProcessEnd> MpiNode::end_of(int rank) const {
  const auto text = read_plain(rank_file(rank, "end"));
  return text ? parse_process_end(*text) : std::nullopt;
}

std::string MpiNode::failure() const { return read_plain(folder_ / "failure").value_or("").substr(0, 2000); }

std::string MpiNode::last_words() const {
  std::vector<std::string> lines;
  for (const auto& line : split(to_utf8(read_plain(launcher_log(), true).value_or("")), '\n')) {
    const std::string text(trim(line));
    const bool says_something = text.find_first_not_of("-=*") != std::string::npos;
    if (says_something && !text.starts_with("roost:")) lines.push_back(text);
  }
  std::string words;
  const std::size_t from = lines.size() > kLastLines ? lines.size() - kLastLines : 0;
  for (std::size_t i = from; i < lines.size(); ++i) words += (words.empty() ? "" : " ") + lines[i];
  return words;
}

}  // namespace roost

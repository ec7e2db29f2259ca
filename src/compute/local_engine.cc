#include "compute/local_engine.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/file_limit.h"
#include "base/files.h"
#include "base/inside_write.h"
#include "base/log.h"
#include "compute/machine.h"
#include "confine/private_folder.h"
#include "domain/check_vm_size.h"

namespace roost {
namespace {

// Nodes of one machine tell one another apart by address, as those of several would: launchers that see
// two nodes with the same name, address and pid take them for one.
std::string loopback_address(std::int64_t slot) {
  return fmt::format("127.77.{}.{}", slot / 250 % 250, slot % 250 + 1);
}

}  // namespace

Status LocalEngine::check(const Compute& compute) { return check_vm_size(compute.vm_size); }

NodeShare LocalEngine::share_of(const Compute& compute) const {
  NodeShare share;
  share.resources = node_resources(compute.vm_size, machine_, share.notices);
  return share;
}

std::string LocalEngine::log_of(const Node& node) const { return (data_ / "nodes" / node.id / "runner.log").string(); }

Result<NodeHandle> LocalEngine::start(const NodeRequest& request) {
  const Node& node = request.node;
  const auto folder = data_ / "nodes" / node.id;
  ROOST_CHECK(make_private_folder(folder));
  std::vector<std::string> words = {program_.string(), "runner",
                                    "--node", node.id,
                                    "--connect", (data_ / "server.json").string(),
                                    "--folder", folder.string(),
                                    "--data-id", data_id_};
  if (hosts_.empty()) {
    words.insert(words.end(), {"--address", loopback_address(node.slot)});
  } else {
    const NodeHost& host = hosts_[choice_.choose(node.id, node.slot, clock_.steady())];
    words.insert(words.end(), {"--address", host.address});
    words.insert(words.begin(), host.start.begin(), host.start.end());
  }
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::string token_variable = "ROOST_NODE_TOKEN=" + request.token;
  std::vector<char*> environment;
  for (char** variable = environ; *variable; ++variable) environment.push_back(*variable);
  environment.push_back(token_variable.data());
  std::string file_limit = file_limit_variable();
  environment.push_back(file_limit.data());
  environment.push_back(nullptr);

  check_outside_write("starts a program");
  const std::string log = (folder / "runner.log").string();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigfillset(&defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words.front().c_str(), &files, &attributes, argv.data(),
                                 environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, "start a node: " + words.front());
  Node started = node;
  started.pid = pid;
  started.pid_started = process_start_time(pid).value_or(0);
  processes_.started(started);
  return NodeHandle{started.pid, started.pid_started};
}

bool LocalEngine::note_failed_start(const Node& node) {
  if (hosts_.empty()) return false;
  const auto host = choice_.note_failed(node.id, clock_.steady());
  if (!host) return false;
  log_warning("host {} is passed over for a while: node {} did not come up there", hosts_[*host].address, node.id);
  return true;
}

bool LocalEngine::adopt(Node& node, std::int64_t pid) {
  const auto words = read_file(fmt::format("/proc/{}/cmdline", pid));
  if (pid <= 0 || !words || words->find(fmt::format("--node{}{}{}", '\0', node.id, '\0')) == std::string::npos) return false;
  if (processes_.works_for(node, pid) != RunnerProcesses::Look::kAlive) return false;
  node.pid = pid;
  node.pid_started = process_start_time(static_cast<int>(pid)).value_or(0);
  return node.pid_started != 0;
}

NodeHandles::Look LocalEngine::look(const Node& node) {
  if (node.pid == 0) return NodeHandles::Look::kStarting;
  const bool is_gone = processes_.look(node) == RunnerProcesses::Look::kGone;
  return is_gone ? NodeHandles::Look::kGone : NodeHandles::Look::kAlive;
}

bool LocalEngine::was_evicted(const Node& node) {
  std::error_code error;
  return std::filesystem::exists(data_ / "nodes" / node.id / kEvictedMark, error);
}

void LocalEngine::clean_up(const Node& node) {
  choice_.forget(node.id);
  processes_.forget(node);
  if (auto removed = remove_tree(data_ / "nodes" / node.id); !removed) {
    log_warning("node {}: {}", node.id, removed.error().message);
  }
}

void LocalEngine::end(const Node& node) { processes_.kill(node); }

}  // namespace roost

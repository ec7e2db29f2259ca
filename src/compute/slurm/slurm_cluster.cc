#include "compute/slurm/slurm_cluster.h"

#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "base/subprocess.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kSmallWords = 5;  // that in_small_environment() puts before a command for a shell

}  // namespace

Result<std::string> SlurmCluster::call(std::vector<std::string> words, std::string_view input) const {
  if (settings_.through_shell) {
    std::string line;
    const bool is_small = words.front() == "env";
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool is_for_shell = is_small && i < kSmallWords;
      line += fmt::format("{}{}", line.empty() ? "" : " ", is_for_shell ? words[i] : shell_quote(words[i]));
    }
    words = {line};
  }
  words.insert(words.begin(), settings_.through.begin(), settings_.through.end());
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(settings_.command_seconds * 1000));
  const auto done = run_command(words, input, settings_.variables, limit, &interrupted_);
  if (!done && done.error().code == ErrorCode::kDeadlineExceeded) {
    return fail(ErrorCode::kDeadlineExceeded, explain_slurm_error(done.error().message).words);
  }
  if (!done) return fail(ErrorCode::kUnavailable, explain_slurm_error(done.error().message).words);
  if (done->exit_code == 0) return done->output;
  const SlurmProblem problem = explain_slurm_error(done->errors.empty() ? done->output : done->errors);
  return fail(problem.waiting_helps ? ErrorCode::kUnavailable : ErrorCode::kInvalidArgument, problem.words);
}

// A job gets the environment that sbatch was called with: none of this server's secrets and settings.
std::vector<std::string> SlurmCluster::in_small_environment(std::vector<std::string> words) const {
  std::vector<std::string> first = {"env", "-i"};
  if (settings_.through_shell) {
    // Read by the login node's shell, which knows where Slurm is.
    for (const char* name : {"PATH", "HOME"}) first.push_back(fmt::format("{0}=\"${0}\"", name));
    first.push_back(fmt::format("${{{0}:+{0}=\"${0}\"}}", "SLURM_CONF"));
  } else {
    for (const char* name : {"PATH", "HOME", "USER", "LOGNAME", "SLURM_CONF"}) {
      const char* value = std::getenv(name);
      if (value && !settings_.variables.contains(name)) first.push_back(fmt::format("{}={}", name, value));
    }
    for (const auto& [name, value] : settings_.variables) first.push_back(fmt::format("{}={}", name, value));
  }
  words.insert(words.begin(), first.begin(), first.end());
  return words;
}

Result<std::string> SlurmCluster::submit(const SlurmSubmission& job) const {
  ROOST_TRY(const std::string answer, call(in_small_environment(sbatch_words(job)), job_script(job)));
  return parse_job_id(answer);
}

Result<std::vector<SlurmJob>> SlurmCluster::jobs() const {
  ROOST_TRY(const std::string text, call({"squeue", "--noheader", "--array", "--states=all", "--me", "--format", kSqueueFormat}));
  return parse_squeue(text);
}

Result<std::vector<SlurmHost>> SlurmCluster::hosts() const {
  ROOST_TRY(const std::string text, call({"sinfo", "--noheader", "--Node", "--format", kSinfoFormat}));
  return parse_sinfo(text);
}

Result<std::int64_t> SlurmCluster::controller_started() const {
  ROOST_TRY(const std::string text, call({"scontrol", "show", "config"}));
  if (const auto started = parse_boot_time(text)) return *started;
  return fail(ErrorCode::kInternal, "scontrol does not say when slurmctld started");
}

Status SlurmCluster::cancel(const std::string& name, const std::string& id) const {
  std::vector<std::string> words = {"scancel", "--quiet", "--name=" + name};
  if (!id.empty()) words.push_back(id);
  ROOST_CHECK(call(std::move(words)));
  return {};
}

Status SlurmCluster::check(const SlurmOptions& options, std::int64_t nodes) const {
  SlurmSubmission probe;
  probe.name = "roost-check";
  probe.title = "roost: would this be taken?";
  probe.options = options;
  probe.nodes = nodes;
  std::vector<std::string> words = sbatch_words(probe);
  words.insert(words.begin() + 1, "--test-only");
  ROOST_CHECK(call(std::move(words), "#!/bin/sh\n:\n"));
  return {};
}

}  // namespace roost

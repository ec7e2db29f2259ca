#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "compute/slurm/slurm_script.h"
#include "compute/slurm/slurm_text.h"

namespace roost {

// How this server reaches Slurm.
struct SlurmSettings {
  std::vector<std::string> through;  // before each command: {"ssh", "login1"}; none: on this machine
  bool through_shell = false;        // what is passed through is put together and read by a shell, as ssh does
  std::map<std::string, std::string> variables;  // for the commands
  double command_seconds = 20;
};

// Slurm by its command line; the ABI of its library changes with each release. Thread-safe.
class SlurmCluster {
 public:
  explicit SlurmCluster(SlurmSettings settings) : settings_(std::move(settings)) {}

  // The job's number. kInvalidArgument: it would be refused again. kUnavailable: it was not taken and
  // may be later. kDeadlineExceeded: nobody knows whether it was taken.
  Result<std::string> submit(const SlurmSubmission& job) const;
  // This user's jobs, also those that ended not long ago.
  Result<std::vector<SlurmJob>> jobs() const;
  Result<std::vector<SlurmHost>> hosts() const;
  // When the controller started, in seconds since the epoch.
  Result<std::int64_t> controller_started() const;
  // Ends the job with that number only if it has that name. `id` may be empty: every job of that name.
  Status cancel(const std::string& name, const std::string& id) const;
  // A command under way ends at once, and those after it until this is called with false.
  void interrupt(bool on) { interrupted_ = on; }
  // Whether a job like this would be taken; says why not.
  Status check(const SlurmOptions& options, std::int64_t nodes) const;

 private:
  std::vector<std::string> in_small_environment(std::vector<std::string> words) const;
  Result<std::string> call(std::vector<std::string> words, std::string_view input = {}) const;

  SlurmSettings settings_;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace roost

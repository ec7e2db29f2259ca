#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace roost {

// The states of a run, by Azure ML's names and in the order a run goes through them.
enum class RunStatus {
  kNotStarted,
  kStarting,
  kPreparing,
  kQueued,
  kProvisioning,
  kRunning,
  kFinalizing,
  kCompleted,
  kFailed,
  kCanceled,
  kCancelRequested,
  kNotResponding,
};

std::string_view status_name(RunStatus status);
std::optional<RunStatus> status_from_name(std::string_view name);
const std::vector<RunStatus>& all_statuses();

// Completed, Failed, Canceled: nothing changes after it.
bool is_terminal(RunStatus status);
// The one table of what may follow what.
bool may_follow(RunStatus from, RunStatus to);

}  // namespace roost

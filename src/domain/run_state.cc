#include "domain/run_state.h"

#include <algorithm>

namespace roost {
namespace {

using enum RunStatus;

struct StateRow {
  RunStatus status;
  std::string_view name;
  std::vector<RunStatus> next;
};

// A run goes down this table. From Starting straight to Running goes an interactive run, which needs no
// node. Back to Queued: its node was lost and it is tried again.
const std::vector<StateRow>& table() {
  static const std::vector<StateRow> rows = {
      {kNotStarted, "NotStarted", {kStarting, kCanceled}},
      {kStarting, "Starting", {kPreparing, kRunning, kFailed, kCanceled}},
      {kPreparing, "Preparing", {kQueued, kFailed, kCanceled, kCancelRequested}},
      {kQueued, "Queued", {kProvisioning, kRunning, kFailed, kCanceled, kCancelRequested, kNotResponding}},
      {kProvisioning, "Provisioning", {kQueued, kRunning, kFailed, kCanceled, kCancelRequested, kNotResponding}},
      {kRunning, "Running", {kFinalizing, kQueued, kCancelRequested, kNotResponding}},
      {kFinalizing, "Finalizing", {kCompleted, kFailed, kCanceled, kCancelRequested, kNotResponding}},
      {kCompleted, "Completed", {}},
      {kFailed, "Failed", {}},
      {kCanceled, "Canceled", {}},
      {kCancelRequested, "CancelRequested", {kFinalizing, kCanceled, kFailed}},
      {kNotResponding, "NotResponding", {kRunning, kQueued, kFinalizing, kFailed, kCanceled, kCancelRequested}},
  };
  return rows;
}

const StateRow& row(RunStatus status) { return table()[static_cast<std::size_t>(status)]; }

}  // namespace

std::string_view status_name(RunStatus status) { return row(status).name; }

std::optional<RunStatus> status_from_name(std::string_view name) {
  for (const auto& r : table()) {
    if (r.name == name) return r.status;
  }
  return std::nullopt;
}

const std::vector<RunStatus>& all_statuses() {
  static const std::vector<RunStatus> all = [] {
    std::vector<RunStatus> out;
    for (const auto& r : table()) out.push_back(r.status);
    return out;
  }();
  return all;
}

bool is_terminal(RunStatus status) { return row(status).next.empty(); }

bool may_follow(RunStatus from, RunStatus to) {
  const auto& next = row(from).next;
  return std::find(next.begin(), next.end(), to) != next.end();
}

}  // namespace roost

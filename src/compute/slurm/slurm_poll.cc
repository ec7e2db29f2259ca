// What Slurm says of its jobs and nodes, and what Roost makes of it.
#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "base/report_error.h"
#include "compute/slurm/slurm_loop.h"

namespace roost {
namespace {

constexpr Micros kUnknownAfter = 10 * kSecond; // a job that nobody knows to have been taken
constexpr Micros kAfterCrash = 300 * kSecond;
constexpr int kUnlistedLooks = 2;
constexpr int kMostFalseStarts = 3;

// "n1" of "n1-3fa2b1c4x7".
std::string host_of(const std::string& node) { return node.substr(0, node.rfind('-')); }

}  // namespace

Status SlurmLoop::explain(Tx& tx, const Compute& compute, std::vector<WaitEstimate>& waits) const {
  if (!is_slurm(compute)) return {};
  const std::string words = trouble(compute.workspace, compute.name);
  for (auto& wait : waits) {
    ROOST_TRY(const auto allocation, allocation_of_run(tx, wait.run));
    const bool is_queued = allocation && allocation->state == AllocationState::kSubmitted;
    ROOST_TRY(const Run run, run_by_row(tx, wait.run));
    if (!is_waiting(run)) continue;  // its environment comes first
    wait.start_at = allocation ? allocation->expected : std::nullopt;
    wait.basis = wait.start_at ? "by Slurm" : "";
    if (!words.empty()) {
      wait.reason = words;
    } else if (is_queued && !allocation->reason.empty()) {
      wait.reason = allocation->reason;
    } else if (allocation) {
      wait.reason = fmt::format("Slurm has given nodes to job {}; waiting for the runners there", allocation->job);
    } else if (nodes_needed(run) > compute.max_nodes) {
      wait.reason = fmt::format("{} may have at most {} nodes and this run wants {}", compute.name, compute.max_nodes, nodes_needed(run));
      wait.position.reset();
    } else {
      wait.reason = fmt::format("{} has as many nodes as it may have ({})", compute.name, compute.max_nodes);
    }
    if (is_queued) wait.facts = {{"job", allocation->job}, {"state", allocation->phase}};
  }
  return {};
}

void SlurmLoop::poll() {
  std::vector<Allocation> allocations;
  report_error(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(allocations, list_allocations(tx));
    return {};
  }), "reading the Slurm jobs");
  if (allocations.empty()) return;
  const auto jobs = cluster_.jobs();
  if (!jobs) {
    for (const auto& one : allocations) {
      Compute compute;
      compute.workspace = one.workspace;
      compute.name = one.compute;
      set_trouble(compute, jobs.error().message);
    }
    return;
  }
  std::map<Key, const SlurmJob*> by_name;
  for (const auto& job : *jobs) by_name[{job.name, job.index}] = &job;
  for (const auto& allocation : allocations) {
    const auto found = by_name.find({allocation.name, allocation.index});
    take_note(allocation, found == by_name.end() ? nullptr : found->second);
  }
}

void SlurmLoop::take_note(const Allocation& allocation, const SlurmJob* job) {
  const std::string key = allocation.key();
  const Micros age = ages_.age("new/" + key, allocation.created);
  if (!job) {
    // Slurm forgets jobs that ended long ago, and after a crash also those it took just before.
    if (++unlisted_[key] < kUnlistedLooks) return;
    const bool may_be_coming = allocation.state == AllocationState::kNew && age < kUnknownAfter;
    // One that runs is heard of through its runners.
    if (may_be_coming || allocation.state == AllocationState::kUsed) return;
    return forget(allocation, fmt::format("Slurm does not know job {} any more", allocation.job.empty() ? allocation.name : allocation.job));
  }
  unlisted_.erase(key);
  if (job->phase == SlurmPhase::kOver) return note_end(allocation, *job);
  note_waiting(allocation, *job);
}

void SlurmLoop::note_waiting(const Allocation& allocation, const SlurmJob& job) {
  const Micros now = parts_.clock.now();
  const bool starts = job.phase == SlurmPhase::kStarting || job.phase == SlurmPhase::kRunning;
  const std::string reason = starts ? "" : pending_words(job.reason, allocation.nodes);
  const auto expected = job.starts && !starts ? std::optional(*job.starts * kSecond) : std::nullopt;
  const bool is_known = allocation.job == job.id && allocation.phase == job.state && allocation.reason == reason &&
                        allocation.expected == expected && allocation.state != AllocationState::kNew;
  if (is_known) return;
  std::string changed;
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    changed.clear();
    ROOST_TRY(auto stored, find_allocation(tx, allocation.name, allocation.index));
    if (!stored) return {};
    stored->job = job.id;
    stored->phase = job.state;
    stored->listed = now;
    stored->expected = expected;
    if (stored->state == AllocationState::kNew) stored->state = AllocationState::kSubmitted;
    stored->reason = reason;
    ROOST_CHECK(save_allocation(tx, *stored));
    if (!starts || stored->state != AllocationState::kSubmitted) return {};
    ROOST_TRY(Run run, run_by_row(tx, allocation.run));
    if (run.status != RunStatus::kQueued) return {};
    changed = run.id;
    return move_run(tx, run, RunStatus::kProvisioning,
                    job.phase == SlurmPhase::kStarting
                        ? fmt::format("Slurm brings up {} for job {}", job.hosts, job.id)
                        : fmt::format("Slurm gave {} to job {}", job.hosts, job.id),
                    now);
  }), "noting the state of a Slurm job");
  if (!changed.empty()) parts_.changes.run_changed(changed);
}

void SlurmLoop::note_end(const Allocation& allocation, const SlurmJob& job) {
  const std::string words = end_words(job);
  if (allocation.state == AllocationState::kEnding) return forget(allocation, "left");
  const Micros now = parts_.clock.now();
  const bool by_hand = job.state.starts_with("CANCELLED") && !may_be_mistaken(allocation);
  const bool too_long = job.state == "TIMEOUT" || job.state == "DEADLINE";
  std::string changed;
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    changed.clear();
    ROOST_TRY(Run run, run_by_row(tx, allocation.run));
    if (is_terminal(run.status) || run.status == RunStatus::kFinalizing) return {};
    changed = run.id;
    if (allocation.state == AllocationState::kUsed && run.attempt != allocation.attempt) return {};
    if (by_hand || too_long) {
      Json error;
      if (too_long) {
        error = {{"code", "time_limit"}, {"message", words}, {"last_lines", Json::array()},
                 {"node", run.node ? Json(*run.node) : Json()}};
      }
      return parts_.placement.cancel(tx, run, words, now, error);
    }
    if (allocation.state == AllocationState::kUsed && job.state == "PREEMPTED") return preempt(tx, allocation, words);
    if (allocation.state == AllocationState::kUsed || !is_waiting(run)) return {};
    if (job.state.starts_with("CANCELLED") || ++false_starts_[run.seq] < kMostFalseStarts) return {};
    const std::string text = fmt::format("{} before a runner came up in it, {} times; look at the nodes {} and at slurmd's log there",
                                         words, kMostFalseStarts, job.hosts);
    run.error = {{"code", "slurm_job_ended"}, {"message", text}, {"last_lines", Json::array()}, {"node", nullptr}};
    return move_run(tx, run, RunStatus::kFailed, text, now);
  }), "noting the end of a Slurm job");
  if (!changed.empty()) parts_.changes.run_changed(changed);
  forget(allocation, words);
}

// The run waits again once its nodes are given up, and it costs no retry.
Status SlurmLoop::preempt(Tx& tx, const Allocation& allocation, const std::string& words) {
  ROOST_TRY(auto nodes, list_nodes(tx, allocation.workspace, allocation.compute));
  Preempted ignored;  // nobody is there to be told
  for (auto& node : nodes) {
    if (node.allocation == allocation.key()) ROOST_CHECK(parts_.placement.preempt(tx, node, words, parts_.clock.now(), ignored));
  }
  return {};
}

// After a crash Slurm gives numbers again that jobs on its nodes still have, and ends such jobs as soon as
// they are started.
bool SlurmLoop::may_be_mistaken(const Allocation& allocation) const {
  const auto started = cluster_.controller_started();
  if (!started || *started * kSecond > allocation.created) return true;
  return allocation.state != AllocationState::kUsed && parts_.clock.now() - *started * kSecond < kAfterCrash;
}

// The job is gone; what is left of its nodes with it. A run that still waits gets another.
void SlurmLoop::forget(const Allocation& allocation, const std::string& reason) {
  std::vector<Node> nodes;
  report_error(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto all, list_nodes(tx, allocation.workspace, allocation.compute));
    for (const auto& node : all) {
      if (node.allocation == allocation.key()) nodes.push_back(node);
    }
    return {};
  }), "reading the nodes of a Slurm job");
  for (const auto& node : nodes) report_error(parts_.placement.lose(node, reason), "removing a node");
  report_error(parts_.db.write([&](Tx& tx) { return remove_allocation(tx, allocation); }), "forgetting a Slurm job");
  if (reason != "left") log_info("Slurm job {}: {}", allocation.job, reason);
  canceled_.erase(allocation.key());
  unlisted_.erase(allocation.key());
  parts_.wake.notify();
}

// A node that lost its power stays in its job: Slurm knows of it before our patience ends.
void SlurmLoop::watch_hosts() {
  std::vector<Node> silent;
  const auto patience = static_cast<Micros>((2 * parts_.settings.heartbeat_seconds + 1) * kSecond);
  report_error(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto nodes, list_nodes(tx));
    for (const auto& node : nodes) {
      if (is_of_job(node) && parts_.nodes.silence(node.id) > patience) silent.push_back(node);
    }
    return {};
  }), "reading the nodes");
  if (silent.empty()) return;
  const auto hosts = cluster_.hosts();
  if (!hosts) return;
  for (const auto& node : silent) {
    const auto host = std::find_if(hosts->begin(), hosts->end(), [&](const SlurmHost& h) { return h.name == host_of(node.id); });
    if (host == hosts->end() || host->usable) continue;
    report_error(parts_.placement.lose(node, fmt::format("node {} failed (Slurm: {})", node.id, host->state)), "removing a node");
  }
}

}  // namespace roost

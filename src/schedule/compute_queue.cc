#include "schedule/compute_queue.h"

#include <algorithm>

#include "records/compute_records.h"
#include "schedule/fair_order.h"

namespace roost {
namespace {

constexpr std::int64_t kEarlierRuns = 30;        // of an experiment
constexpr std::size_t kMostExperiments = 200;    // looked at for one answer
constexpr Micros kLocalNodeStart = kSecond;      // until the runner asks for its orders

bool may_wait(RunStatus status) {
  return status == RunStatus::kStarting || status == RunStatus::kPreparing ||
         status == RunStatus::kQueued || status == RunStatus::kProvisioning;
}

void count_nodes(const std::vector<Node>& nodes, QueueView& view) {
  for (const auto& node : nodes) {
    if (node.state == NodeState::kIdle) ++view.idle;
    if (node.state == NodeState::kRunning) ++view.running;
    if (node.state == NodeState::kPreparing) view.preparing.push_back(node.started);
  }
}

// By run, its place in the order in which the scheduler takes them. What users had in the past, which decides
// between those who hold as much now, is left out: reading it would take longer than the rest.
std::map<std::int64_t, std::size_t> fair_places(const Compute& compute, const std::vector<QueueEntry>& entries, Micros now) {
  RunQueue waiting;
  Standings standings;
  for (const auto& entry : entries) {
    if (entry.has_nodes_since) {
      standings[entry.user].nodes += entry.nodes;
      ++standings[entry.user].runs;
    } else if (entry.status == RunStatus::kQueued || entry.status == RunStatus::kProvisioning) {
      waiting.put({entry.seq, entry.priority, entry.nodes, entry.limit.value_or(0), now, entry.user, false});
    }
  }
  const std::vector<std::int64_t> promised;
  const PastUse past;
  FairOrder order(waiting, promised, standings, past, compute.max_nodes, now);
  std::map<std::int64_t, std::size_t> places;
  while (const QueuedRun* run = order.next()) {
    places.emplace(run->seq, places.size());
    order.take();
  }
  return places;
}

}  // namespace

Result<RunLength> EarlierLengths::length_of(const QueueEntry& entry) {
  auto found = by_experiment_.find(entry.experiment_row);
  if (found == by_experiment_.end()) {
    if (by_experiment_.size() >= kMostExperiments) return run_length({}, entry.limit);
    ROOST_TRY(auto runs, earlier_runs(tx_, entry.experiment_row, kEarlierRuns));
    found = by_experiment_.emplace(entry.experiment_row, std::move(runs)).first;
  }
  std::vector<Micros> took;
  for (const auto& run : found->second) {
    if (run.compute == entry.compute && run.nodes == entry.nodes && run.program == entry.program) {
      took.push_back(run.took);
    }
  }
  return run_length(std::move(took), entry.limit);
}

Result<ComputeQueue> read_compute_queue(Tx& tx, const Compute& compute, std::vector<QueueEntry> entries,
                                        EarlierLengths& lengths, const ExplainQueue& explain, Micros now) {
  QueueView view;
  view.now = now;
  view.max_nodes = compute.max_nodes;
  view.node_start = kLocalNodeStart;
  view.deleting = compute.deleting;
  view.max_nodes_per_user = compute.max_nodes_per_user;
  view.max_runs_per_user = compute.max_runs_per_user;
  ROOST_TRY(const auto nodes, list_nodes(tx, compute.workspace, compute.name));
  count_nodes(nodes, view);
  const auto places = fair_places(compute, entries, view.now);
  std::stable_sort(entries.begin(), entries.end(), [&](const QueueEntry& a, const QueueEntry& b) {
    const auto first = places.find(a.seq);
    const auto second = places.find(b.seq);
    // Those that wait for something else than nodes come last.
    return (first == places.end() ? places.size() : first->second) < (second == places.end() ? places.size() : second->second);
  });
  ComputeQueue queue;
  for (auto& entry : entries) {
    ROOST_TRY(const RunLength length, lengths.length_of(entry));
    if (entry.has_nodes_since) {
      const bool staged = entry.status != RunStatus::kQueued && entry.status != RunStatus::kProvisioning;
      const Micros since =
          staged ? std::max(entry.started.value_or(0), *entry.has_nodes_since) : view.now;
      view.holders.push_back({entry.nodes, entry.user, since, length});
      queue.holders.push_back({std::move(entry), likely_end(view.holders.back(), view.now), staged});
    } else if (may_wait(entry.status)) {
      view.waiting.push_back(
          {entry.seq, entry.nodes, entry.priority, entry.user, entry.status, length});
      queue.waiting.push_back({std::move(entry), {}});
    }
  }
  auto estimates = estimate_queue(view);
  ROOST_CHECK(explain(tx, compute, estimates));
  for (std::size_t i = 0; i < estimates.size(); ++i) queue.waiting[i].estimate = std::move(estimates[i]);
  return queue;
}

}  // namespace roost

#include "schedule/estimate.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <unordered_map>

#include <fmt/format.h>

namespace roost {
namespace {

// From what is known best to what is not known at all: a time is known as well as the worst it is made of.
enum class Source { kNow, kNodeStart, kEarlierRuns, kTimeLimit, kUnknown };

struct Basis {
  Source source = Source::kNow;
  int samples = 0;       // runs behind the median
  bool several = false;  // more than one median

  bool is_soon() const { return source <= Source::kNodeStart; }
};

Basis together(const Basis& a, const Basis& b) {
  if (a.source != b.source) return a.source > b.source ? a : b;
  Basis both = a;
  both.several = a.several || b.several || a.source == Source::kEarlierRuns;
  return both;
}

std::string basis_text(const Basis& basis) {
  switch (basis.source) {
    case Source::kNow:
      return "nodes are idle";
    case Source::kNodeStart:
      return "by the time a node takes to start";
    case Source::kEarlierRuns:
      if (basis.several) return "by the medians of earlier runs";
      return fmt::format("by the median of {} earlier run{}", basis.samples, basis.samples == 1 ? "" : "s");
    case Source::kTimeLimit:
      return "by time limits, at the latest";
    case Source::kUnknown:
      return "";
  }
  return "";
}

constexpr Micros kNever = INT64_MAX;

struct End {
  Micros at = kNever;
  Basis basis{Source::kUnknown};
};

// A run that outlasted the median tells only that it is no usual one: its time limit is left.
End end_of(const RunLength& length, Micros started, Micros now) {
  const auto limit = length.limit ? std::optional(started + *length.limit) : std::nullopt;
  if (length.median && started + *length.median > now) {
    const Micros usual = started + *length.median;
    return {limit ? std::min(usual, *limit) : usual, {Source::kEarlierRuns, length.samples}};
  }
  if (limit) return {std::max(*limit, now), {Source::kTimeLimit}};
  return {};
}

// Nodes by when they are free.
class NodePool {
 public:
  void add(std::int64_t nodes, Micros at, const Basis& basis) {
    if (nodes <= 0) return;
    free_.push({at, nodes, basis});
    if (basis.is_soon()) soon_ += nodes;
    if (basis.source == Source::kNow) now_ += nodes;
    total_ += nodes;
  }

  // Takes the nodes that are free first. When the last of them is, and how that is known.
  End take(std::int64_t nodes) {
    End last{0, {Source::kNow}};
    while (nodes > 0 && !free_.empty()) {
      Group group = free_.top();
      free_.pop();
      const std::int64_t taken = std::min(nodes, group.nodes);
      nodes -= taken;
      total_ -= taken;
      if (group.basis.is_soon()) soon_ -= taken;
      if (group.basis.source == Source::kNow) now_ -= taken;
      if (group.at > last.at) last = {group.at, group.basis};
      group.nodes -= taken;
      if (group.nodes > 0) free_.push(group);
    }
    return nodes > 0 ? End{} : last;
  }

  std::int64_t total() const { return total_; }
  std::int64_t idle() const { return now_; }
  std::int64_t soon() const { return soon_; }  // idle or coming up

 private:
  struct Group {
    Micros at = 0;
    std::int64_t nodes = 0;
    Basis basis;
    bool operator>(const Group& other) const { return at > other.at; }
  };
  std::priority_queue<Group, std::vector<Group>, std::greater<>> free_;
  std::int64_t total_ = 0;
  std::int64_t now_ = 0;
  std::int64_t soon_ = 0;
};

NodePool pool_of(const QueueView& view) {
  NodePool pool;
  pool.add(view.idle, view.now, {Source::kNow});
  for (const Micros since : view.preparing) {
    pool.add(1, std::max(view.now, since + view.node_start), {Source::kNodeStart});
  }
  std::int64_t held = 0;
  for (const auto& holder : view.holders) {
    const End end = end_of(holder.length, holder.since, view.now);
    pool.add(holder.nodes, end.at, end.basis);
    held += holder.nodes;
  }
  pool.add(view.running - held, kNever, {Source::kUnknown});
  const std::int64_t missing = view.max_nodes - pool.total();
  if (missing > 0) pool.add(missing, view.now + view.node_start, {Source::kNodeStart});
  // After max_nodes was lowered, the first nodes that are free end instead of taking a run.
  if (missing < 0) (void)pool.take(-missing);
  return pool;
}

std::string count(std::int64_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

// How many runs are in front, and how many of those because of their priority.
class InFront {
 public:
  void add(std::int64_t priority) {
    ++all_;
    ++by_priority_[priority];
    if (priority > asked_) ++higher_;
  }
  std::string text(std::int64_t priority) {
    // In a queue by priority each step down is passed once.
    const auto [low, high] = std::minmax(priority, asked_);
    for (auto it = by_priority_.upper_bound(low); it != by_priority_.end() && it->first <= high; ++it) {
      higher_ += priority < asked_ ? it->second : -it->second;
    }
    asked_ = priority;
    const std::string runs = fmt::format("behind {}", count(all_, "run"));
    if (higher_ == all_) return fmt::format("{} of higher priority", runs);
    if (higher_ == 0) return runs;
    return fmt::format("{}, {} of higher priority", runs, higher_);
  }

 private:
  std::int64_t all_ = 0;
  std::map<std::int64_t, std::int64_t> by_priority_;
  std::int64_t asked_ = INT64_MAX;
  std::int64_t higher_ = 0;  // than asked_
};

// What each user has, for the limits on that.
class UserLimits {
 public:
  explicit UserLimits(const QueueView& view)
      : limits_{Limit{view.max_nodes_per_user, "node"}, Limit{view.max_runs_per_user, "run"}} {
    for (const auto& holder : view.holders) {
      Use& use = users_[holder.user];
      use.has[0] += holder.nodes;
      use.has[1] += 1;
    }
  }

  // Why a limit holds the run back; "" if none does.
  std::string refusal(const RunInLine& run) const {
    const auto it = users_.find(run.user);
    const Use use = it == users_.end() ? Use{} : it->second;
    const std::array<std::int64_t, 2> wants = {run.nodes, 1};
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const auto& [most, noun] = limits_[i];
      if (most == 0 || use.has[i] + use.will_have[i] + wants[i] <= most) continue;
      const std::string limit = fmt::format("a user may have at most {} here", count(most, noun));
      if (wants[i] > most) return fmt::format("{} and this run wants {}", limit, wants[i]);
      if (use.has[i] + wants[i] > most) return fmt::format("{} and {} has {}", limit, run.user, use.has[i]);
      return fmt::format("{} and {} has runs in front", limit, run.user);
    }
    return "";
  }
  void add(const RunInLine& run) {
    Use& use = users_[run.user];
    use.will_have[0] += run.nodes;
    use.will_have[1] += 1;
  }

 private:
  struct Use {  // nodes, runs
    std::array<std::int64_t, 2> has{};
    std::array<std::int64_t, 2> will_have{};
  };
  struct Limit {
    std::int64_t most;
    const char* noun;
  };
  std::array<Limit, 2> limits_;
  std::unordered_map<std::string, Use> users_;
};

// Why the run cannot start however long it waits, as things are; "" if it can.
std::string obstacle(const QueueView& view, const RunInLine& run) {
  if (run.status == RunStatus::kStarting || run.status == RunStatus::kPreparing) {
    return "its environment is being built";
  }
  if (view.deleting) return "the compute is being removed";
  if (run.nodes > view.max_nodes) {
    return fmt::format("the compute may have at most {} and this run wants {}",
                       count(view.max_nodes, "node"), run.nodes);
  }
  return "";
}

// `first`: nobody in front of it takes nodes.
std::string node_reason(const QueueView& view, const RunInLine& run, const NodePool& pool, bool first) {
  if (run.nodes <= pool.idle()) return "about to start";
  if (run.nodes <= pool.soon()) return "starting " + count(run.nodes - pool.idle(), "node");
  return fmt::format("waiting for {}; {} of {} in use{}", count(run.nodes - pool.soon(), "more node"),
                     view.max_nodes - pool.soon(), view.max_nodes, first ? "" : " or kept for runs in front");
}

}  // namespace

RunLength run_length(std::vector<Micros> earlier, std::optional<Micros> limit) {
  RunLength length;
  length.limit = limit;
  length.samples = static_cast<int>(earlier.size());
  if (!earlier.empty()) {
    const auto middle = earlier.begin() + static_cast<std::ptrdiff_t>(earlier.size() / 2);
    std::nth_element(earlier.begin(), middle, earlier.end());
    length.median = *middle;
  }
  return length;
}

std::optional<Micros> likely_end(const NodeHolder& holder, Micros now) {
  const End end = end_of(holder.length, holder.since, now);
  return end.at == kNever ? std::nullopt : std::optional(end.at);
}

std::vector<WaitEstimate> estimate_queue(const QueueView& view) {
  std::vector<WaitEstimate> all;
  all.reserve(view.waiting.size());
  NodePool pool = pool_of(view);
  UserLimits users(view);
  InFront in_front;
  std::int64_t position = 0;
  bool front_has_nodes = true;  // everything in front starts as soon as its nodes are up
  End last{view.now, {Source::kNow}};
  for (const auto& run : view.waiting) {
    WaitEstimate& estimate = all.emplace_back();
    estimate.run = run.run;
    estimate.reason = obstacle(view, run);
    if (estimate.reason.empty()) estimate.reason = users.refusal(run);
    if (!estimate.reason.empty()) continue;
    users.add(run);
    estimate.position = ++position;
    estimate.reason = front_has_nodes ? node_reason(view, run, pool, position == 1) : in_front.text(run.priority);
    front_has_nodes = front_has_nodes && run.nodes <= pool.soon();
    const End nodes = pool.take(run.nodes);
    if (nodes.at > last.at) last = nodes;
    if (last.at != kNever) {
      estimate.start_at = last.at;
      estimate.basis = basis_text(last.basis);
    }
    End end;
    if (last.at != kNever) {
      end = end_of(run.length, last.at, last.at);
      end.basis = together(last.basis, end.basis);
    }
    pool.add(run.nodes, end.at, end.basis);
    in_front.add(run.priority);
  }
  return all;
}

}  // namespace roost

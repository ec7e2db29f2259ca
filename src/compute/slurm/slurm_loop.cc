#include "compute/slurm/slurm_loop.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "records/compute_records.h"
#include "records/queue_records.h"
#include "records/run_records.h"
#include "base/report_error.h"

namespace roost {
namespace {

constexpr auto kTick = std::chrono::milliseconds(1000);  // whatever happens here wakes it before
// Where nothing is Slurm's, hundreds of runs a second come and go without it.
constexpr auto kWithoutSlurm = std::chrono::milliseconds(50);
constexpr auto kGather = std::chrono::milliseconds(25);
// The first run goes at once; those that come right behind it are gathered, and go as one array.
constexpr Micros kGatherFor = 100 * 1000;
constexpr Micros kRetryAfterTrouble = 2 * kSecond;
constexpr Micros kCancelAgain = 10 * kSecond;
constexpr Micros kLeaveGrace = 5 * kSecond;    // for runners to leave by themselves
constexpr std::int64_t kMostWaiting = 2000;    // looked at in one pass
constexpr std::size_t kMostElements = 1000;    // Slurm's own limit is 1001 unless it was changed

std::string key_of(std::string_view workspace, std::string_view compute) { return fmt::format("{}/{}", workspace, compute); }

// A little longer than Roost's own limit, which ends the run with the better words.
std::int64_t minutes_for(const Run& run, int grace_seconds) {
  const auto limit = run.spec.is_object() ? run.spec.find("max_run_duration_seconds") : run.spec.end();
  if (!run.spec.is_object() || limit == run.spec.end() || !limit->is_number_integer()) return 0;
  return (limit->get<std::int64_t>() + grace_seconds) / 60 + 2;
}

}  // namespace

SlurmLoop::SlurmLoop(SlurmParts parts, SlurmCluster& cluster)
    : parts_(std::move(parts)),
      cluster_(cluster),
      prefix_(fmt::format("roost-{}-", Access::hash(parts_.access.allocation_token("")).substr(0, 6))),
      ages_(parts_.serving) {}

void SlurmLoop::start() {
  thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

void SlurmLoop::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  cluster_.interrupt(true);
  thread_.join();
  cluster_.interrupt(false);
}

void SlurmLoop::run(std::stop_token stop) {
  Wake::Waiter waiter(parts_.wake);
  bool busy = true;
  while (!stop.stop_requested()) {
    again_soon_ = false;
    busy = true;
    take_turn("looking after Slurm", [&] { busy = pass(); });
    if (again_soon_) {
      waiter.pause(stop, kGather);
      waiter.take();
    } else {
      const auto poll = std::chrono::milliseconds(static_cast<int>(parts_.settings.poll_seconds * 1000));
      if (!has_any_) waiter.pause(stop, kWithoutSlurm);
      waiter.wait_for(stop, busy ? std::min(poll, kTick) : 4 * kTick);
    }
  }
}

// True if there is something to look after.
bool SlurmLoop::pass() {
  View view;
  if (const Status looked = look(view); !looked) {
    log_error("reading what waits for Slurm: {}", looked.error().message);
    return true;
  }
  has_any_ = !view.computes.empty() || !view.allocations.empty();
  if (!has_any_) return false;
  end_unneeded(view);
  start_ready(view);
  submit_waiting(view);
  remove_deleted(view);
  const Micros now = parts_.clock.steady();
  if (now >= next_poll_) {
    next_poll_ = now + static_cast<Micros>(parts_.settings.poll_seconds * kSecond);
    poll();
    watch_hosts();
    ages_.sweep();
  }
  return !view.allocations.empty() || !view.waiting.empty();
}

Status SlurmLoop::look(View& view) {
  return parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto computes, list_computes(tx));
    ROOST_TRY(view.allocations, list_allocations(tx));
    std::set<std::int64_t> served;
    for (const auto& allocation : view.allocations) {
      ROOST_TRY(Run run, run_by_row(tx, allocation.run));
      if (allocation.state != AllocationState::kEnding) served.insert(run.seq);
      if (allocation.state == AllocationState::kUsed) {
        ROOST_TRY(const auto open, open_attempt(tx, allocation.run));
        if (!open || open->attempt != allocation.attempt) view.over.insert(allocation.key());
      }
      view.runs.emplace(run.seq, std::move(run));
    }
    for (const auto& compute : computes) {
      if (!is_slurm(compute)) continue;
      view.computes.push_back(compute);
      ROOST_TRY(auto nodes, list_nodes(tx, compute.workspace, compute.name));
      for (auto& node : nodes) view.nodes[node.allocation].push_back(std::move(node));
      ROOST_TRY(auto runs, waiting_runs(tx, compute.workspace, compute.name, kMostWaiting));
      std::erase_if(runs, [&](const Run& run) { return served.contains(run.seq); });
      if (!runs.empty()) view.waiting[key_of(compute.workspace, compute.name)] = std::move(runs);
    }
    for (auto& [key, nodes] : view.nodes) {
      std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.slot < b.slot; });
    }
    return {};
  });
}

// Nobody needs the job any more: its nodes are told to leave.
void SlurmLoop::begin_end(Allocation& allocation, const std::vector<Node>& nodes) {
  const Micros now = parts_.clock.now();
  // One that never ran has nobody who could leave by himself.
  if (allocation.state != AllocationState::kUsed) canceled_[allocation.key()] = std::nullopt;
  allocation.state = AllocationState::kEnding;
  allocation.changed = now;
  std::vector<std::string> leaving;
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    leaving.clear();
    for (const auto& node : nodes) {
      auto stored = find_node(tx, node.id);
      if (!stored || stored->state == NodeState::kLeaving) continue;
      stored->enter(NodeState::kLeaving, now);
      ROOST_CHECK(save_node(tx, *stored));
      leaving.push_back(node.id);
    }
    return save_allocation(tx, allocation);
  }), "ending a Slurm job");
  for (const auto& node : leaving) parts_.changes.node_changed(node);
}

// Jobs whose run was canceled or has ended.
void SlurmLoop::end_unneeded(View& view) {
  const Micros now = parts_.serving.now();
  for (auto& allocation : view.allocations) {
    const std::string key = allocation.key();
    if (allocation.state != AllocationState::kEnding) {
      const bool is_used = allocation.state == AllocationState::kUsed;
      if (is_used ? !view.over.contains(key) : is_waiting(view.runs.at(allocation.run))) continue;
      begin_end(allocation, view.nodes[key]);
    }
    const auto last = canceled_.find(key);
    const Micros ending = ages_.age("ending/" + key, allocation.changed);
    const bool due = last != canceled_.end() ? !last->second || now - *last->second >= kCancelAgain : ending >= kLeaveGrace;
    // Without its number an element cannot be told from the rest of its array.
    if (!due || (allocation.job.empty() && allocation.index >= 0)) continue;
    canceled_[key] = now;
    if (const Status ended = cluster_.cancel(allocation.name, allocation.job); !ended) {
      log_warning("Slurm job {}: cannot be ended: {}", allocation.job, ended.error().message);
    }
  }
}

void SlurmLoop::start_ready(View& view) {
  const Micros now = parts_.clock.now();
  for (auto& allocation : view.allocations) {
    if (allocation.state != AllocationState::kNew && allocation.state != AllocationState::kSubmitted) continue;
    const auto& nodes = view.nodes[allocation.key()];
    const bool all_there = static_cast<std::int64_t>(nodes.size()) == allocation.nodes &&
                           std::all_of(nodes.begin(), nodes.end(), [](const Node& n) { return n.state == NodeState::kIdle; });
    if (!all_there) continue;
    std::string started;
    report_error(parts_.db.write([&](Tx& tx) -> Status {
      started.clear();
      ROOST_TRY(Run run, run_by_row(tx, allocation.run));
      if (!is_waiting(run)) return {};
      std::vector<Node> stored;
      for (const auto& node : nodes) {
        ROOST_TRY(Node found, find_node(tx, node.id));
        if (found.state != NodeState::kIdle) return {};
        stored.push_back(std::move(found));
      }
      ROOST_CHECK(parts_.placement.start(tx, run, stored, now));
      allocation.state = AllocationState::kUsed;
      allocation.attempt = run.attempt;
      allocation.changed = now;
      started = run.id;
      return save_allocation(tx, allocation);
    }), "starting a run on Slurm");
    if (started.empty()) continue;
    false_starts_.erase(allocation.run);
    for (const auto& node : nodes) parts_.changes.node_changed(node.id);
    parts_.changes.run_changed(started);
  }
}

void SlurmLoop::remove_deleted(const View& view) {
  for (const auto& compute : view.computes) {
    if (!compute.deleting && !compute.draining) continue;
    const bool has_jobs = std::any_of(view.allocations.begin(), view.allocations.end(), [&](const Allocation& one) {
      return one.workspace == compute.workspace && one.compute == compute.name;
    });
    if (has_jobs) continue;
    report_error(parts_.db.write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto active, count_active(tx, compute.workspace, compute.name));
      ROOST_TRY(const auto nodes, list_nodes(tx, compute.workspace, compute.name));
      return active == 0 && nodes.empty() ? remove_compute(tx, compute) : Status();
    }), "removing a compute");
  }
}

void SlurmLoop::submit_waiting(const View& view) {
  const Micros now = parts_.clock.steady();
  for (const auto& compute : view.computes) {
    const std::string key = key_of(compute.workspace, compute.name);
    const auto waiting = view.waiting.find(key);
    if (waiting == view.waiting.end() || compute.deleting) continue;
    if (const auto later = not_before_.find(key); later != not_before_.end() && now < later->second) continue;
    if (last_submitted_.contains(key) && now - last_submitted_[key] < kGatherFor) {
      again_soon_ = true;
      continue;
    }
    std::int64_t held = 0;  // nodes that Slurm was asked for already
    for (const auto& allocation : view.allocations) {
      if (key_of(allocation.workspace, allocation.compute) == key && allocation.state != AllocationState::kEnding) held += allocation.nodes;
    }
    // Runs of one shape go as one array: Slurm takes it as fast as a single job.
    std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::vector<Run>> shapes;
    for (const auto& run : waiting->second) {
      const std::int64_t nodes = nodes_needed(run);
      if (held + nodes > compute.max_nodes) break;
      held += nodes;
      shapes[{nodes, minutes_for(run, parts_.settings.cancel_grace_seconds), to_text(member(run.spec, "resources"))}].push_back(run);
    }
    for (const auto& [shape, runs] : shapes) {
      for (std::size_t first = 0; first < runs.size(); first += kMostElements) {
        const auto end = runs.begin() + static_cast<std::ptrdiff_t>(std::min(runs.size(), first + kMostElements));
        submit(compute, {runs.begin() + static_cast<std::ptrdiff_t>(first), end});
      }
    }
  }
}

void SlurmLoop::submit(const Compute& compute, const std::vector<Run>& runs) {
  const std::string key = key_of(compute.workspace, compute.name);
  if (const auto later = not_before_.find(key); later != not_before_.end() && parts_.clock.steady() < later->second) return;
  const auto options = parse_slurm_options(compute.slurm, "the compute");
  if (!options) return refuse(runs, compute, options.error().message);
  SlurmSubmission job;
  job.name = prefix_ + random_hex(4);
  job.title = runs.size() == 1 ? runs.front().id : fmt::format("{} and {} more", runs.front().id, runs.size() - 1);
  job.options = *options;
  job.nodes = nodes_needed(runs.front());
  job.resources = resource_ask_of_spec(runs.front().spec);
  job.minutes = minutes_for(runs.front(), parts_.settings.cancel_grace_seconds);
  job.elements = runs.size() > 1 ? static_cast<std::int64_t>(runs.size()) : 0;
  job.token = parts_.access.allocation_token(job.name);
  job.url = parts_.settings.url;
  job.folder = parts_.settings.folder;
  if (!parts_.settings.certificate.empty()) job.ca = read_file(parts_.settings.certificate).value_or("");
  job.program = parts_.settings.program;
  std::error_code ignored;
  job.program_size = std::filesystem::file_size(parts_.settings.program, ignored);
  if (program_digest_.empty()) program_digest_ = sha256_hex(read_file(parts_.settings.program).value_or(""));
  job.program_digest = program_digest_;

  std::vector<Allocation> made;
  const Micros now = parts_.clock.now();
  const Status written = parts_.db.write([&](Tx& tx) -> Status {
    made.clear();
    for (const auto& run : runs) {
      ROOST_TRY(const Run stored, run_by_row(tx, run.seq));
      Allocation one;
      one.name = job.name;
      one.index = job.elements > 0 ? static_cast<std::int64_t>(made.size()) : -1;
      one.run = run.seq;
      one.workspace = compute.workspace;
      one.compute = compute.name;
      one.nodes = job.nodes;
      // The element of a run that was canceled just now must be there all the same, and is ended then.
      one.state = AllocationState::kNew;
      one.reason = "being handed to Slurm";
      one.created = one.changed = now;
      ROOST_CHECK(insert_allocation(tx, one, Access::hash(job.token)));
      made.push_back(std::move(one));
    }
    return {};
  });
  if (!written) return report_error(written, "noting a Slurm job");

  const auto number = cluster_.submit(job);
  last_submitted_[key] = parts_.clock.steady();
  if (!number && number.error().code == ErrorCode::kDeadlineExceeded) {
    set_trouble(compute, number.error().message);
    return;  // it may have been taken: the queue will tell
  }
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    for (auto& one : made) {
      if (!number) {
        ROOST_CHECK(remove_allocation(tx, one));
        continue;
      }
      ROOST_TRY(auto stored, find_allocation(tx, one.name, one.index));
      if (!stored) continue;
      stored->job = one.index < 0 ? *number : fmt::format("{}_{}", *number, one.index);
      if (stored->state == AllocationState::kNew) stored->state = AllocationState::kSubmitted;
      stored->reason = "in Slurm's queue";
      ROOST_CHECK(save_allocation(tx, *stored));
    }
    return {};
  }), "noting a Slurm job");
  if (number) {
    set_trouble(compute, "");
    log_info("Slurm job {} ({}): {} x {} nodes for compute {}", *number, job.name, runs.size(), job.nodes, compute.name);
    return;
  }
  if (number.error().code == ErrorCode::kInvalidArgument) return refuse(runs, compute, number.error().message);
  set_trouble(compute, number.error().message);
  not_before_[key] = parts_.clock.steady() + kRetryAfterTrouble;
}

// Slurm would say the same again: the run fails with what it said.
void SlurmLoop::refuse(const std::vector<Run>& runs, const Compute& compute, const std::string& words) {
  std::vector<std::string> failed;
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    failed.clear();
    for (const auto& one : runs) {
      ROOST_TRY(Run run, run_by_row(tx, one.seq));
      if (!is_waiting(run)) continue;
      const std::string text = fmt::format("Slurm refused the job: {}; see what compute {} asks for with 'roost compute show {}'",
                                           words, compute.name, compute.name);
      run.error = {{"code", "slurm_refused"}, {"message", text}, {"last_lines", Json::array()}, {"node", nullptr}};
      ROOST_CHECK(move_run(tx, run, RunStatus::kFailed, text, parts_.clock.now()));
      failed.push_back(run.id);
    }
    return {};
  }), "refusing runs");
  for (const auto& run : failed) parts_.changes.run_changed(run);
}

void SlurmLoop::set_trouble(const Compute& compute, const std::string& words) {
  const std::lock_guard lock(trouble_mutex_);
  std::string& known = trouble_[key_of(compute.workspace, compute.name)];
  if (known == words) return;
  if (!words.empty()) log_warning("compute {}: {}; runs wait", compute.name, words);
  known = words;
}

std::string SlurmLoop::trouble(const std::string& workspace, const std::string& compute) const {
  const std::lock_guard lock(trouble_mutex_);
  const auto known = trouble_.find(key_of(workspace, compute));
  return known == trouble_.end() ? "" : known->second;
}

void SlurmLoop::end_all() {
  std::vector<Allocation> allocations;
  report_error(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(allocations, list_allocations(tx));
    return {};
  }), "reading the Slurm jobs");
  std::set<std::string> names;
  for (const auto& allocation : allocations) {
    if (!names.insert(allocation.name).second) continue;
    const Status ended = cluster_.cancel(allocation.name, "");
    report_error(ended, "ending a Slurm job");
    if (!ended) break;  // the others would wait as long for the same answer; their runners find nobody
  }
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    for (const auto& allocation : allocations) ROOST_CHECK(remove_allocation(tx, allocation));
    return {};
  }), "forgetting the Slurm jobs");
}

}  // namespace roost

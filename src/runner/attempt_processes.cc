#include "runner/attempt_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"
#include "runner/attempt_launch.h"
#include "runner/command_line.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kGangGrace = 5;  // seconds for the other processes, once one has failed

// How often the kernel of this machine has ended a process for want of memory.
std::int64_t out_of_memory_kills() {
  const auto text = read_file("/proc/vmstat");
  const std::size_t at = text ? text->find("oom_kill ") : std::string::npos;
  return at == std::string::npos ? 0 : std::atoll(text->c_str() + at + 9);
}

// A line of Roost's own in the script's log; one that is lost is no reason to fail. The script may have put something
// else in its place.
void add_line(const fs::path& log, const std::string& text) {
  const Fd fd(::open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  (void)write_all(fd.get(), "roost: " + text + "\n", log.string());
}

// What its image is limited to, and what it asked for.
Limits limits_of(const Attempt& attempt) {
  const Limits limits = limits_from(member(attempt.order, "limits"));
  if (!attempt.lease) return limits;
  const Amounts asked = attempt.lease->amounts();
  return least_of(limits, {static_cast<std::uint64_t>(asked.memory_mb) << 20, static_cast<double>(asked.cpus)});
}

}  // namespace

AttemptProcesses::AttemptProcesses(Attempt& attempt, Launch launch)
    : attempt_(attempt), launch_(std::move(launch)), limits_(limits_of(attempt)) {
  if (attempt.mpi) mpi_.emplace(attempt);
}

bool AttemptProcesses::start(Outcome& outcome) {
  const auto cannot = [&](const Error& error) {
    outcome.fail("launch_failed", error, attempt_.clock.steady());
    return false;
  };
  const auto was_ended = [&] {
    outcome.exited = attempt_.clock.steady();
    return false;
  };
  auto spec = make_launch_spec(attempt_);
  if (!spec) return cannot(spec.error());
  const std::string name = fmt::format("{}-{}-{}", attempt_.run_id, attempt_.number, attempt_.node_rank);
  group_.emplace(RunCgroup::make(limits_, name));
  spec->join_groups = group_->join_fds();
  // What was only asked for is not asked for in vain: nobody else is given it. `roost show` says what is enforced.
  const bool is_told_in_log = attempt_.order.contains("limits");
  for (const auto& problem : group_->problems()) {
    if (is_told_in_log) add_line(attempt_.ranks.front().log, problem);
  }
  // A watch goes when its file does.
  for (const auto& rank : attempt_.ranks) {
    ::inotify_add_watch(attempt_.settings.output_watch.get(), rank.log.c_str(), IN_MODIFY);
  }
  if (mpi_) ::inotify_add_watch(attempt_.settings.mpi_watch.get(), attempt_.mpi->folder().c_str(), IN_MOVED_TO);
  if (mpi_ && !mpi_->await_command(*spec)) return was_ended();
  attempt_.look_for_eviction();
  if (attempt_.is_evicted) {
    attempt_.ranks.clear();  // none began
    return was_ended();
  }
  kills_before_ = out_of_memory_kills();
  attempt_.launched.emplace();
  // Not the coarse clock: since Linux 6.13 a file that was laid out just now may have a finer time, after that one.
  ::clock_gettime(CLOCK_REALTIME, &*attempt_.launched);
  attempt_.started = attempt_.clock.steady();
  auto launched = launch_(*spec);
  if (!launched) return cannot(launched.error());
  running_ = std::move(*launched);
  attempt_.supervisor = running_->supervisor();
  attempt_.may_processes_be_left = !running_->is_isolated();
  log_info("run {} attempt {}: started", attempt_.run_id, attempt_.number);
  open_side_door(*spec);
  tell_enforced();
  return true;
}

void AttemptProcesses::open_side_door(const LaunchSpec& spec) {
  auto sides = running_->sides();
  if (!sides) return;
  std::map<int, SideDoor::Variables> ranks;
  // With mpirun there is one process for all.
  for (std::size_t i = 0; i < attempt_.ranks.size() && !spec.processes.empty(); ++i) {
    ranks[attempt_.ranks[i].process.rank] = spec.processes[std::min(i, spec.processes.size() - 1)].variables;
  }
  if (ranks.empty() && !spec.processes.empty()) ranks[0] = spec.processes.front().variables;
  attempt_.side_door.open(std::move(sides), std::move(ranks), spec.image ? spec.image->user : -1, spec.image ? spec.image->group : -1);
}

void AttemptProcesses::tell_enforced() {
  const Amounts asked = attempt_.lease ? attempt_.lease->amounts() : Amounts();
  if (asked.cpus == 0 && asked.memory_mb == 0) return;
  Json enforced = Json::object();
  if (asked.cpus > 0) enforced["cpus"] = group_->limits_cpus() ? "cgroup" : "affinity";
  if (asked.memory_mb > 0) enforced["memory"] = group_->limits_memory() ? "cgroup" : "none";
  if (asked.memory_mb > 0 && !group_->limits_memory() && !group_->problems().empty()) {
    enforced["why"] = group_->problems().front();
  }
  (void)attempt_.tell("enforced", {{"node_rank", attempt_.node_rank}, {"enforced", std::move(enforced)}});
}

bool AttemptProcesses::note_ends(Outcome& outcome) {
  bool failed = false;
  for (const auto& end : mpi_ ? mpi_->take_ends(*running_) : running_->take_ends()) {
    Rank& rank = attempt_.ranks.at(static_cast<std::size_t>(end.index));
    rank.end = end;
    rank.stopped = stopping_since_ != 0 && end.at >= stopping_since_;
    if (end.launch_errno != 0) {
      outcome.outcome = "launch_failed";
      const auto program = order_program(attempt_.order, {}).front();
      outcome.message = errno_error(end.launch_errno, "start " + program).message;
    }
    if (end.exit_code == 0 || rank.stopped) continue;
    failed = true;
    attempt_.failure = {{"node_rank", attempt_.node_rank}, {"rank", rank.process.rank}};
  }
  return failed && attempt_.gang.processes() > 1;
}

bool AttemptProcesses::go_on(Outcome& outcome) {
  AttemptOrders& orders = attempt_.orders;
  attempt_.look_for_eviction();
  if (note_ends(outcome) && !orders.is_stopped()) orders.stop(kGangGrace);
  const auto act = plan_.next(attempt_.clock.steady(), {orders.is_abandoned(), orders.cancel_grace(), orders.stop_grace()});
  if (act.terminate) {
    const char* why = orders.is_canceled() ? "canceled" : "stopped, because a process failed";
    log_info("run {}: {}", attempt_.run_id, why);
    stopping_since_ = attempt_.clock.now();
    running_->terminate();
  }
  if (act.kill) running_->kill();
  if (!running_->is_over()) return true;
  attempt_.side_door.close();
  attempt_.supervisor = 0;
  return false;
}

void AttemptProcesses::relay() {
  if (mpi_) mpi_->relay();
}

void AttemptProcesses::conclude(Outcome& outcome) {
  note_ends(outcome);
  if (group_->was_oom_killed()) {
    add_line(attempt_.ranks.front().log,
             fmt::format("the kernel ended a process of this run: it went over its limit ({})", limits_text(limits_)));
  }
  outcome.exited = attempt_.clock.steady();
  const bool killed = std::any_of(attempt_.ranks.begin(), attempt_.ranks.end(), [](const Rank& rank) {
    return !rank.end || rank.end->signal == SIGKILL;
  });
  const bool out_of_memory = killed && (group_->was_oom_killed() || out_of_memory_kills() > kills_before_);
  if (mpi_) mpi_->conclude(outcome, stopping_since_);
  for (auto& rank : attempt_.ranks) {
    if (!rank.end && mpi_) continue;  // mpirun ended it, or never started it
    // What was killed together with its supervisor says nothing any more.
    if (!rank.end) {
      rank.end = ProcessEnd{0, std::nullopt, SIGKILL, 0, attempt_.clock.now()};
      rank.stopped = attempt_.orders.is_to_end();
    }
    rank.out_of_memory = rank.end->signal == SIGKILL && !rank.stopped && out_of_memory;
  }
}

}  // namespace roost

#include "runner/attempt_run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "base/log.h"
#include "runner/attempt_confine.h"
#include "runner/attempt_meet.h"
#include "runner/attempt_report.h"
#include "runner/attempt_stage.h"
#include "runner/process_tree.h"
#include "runner/stacks.h"

using std::chrono::steady_clock;

namespace roost {
namespace {

constexpr Micros kBetweenShows = kSecond;  // how often the server's address is looked up for the run

void drain(int fd) {
  char buffer[4096];
  while (::read(fd, buffer, sizeof buffer) > 0) {
  }
}

}  // namespace

AttemptRun::AttemptRun(const NodeSettings& settings, const Clock& clock, Json order)
    : attempt_(settings, clock, std::move(order)),
      stream_(attempt_),
      keep_(attempt_),
      watch_(number_at(attempt_.order, "hang_seconds"), steady_clock::now()) {}

void AttemptRun::run() {
  log_info("run {} attempt {}: staging", attempt_.run_id, attempt_.number);
  Outcome outcome;
  if (const Status staged = stage_attempt(attempt_, outcome.notices); !staged) {
    outcome.fail("staging_failed", staged.error(), attempt_.clock.steady());
  } else if (const auto met = meet_nodes(attempt_); !met) {
    outcome.fail("launch_failed", met.error(), attempt_.clock.steady());
  } else if (*met) {
    follow(outcome);
  } else {
    outcome.exited = attempt_.clock.steady();
  }
  // What lies outside goes before the end is told: a next run may want the same place.
  for (const auto& made : attempt_.outside) remove(made);
  if (!attempt_.orders.is_abandoned()) AttemptReport(attempt_, stream_, keep_).hand_in(outcome);
  attempt_.server.leave();
  clean_up();
}

void AttemptRun::follow(Outcome& outcome) {
  drain(attempt_.settings.output_watch.get());  // of what was done to the file of the log before it was this run's
  AttemptProcesses processes(attempt_);
  if (!processes.start(outcome)) return;
  stream_.begin();
  keep_.begin();
  Micros next_show = attempt_.clock.steady() + kBetweenShows;
  while (processes.go_on(outcome)) {
    if (attempt_.clock.steady() >= next_show) {
      if (const Status shown = show_server(attempt_); !shown) log_warning("run {}: {}", attempt_.run_id, shown.error().message);
      next_show = attempt_.clock.steady() + kBetweenShows;
    }
    processes.relay();
    keep_.go_on();
    stream_.go_on();
    wait(processes);
  }
  keep_.stop();
  processes.conclude(outcome);
}

void AttemptRun::wait(const AttemptProcesses& processes) {
  const int output = attempt_.settings.output_watch.get();
  const int mpi = attempt_.settings.mpi_watch.get();
  pollfd waits[] = {{processes.report_fd(), POLLIN, 0}, {attempt_.orders.wake_fd(), POLLIN, 0}, {mpi, POLLIN, 0}, {output, POLLIN, 0}};
  Micros timeout = stream_.until_due() + 999;  // rounded up: poll counts milliseconds
  if (const auto kill = processes.next_kill()) {
    timeout = std::clamp(*kill - attempt_.clock.steady() + 1000, Micros(0), timeout);
  }
  ::poll(waits, stream_.wants_output() ? 4 : 3, static_cast<int>(timeout / 1000));
  if ((waits[3].revents & POLLIN) != 0) stream_.note_output();
  attempt_.orders.drain();
  drain(mpi);
  drain(output);
}

void AttemptRun::clean_up() {
  if (attempt_.orders.is_kept()) {
    log_warning("run {}: not everything could be sent; what it left stays in {}", attempt_.run_id, attempt_.folder.string());
  } else if (attempt_.may_processes_be_left || !attempt_.settings.spare->take(attempt_.folder, attempt_.user())) {
    remove(attempt_.folder);
  }
}

void AttemptRun::remove(const std::filesystem::path& folder) {
  if (const Status removed = remove_tree(folder); !removed) {
    log_warning("run {}: {}", attempt_.run_id, removed.error().message);
  }
}

Json AttemptRun::take_stacks() const {
  const int supervisor = attempt_.supervisor;
  return supervisor > 0 ? roost::take_stacks(supervisor, attempt_.folder / "stacks") : Json::array();
}

Json AttemptRun::sample(RunUsage& usage) const {
  const int supervisor = attempt_.supervisor;
  const auto processes = supervisor > 0 ? processes_below(supervisor) : std::vector<TreeProcess>();
  const bool has_own = attempt_.lease && !attempt_.lease->cpu_set.empty();
  const long cpus = has_own ? static_cast<long>(attempt_.lease->cpu_set.size()) : ::sysconf(_SC_NPROCESSORS_ONLN);
  return usage.sample(processes, static_cast<int>(cpus), attempt_.gpus());
}

double AttemptRun::idle_seconds() {
  const int supervisor = attempt_.supervisor;
  const auto processes = supervisor > 0 ? processes_below(supervisor) : std::vector<TreeProcess>();
  return watch_.idle_seconds(steady_clock::now(), attempt_.bytes_shipped, processes, attempt_.gang.processes(),
                             [&](const std::vector<int>& pids) {
                               return main_threads(supervisor, pids, attempt_.folder / "stacks");
                             });
}

}  // namespace roost

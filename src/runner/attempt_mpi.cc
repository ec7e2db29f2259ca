// The share of an attempt's node in an MPI run: its processes are started by mpirun on the first node, which asks for
// its daemons on the others by way of the server.
#include <sys/eventfd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "domain/exit_text.h"
#include "net/router.h"
#include "runner/attempt_run.h"

namespace roost {

void AttemptRun::exec(const std::string& command) {
  {
    const std::lock_guard lock(met_mutex_);
    command_ = command;
  }
  ::eventfd_write(wake_.get(), 1);
}

void AttemptRun::command_ended(const std::string& node, int exit_code) {
  {
    const std::lock_guard lock(met_mutex_);
    ended_there_.emplace_back(node, exit_code);
  }
  ::eventfd_write(wake_.get(), 1);
}

// The one process that the ranks of this node will be started by.
Result<std::vector<LaunchProcess>> AttemptRun::mpi_processes(const std::vector<LaunchProcess>& ranks,
                                                             const std::map<std::string, std::string>& common) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ROOST_CHECK(mpi_->write_rank(ranks_[i].process.rank, ranks[i], folder_ / "code"));
  }
  if (node_rank_ == 0) return std::vector{mpi_->launcher(gang_, nodes_, common)};
  return std::vector{mpi_->daemon(common)};
}

// All else is ready by then: every rank waits for the last daemon.
bool AttemptRun::await_mpi_command(LaunchSpec& spec) {
  if (node_rank_ == 0) return true;
  if (!wait_until([this] { return command_.has_value(); })) return false;
  const std::lock_guard lock(met_mutex_);
  spec.processes.front().program.push_back(*command_);
  return true;
}

void AttemptRun::relay_for_mpi() {
  if (node_rank_ != 0) return;
  for (auto& ask : mpi_->take_asks(nodes_)) asks_.push_back(std::move(ask));
  const std::string path = fmt::format("/attempts/{}/{}/command", percent_encode(run_id_), attempt_);
  while (!asks_.empty()) {
    const Json body = {{"node", asks_.front().node}, {"command", asks_.front().command}};
    const auto told = server_.once([&](ApiClient& api) { return api.post(path, body); });
    if (!told && is_given_up(told.error())) abandon();
    if (!told && !is_refusal(told.error())) break;
    if (!told) (void)mpi_->answer(asks_.front().node, 255);
    asks_.erase(asks_.begin());
  }
  const std::lock_guard lock(met_mutex_);
  for (const auto& [node, exit_code] : std::exchange(ended_there_, {})) {
    if (const Status answered = mpi_->answer(node, exit_code); !answered) log_warning("{}", answered.error().message);
  }
}

std::vector<ProcessEnd> AttemptRun::take_mpi_ends(Launched& launched) {
  for (const auto& end : launched.take_ends()) launcher_end_ = end;
  std::vector<ProcessEnd> ends;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].end) continue;
    if (auto end = mpi_->end_of(ranks_[i].process.rank)) {
      end->index = static_cast<int>(i);
      ends.push_back(*end);
    }
  }
  std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return ends;
}

// What is to be said of mpirun itself, if no process can be blamed.
void AttemptRun::conclude_mpi(Outcome& outcome) {
  if (node_rank_ > 0) {
    const int code = launcher_end_ && launcher_end_->exit_code ? *launcher_end_->exit_code : 255;
    if (const auto told = call("command-ended", {{"node_rank", node_rank_}, {"exit_code", code}});
        !told && is_given_up(told.error())) {
      abandon();
    }
  }
  const bool ended_well = launcher_end_ && launcher_end_->exit_code == 0;
  const bool told_to = launcher_end_ && stopping_since_ != 0 && launcher_end_->at >= stopping_since_;
  if (outcome.outcome != "exited" || ended_well || abandoned_ || cancel_grace_ >= 0) return;
  if (std::string why = mpi_->failure(); !why.empty()) {
    return outcome.fail("launch_failed", {ErrorCode::kFailedPrecondition, why});
  }
  if (told_to) return;
  const bool has_begun = std::any_of(ranks_.begin(), ranks_.end(), [this](const Rank& rank) {
    return mpi_->has_started(rank.process.rank);
  });
  const std::string end =
      launcher_end_ ? end_text(launcher_end_->exit_code, launcher_end_->signal, false) : "ended without a word";
  const std::string words = mpi_->last_words();
  outcome.fail("launcher_failed",
               {ErrorCode::kInternal,
                fmt::format("{} on {} {}{}{}", node_rank_ == 0 ? "mpirun" : "the daemon of mpirun", settings_.node, end,
                            has_begun ? "" : " before it started a process", words.empty() ? "" : ": " + words)});
}

}  // namespace roost

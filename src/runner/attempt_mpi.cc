#include "runner/attempt_mpi.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "domain/exit_text.h"

namespace roost {

Result<std::vector<LaunchProcess>> mpi_processes(const Attempt& attempt, const std::vector<LaunchProcess>& ranks,
                                                 const std::map<std::string, std::string>& common) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ROOST_CHECK(attempt.mpi->write_rank(attempt.ranks[i].process.rank, ranks[i], attempt.code()));
  }
  if (attempt.node_rank == 0) return std::vector{attempt.mpi->launcher(attempt.gang, attempt.nodes, common)};
  return std::vector{attempt.mpi->daemon(common)};
}

// All else is ready by then: every rank waits for the last daemon.
bool AttemptMpi::await_command(LaunchSpec& spec) {
  if (attempt_.node_rank == 0) return true;
  if (!attempt_.wait_until([this] { return attempt_.orders.command().has_value(); })) return false;
  spec.processes.front().program.push_back(*attempt_.orders.command());
  return true;
}

void AttemptMpi::relay() {
  if (attempt_.node_rank != 0) return;
  for (auto& ask : attempt_.mpi->take_asks(attempt_.nodes)) asks_.push_back(std::move(ask));
  while (!asks_.empty()) {
    const auto told = attempt_.tell("command", {{"node", asks_.front().node}, {"command", asks_.front().command}});
    if (!told && !is_refusal(told.error())) break;
    if (!told) (void)attempt_.mpi->answer(asks_.front().node, 255);
    asks_.erase(asks_.begin());
  }
  for (const auto& [node, exit_code] : attempt_.orders.take_ended_commands()) {
    if (const Status answered = attempt_.mpi->answer(node, exit_code); !answered) {
      log_warning("{}", answered.error().message);
    }
  }
}

std::vector<ProcessEnd> AttemptMpi::take_ends(RunningProcesses& processes) {
  for (const auto& end : processes.take_ends()) launcher_end_ = end;
  std::vector<ProcessEnd> ends;
  for (std::size_t i = 0; i < attempt_.ranks.size(); ++i) {
    if (attempt_.ranks[i].end) continue;
    if (auto end = attempt_.mpi->end_of(attempt_.ranks[i].process.rank)) {
      end->index = static_cast<int>(i);
      ends.push_back(*end);
    }
  }
  std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return ends;
}

void AttemptMpi::conclude(Outcome& outcome, Micros stopping_since) {
  if (attempt_.node_rank > 0) {
    const int code = launcher_end_ && launcher_end_->exit_code ? *launcher_end_->exit_code : 255;
    const auto told = attempt_.call("command-ended", {{"node_rank", attempt_.node_rank}, {"exit_code", code}});
    if (!told && is_given_up(told.error())) attempt_.orders.abandon();
  }
  const bool ended_well = launcher_end_ && launcher_end_->exit_code == 0;
  const bool told_to = launcher_end_ && stopping_since != 0 && launcher_end_->at >= stopping_since;
  if (outcome.outcome != "exited" || ended_well || attempt_.orders.is_abandoned() || attempt_.orders.is_canceled()) return;
  if (std::string why = attempt_.mpi->failure(); !why.empty()) {
    return outcome.fail("launch_failed", {ErrorCode::kFailedPrecondition, why}, attempt_.clock.steady());
  }
  if (told_to) return;
  const bool has_begun = std::any_of(attempt_.ranks.begin(), attempt_.ranks.end(), [this](const Rank& rank) {
    return attempt_.mpi->has_started(rank.process.rank);
  });
  const std::string end =
      launcher_end_ ? end_text(launcher_end_->exit_code, launcher_end_->signal, false) : "ended without a word";
  const std::string words = attempt_.mpi->last_words();
  const char* what = attempt_.node_rank == 0 ? "mpirun" : "the daemon of mpirun";
  outcome.fail("launcher_failed",
               {ErrorCode::kInternal,
                fmt::format("{} on {} {}{}{}", what, attempt_.settings.node, end,
                            has_begun ? "" : " before it started a process", words.empty() ? "" : ": " + words)},
               attempt_.clock.steady());
}

}  // namespace roost

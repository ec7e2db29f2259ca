#include "runner/attempt_report.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "runner/installed_packages.h"

using std::chrono::milliseconds;

namespace roost {
namespace {

constexpr Backoff::Pauses kReportPauses{milliseconds(10), milliseconds(5000)};
constexpr int kMostTries = 5;
constexpr Micros kForEviction = 250'000;

bool was_told_to_end(const Rank& rank) {
  return rank.end && !rank.stopped && (rank.end->signal == SIGTERM || rank.end->exit_code == 128 + SIGTERM);
}

}  // namespace

// A node that is told to end may well find that its processes were told so too, a moment before.
void AttemptReport::note_eviction(Outcome& outcome) {
  if (!attempt_.settings.is_evicted) return;
  auto& ranks = attempt_.ranks;
  const bool told = !attempt_.orders.is_canceled() && std::any_of(ranks.begin(), ranks.end(), was_told_to_end);
  const Micros until = attempt_.clock.steady() + kForEviction;
  while (told && !attempt_.settings.is_evicted() && attempt_.clock.steady() < until) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  attempt_.look_for_eviction();
  if (!attempt_.is_evicted) return;
  for (auto& rank : ranks) rank.stopped = rank.stopped || was_told_to_end(rank);
  const bool cut_short = ranks.empty() || std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.stopped; });
  if (outcome.outcome != "exited" || !cut_short) return;
  outcome.outcome = "evicted";
  outcome.message = fmt::format("node {} was told to end", attempt_.settings.node);
}

// For those who look on; the report tells it as well.
void AttemptReport::tell_exited(const Outcome& outcome) {
  const auto always = [](const Error&) { return true; };
  Retry retry({always, {}, kMostTries}, Backoff({}, attempt_.orders.abandoned()), attempt_.clock);
  for (;;) {
    const auto told = attempt_.tell("exited", {{"exited_ago_us", attempt_.ago(outcome.exited)},
                                               {"node_rank", attempt_.node_rank}});
    if (told || !retry.again(told.error())) return;
  }
}

void AttemptReport::hand_in(Outcome& outcome) {
  note_eviction(outcome);
  stream_.end();
  // On a full disk the outputs go first: what is given up of them makes room for the rest.
  if (!stream_.ship_all(false)) return;
  if (attempt_.is_evicted && attempt_.settings.joined) return keep_.save_outputs();
  const bool has_some = keep_.has_outputs();
  if (outcome.outcome != "evicted" && has_some) tell_exited(outcome);
  if (attempt_.orders.is_abandoned()) return;
  if (has_some && !keep_.collect(outcome)) return;
  if (stream_.is_server_full() && !stream_.ship_all(true)) return;
  if (stream_.is_server_full()) {
    outcome.notices.add("logs", "could not be stored to their end: the server has no room for them");
  }
  if (const std::string text = installed_text(installed_packages(attempt_.folder / "packages")); !text.empty()) {
    outcome.notices.add("pip", text);
  }
  send_report(outcome);
}

Json AttemptReport::rank_reports() const {
  Json all = Json::array();
  for (const auto& rank : attempt_.ranks) {
    all.push_back({{"rank", rank.process.rank},
                   {"local_rank", rank.process.local_rank},
                   {"exit_code", rank.end ? or_null(rank.end->exit_code) : Json()},
                   {"signal", rank.end ? or_null(rank.end->signal) : Json()},
                   {"ended_at_us", rank.end ? rank.end->at : 0},
                   {"stopped", rank.stopped || !rank.end},
                   {"out_of_memory", rank.out_of_memory}});
  }
  return all;
}

Json AttemptReport::report_of(const Outcome& outcome) const {
  Notices notices = outcome.notices;
  notices.add_all(attempt_.streams.notices());
  notices.add_all(stream_.notices());
  return {{"outcome", outcome.outcome},
          {"message", outcome.message},
          {"node_rank", attempt_.node_rank},
          {"ranks", rank_reports()},
          {"started_ago_us", attempt_.started ? Json(attempt_.ago(*attempt_.started)) : Json()},
          {"exited_ago_us", attempt_.ago(outcome.exited)},
          {"outputs", outcome.outputs},
          {"gone", keep_.removed(outcome.outputs)},
          {"streams", attempt_.streams.lengths()},
          {"notices", notices.json()}};
}

void AttemptReport::send_report(Outcome& outcome) {
  Backoff backoff(kReportPauses, attempt_.orders.abandoned());
  int refusals = 0;
  bool told = false;
  while (!attempt_.orders.is_abandoned()) {
    Json body = report_of(outcome);
    // What can be wrong with one that was refused for good is in the rest of it.
    if (refusals >= kMostTries) {
      body = {{"outcome", outcome.outcome}, {"message", outcome.message}, {"node_rank", attempt_.node_rank}};
    }
    const auto heard = attempt_.tell("finished", body);
    if (heard || is_given_up(heard.error())) return;
    const Error& error = heard.error();
    if (!std::exchange(told, true)) {
      log_warning("run {}: {}; its report is sent until it is taken", attempt_.run_id, error.message);
    }
    if (error.code == ErrorCode::kDataMismatch) {
      // The server lacks something that was shipped: ask how far it is.
      attempt_.streams.ask_lengths();
      if (!stream_.ship_all(true)) return;
    } else if (error.code == ErrorCode::kFailedPrecondition) {
      // It lacks an output.
      if (!keep_.collect(outcome)) return;
    } else if (is_refusal(error) && ++refusals == kMostTries) {
      // It will never take this one: the run ends with the reason rather than not at all, and what it made is kept.
      keep_.save_outputs();
      outcome.outcome = "report_refused";
      outcome.message = "the server refused the report of the run's end: " + error.message;
    }
    backoff.pause();
  }
}

}  // namespace roost

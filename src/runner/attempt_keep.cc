#include "runner/attempt_keep.h"

#include <algorithm>

#include "base/log.h"

namespace roost {
namespace {

void note_mlflow(const Json& outputs, Notices& notices) {
  const bool is_there = std::any_of(outputs.begin(), outputs.end(), [](const Json& output) {
    const std::string path = text_at(output, "path");
    return path == kMlflowDatabase || path.starts_with(std::string(kMlflowFolder) + "/");
  });
  if (!is_there) return;
  notices.add(kMlflowFolder, "has what MLflow logged and is kept with the files of the run, because the script said where MLflow logs: these "
                             "metrics are not among the run's own. Without that they are, and 'roost import mlflow' brings these");
}

}  // namespace

AttemptKeep::AttemptKeep(Attempt& attempt)
    : attempt_(attempt), space_(attempt.clock, kForSpace, [&attempt] {
        return attempt.orders.is_abandoned() || attempt.orders.is_canceled();
      }) {}

void AttemptKeep::begin() { begun_ = attempt_.clock.steady(); }

void AttemptKeep::go_on() {
  if (keeper_ || attempt_.clock.steady() - begun_ <= kBeforeKept) return;
  keeper_.emplace(attempt_.settings.server_file, attempt_.settings.data_id, text_at(attempt_.order, "token"),
                  attempt_.path("outputs"), tree(), attempt_.node_rank, attempt_.gang.nodes > 1, attempt_.clock);
}

void AttemptKeep::stop() {
  if (keeper_) keeper_->stop();
}

bool AttemptKeep::has_outputs() const {
  Notices of_what_is_left_out;
  return !tree().find(of_what_is_left_out).empty() || !of_what_is_left_out.empty();
}

bool AttemptKeep::collect(Outcome& outcome) {
  auto collected = collect_outputs(attempt_.server, tree(), space_);
  if (!collected && is_given_up(collected.error())) attempt_.orders.abandon();
  std::string failure = collected ? collected->failure() : "the outputs could not be kept: " + collected.error().message;
  if (collected) {
    outcome.outputs = std::move(collected->files);
    outcome.notices.add_all(collected->notices);
    note_mlflow(outcome.outputs, outcome.notices);
  }
  if (!failure.empty() && !attempt_.orders.is_abandoned() && outcome.outcome == "exited") {
    outcome.outcome = "outputs_failed";
    outcome.message = std::move(failure);
  }
  return !attempt_.orders.is_abandoned();
}

void AttemptKeep::save_outputs() {
  SpaceWait no_wait(attempt_.clock, 0, [] { return true; });
  const auto lost = [&](const Error& error) {
    log_warning("run {}: the last outputs are lost: {}", attempt_.run_id, error.message);
  };
  const auto saved = collect_outputs(attempt_.server, tree(), no_wait);
  if (!saved) return lost(saved.error());
  const auto told = attempt_.call(
      "outputs", {{"node_rank", attempt_.node_rank}, {"ended", true}, {"folders", ended_folders(saved->files)}});
  if (!told) lost(told.error());
}

std::vector<std::string> AttemptKeep::removed(const Json& outputs) const {
  return keeper_ ? keeper_->removed(outputs) : std::vector<std::string>();
}

}  // namespace roost

#include "server/routes/mlflow_runs.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "execute/attempts.h"
#include "mlflow/label_names.h"
#include "records/run_records.h"
#include "server/routes/late_write.h"

namespace roost {
namespace {

constexpr const char* kNameTag = "mlflow.runName";
constexpr std::int64_t kLastMillisecond = 3'093'527'980'800'000;  // of the year 100,000

RunStatus end_of(mlflow::WireStatus status) {
  if (status == mlflow::WireStatus::kFinished) return RunStatus::kCompleted;
  return status == mlflow::WireStatus::kFailed ? RunStatus::kFailed : RunStatus::kCanceled;
}

bool is_end(mlflow::WireStatus status) {
  return status != mlflow::WireStatus::kRunning && status != mlflow::WireStatus::kScheduled;
}

}  // namespace

bool is_made_by_mlflow(const Run& run) {
  return run.type == kInteractiveType && run.properties.contains(kMadeByMlflow);
}

Status check_logs(Tx& tx, const MlflowCall& call, const Run& run, std::string_view what) {
  if (!is_made_by_mlflow(run)) return check_not_ended(run);
  return note_late_write(tx, run, call.who, what, call.app.clock.now());
}

Status check_labels_run(Tx& tx, const MlflowCall& call, const Run& run, std::string_view what) {
  return note_late_write(tx, run, call.who, what, call.app.clock.now());
}

Status move_as_told(Tx& tx, const MlflowCall& call, Run& run, mlflow::WireStatus wanted, std::optional<Micros> ended) {
  if (run.type != kInteractiveType) return {};
  const Micros now = call.app.clock.now();
  const bool may_go_on = is_made_by_mlflow(run);
  if (!is_end(wanted)) {
    if (!is_terminal(run.status) || !may_go_on) return {};
    return resume_run(tx, run, fmt::format("resumed by {}", call.who.name), now);
  }
  const RunStatus end = end_of(wanted);
  if (run.status != end) {
    if (is_terminal(run.status)) {
      if (!may_go_on) return {};
      ROOST_CHECK(resume_run(tx, run, fmt::format("{} said that it ended otherwise", call.who.name), now));
    }
    if (end == RunStatus::kFailed) {
      run.error = {{"code", "reported_failure"},
                   {"message", "MLflow's client reported that the run failed"},
                   {"last_lines", Json::array()},
                   {"node", nullptr}};
    }
    ROOST_CHECK(end_interactive(tx, run, end, "", now));
  }
  if (!ended || !may_go_on) return {};
  run.ended = *ended;
  return save_run(tx, run);
}

Status put_tags(Tx& tx, Run& run, const TagChanges& tags) {
  if (tags.empty()) return {};
  Json all = run.tags;
  std::string name = run.display_name;
  for (const auto& [key, value] : tags) {
    if (key == kNameTag) {
      name = value;
    } else {
      all[key] = value;
    }
  }
  if (all.size() > kMostTags)
    return fail(ErrorCode::kInvalidArgument, fmt::format("a run has at most {} tags", kMostTags));
  if (name != run.display_name) {
    run.display_name = mlflow::cut(std::move(name), mlflow::kNameLimit);
    // Names are lines of text in lists.
    std::replace_if(
        run.display_name.begin(), run.display_name.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    ROOST_CHECK(save_run(tx, run));
  }
  return all == run.tags ? Status() : replace_tags(tx, run, std::move(all));
}

Status remove_tag(Tx& tx, Run& run, const std::string& key) {
  Json all = run.tags;
  if (all.erase(key) == 0) {
    return fail(ErrorCode::kNotFound, fmt::format("No tag with name: {} in run with id {}", printable(key), run.id));
  }
  return replace_tags(tx, run, std::move(all));
}

Result<TagChanges> read_tags(const mlflow::WireFields& fields, const char* list) {
  ROOST_TRY(const auto given, fields.objects(list));
  TagChanges tags;
  for (const auto& tag : given) {
    ROOST_TRY(const std::string key, tag.text("key"));
    ROOST_TRY(const std::string value, tag.text("value"));
    ROOST_CHECK(mlflow::check_label_name(key, "tag"));
    tags.emplace_back(key, mlflow::cut(value, mlflow::kTagLimit));
  }
  return tags;
}

Result<Params> read_params(const mlflow::WireFields& fields, const char* list) {
  ROOST_TRY(const auto given, fields.objects(list));
  Params params;
  for (const auto& param : given) {
    ROOST_TRY(const std::string key, param.text("key"));
    ROOST_TRY(const std::string value, param.text("value"));
    ROOST_CHECK(mlflow::check_label_name(key, "param"));
    const bool again = std::any_of(params.begin(), params.end(), [&](const auto& known) { return known.first == key; });
    if (again)
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("Duplicate parameter keys have been submitted: {}", printable(key)));
    params.emplace_back(key, mlflow::cut(value, mlflow::kParamLimit));
  }
  return params;
}

Result<std::optional<Micros>> read_time(const mlflow::WireFields& fields, const char* name) {
  ROOST_TRY(const auto given, fields.integer(name));
  if (!given) return std::nullopt;
  if (*given < 0 || *given > kLastMillisecond) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("Invalid value {} for parameter '{}' supplied: it must be milliseconds since 1970", *given, name));
  }
  return *given * 1000;
}

Response text_answer(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

Response empty_answer() { return text_answer("{}"); }

}  // namespace roost

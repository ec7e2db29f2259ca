#include <fmt/format.h>

#include "base/digest.h"
#include "domain/secret_variables.h"
#include "records/manifest_records.h"
#include "records/run_records.h"
#include "records/sweep_records.h"
#include "records/workspace_records.h"
#include "registry/models.h"
#include "server/routes/routes.h"
#include "server/routes/submission_key.h"
#include "server/run_details.h"
#include "server/start_run.h"
#include "sweeps/decide_sweep.h"
#include "sweeps/sweep_spec.h"

namespace roost {
namespace {

constexpr std::int64_t kNamesShown = 20;

Json optional_time(const std::optional<Micros>& at) { return at ? Json(format_time(*at)) : Json(); }

Json optional_number(const std::optional<double>& value) { return value ? number_json(*value) : Json(); }

std::string phase_of(const SweepRow& row) {
  if (!row.is_active) return "ended";
  if (row.is_stopping) return "stopping";
  return row.is_paused ? "paused" : "running";
}

Json counts_json(const TrialCounts& counts) {
  return {{"waiting", counts.waiting}, {"running", counts.running}, {"completed", counts.completed},
          {"stopped", counts.stopped}, {"failed", counts.failed},   {"canceled", counts.canceled}, {"paused", counts.paused}};
}

Result<Json> best_json(Tx& tx, const Run& run, const SweepRow& row) {
  const bool largest = text_at(member(row.spec, "metric"), "goal") != "minimize";
  ROOST_TRY(const auto trial, best_shown_trial(tx, row, largest));
  if (!trial) return Json();
  return Json{{"trial", trial->number},
              {"run", fmt::format("{}_{}", run.id, trial->number)},
              {"value", optional_number(trial->number == row.best_trial ? row.best_value : trial->best)},
              {"parameters", trial->parameters}};
}

// The limits as they are now, and of the run's variables what the caller may see.
Json spec_json(const Run& run, const SweepRow& row, const Principal& who) {
  Json spec = row.spec;
  spec["max_total_runs"] = row.max_total;
  spec["max_concurrent_runs"] = or_null(row.max_concurrent);
  mask_spec(spec["run"], variables_for(who, run));
  return spec;
}

Result<Json> sweep_json(Tx& tx, const Run& run, const SweepRow& row, const Principal& who) {
  ROOST_TRY(const TrialCounts counts, count_trials_by_state(tx, row.run));
  ROOST_TRY(Json best, best_json(tx, run, row));
  Json names = Json::array();
  if (!row.best_trial) {
    ROOST_TRY(const auto seen, metrics_of_trials(tx, row.run, kNamesShown));
    names = seen;
  }
  std::string message = row.message;
  if (message.empty()) {
    const std::int64_t ended = counts.completed + counts.stopped + counts.failed + counts.canceled;
    message = fmt::format("{} of at most {} children ended, {} running", ended, row.max_total, counts.running);
  }
  return Json{{"id", run.id},
              {"workspace", run.workspace},
              {"experiment", run.experiment},
              {"status", status_name(run.status)},
              {"phase", phase_of(row)},
              {"message", message},
              {"created_at", format_time(run.created)},
              {"ended_at", optional_time(run.ended)},
              {"created_by", run.created_by},
              {"spec", spec_json(run, row, who)},
              {"space_size", or_null(row.space_size)},
              {"counts", counts_json(counts)},
              {"metrics_seen", std::move(names)},
              {"best", std::move(best)}};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Member by member, which for the thousands of a page takes half as long as a list of pairs.
Json trial_json(TrialFacts facts, const std::string& sweep, const PolicySettings& policy) {
  TrialRow& trial = facts.trial;
  const TrialState state = state_of(facts);
  const auto next = state == TrialState::kRunning ? next_check(policy, trial.intervals, trial.number) : std::nullopt;
  Json one = Json::object();
  one["number"] = trial.number;
  one["run"] = fmt::format("{}_{}", sweep, trial.number);
  one["parameters"] = std::move(trial.parameters);
  one["status"] = status_name(facts.status.value_or(RunStatus::kNotStarted));
  one["state"] = trial_state_name(state);
  one["origin"] = std::move(trial.origin);
  one["goes_on_from"] = trial.source.empty() ? Json() : Json(std::move(trial.source));
  one["best"] = optional_number(trial.best);
  one["last"] = optional_number(facts.last);
  one["intervals"] = trial.intervals;
  one["next_check"] = or_null(next);
  one["reason"] = state == TrialState::kFailed ? first_line(facts.failure) : std::move(trial.reason);
  one["created_at"] = facts.status ? Json(format_time(facts.created)) : Json();
  one["started_at"] = optional_time(facts.started);
  one["ended_at"] = optional_time(facts.ended);
  return one;
}

struct RequestedSweep {
  Run run;
  SweepRow row;
};

Result<RequestedSweep> requested(Tx& tx, const Request& request, const Principal& who) {
  ROOST_TRY(Run run, request_run(tx, request, who));
  ROOST_TRY(SweepRow row, sweep_by_row(tx, run.seq));
  return RequestedSweep{std::move(run), std::move(row)};
}

Status check_resumed(Tx& tx, const SweepSpec& spec, const std::string& workspace) {
  for (const auto& id : spec.resume_from) {
    ROOST_TRY(const Run run, find_run(tx, id));
    if (run.workspace != workspace || run.type != kSweepType) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"resume_from\" names {}, which is no sweep of the workspace {}", id, workspace));
    }
  }
  return {};
}

// A child that is run once more: what it ran with, and where what it left is to be found.
struct ResumedChild {
  TrialRow trial;
  Manifest left;
};

Result<std::vector<ResumedChild>> find_resumed(Tx& tx, const SweepSpec& spec, const std::string& workspace) {
  std::vector<ResumedChild> children;
  for (const auto& id : spec.resume_child_runs) {
    ROOST_TRY(const Run run, find_run(tx, id));
    ROOST_TRY(const auto trial, trial_of_run(tx, run.seq));
    if (run.workspace != workspace || !trial) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"resume_child_runs\" names {}, which is no child of a sweep in the workspace {}", id, workspace));
    }
    if (const Status fits = check_parameters(spec.space, trial->parameters); !fits) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the child {} does not fit the space of this sweep: {}", id, fits.error().message));
    }
    const auto left = outputs_manifest(tx, run, "outputs");
    if (!left) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the child {} has left nothing in ./outputs to go on from; leave it out, or add a trial with "
                              "its parameters",
                              id));
    }
    ResumedChild& child = children.emplace_back();
    child.trial.number = static_cast<std::int64_t>(children.size()) - 1;
    child.trial.parameters = trial->parameters;
    child.trial.origin = "resumed";
    child.trial.source = id;
    child.left = *left;
  }
  return children;
}

// Their outputs as manifests, which the parent names from the start, so that they stay until a child has them.
Status store_resumed(App& app, std::vector<ResumedChild>& children) {
  for (auto& child : children) {
    ROOST_TRY(child.trial.content, app.blobs->put(manifest_text(child.left)));
    ROOST_CHECK(app.blobs->sync({child.trial.content}));
  }
  return {};
}

Status insert_resumed(Tx& tx, const Run& parent, const std::vector<ResumedChild>& children, Micros now) {
  for (const auto& child : children) {
    ROOST_CHECK(store_manifest(tx, child.trial.content, child.left, now));
    ROOST_CHECK(insert_input(tx, parent, fmt::format("resume_{}", child.trial.number), child.trial.content));
    ROOST_CHECK(insert_trial(tx, parent.seq, child.trial));
  }
  return {};
}

void name_parent(SweepSpec& spec) {
  spec.run.is_sweep = true;
  spec.run.id = "HD_" + new_guid();
  spec.run.properties["runTemplate"] = "HyperDrive";
  spec.run.properties["azureml.runsource"] = "hyperdrive";
  spec.run.properties["platform"] = "AML";
  spec.run.properties["primary_metric_config"] =
      to_text({{"name", spec.metric}, {"goal", spec.goal == Goal::kMaximize ? "maximize" : "minimize"}});
  spec.run.properties["resume_from"] = spec.resume_from.empty() ? "null" : to_text(spec.resume_from);
  if (const auto size = spec.space.size()) spec.run.properties["space_size"] = std::to_string(*size);
}

SweepRow new_row(const Run& run, const SweepSpec& spec, Json stored, Micros now) {
  SweepRow row;
  row.run = run.seq;
  row.workspace = run.workspace;
  row.spec = std::move(stored);
  row.max_total = spec.max_total_runs;
  row.max_concurrent = spec.max_concurrent_runs;
  row.deadline = now + spec.max_duration_minutes * 60 * kSecond;
  if (const auto size = spec.space.size(); size && *size <= INT64_MAX) row.space_size = static_cast<std::int64_t>(*size);
  return row;
}

Result<Response> create(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  const std::uint64_t seed = std::stoull(random_hex(6), nullptr, 16);
  ROOST_TRY(SweepSpec spec, parse_sweep_spec(body, seed));
  ROOST_CHECK(check_values_are_given(spec.run));
  ROOST_TRY(const auto key, submission_key(app, request, request.parameters.at("workspace"), body, who));
  seal_variables(spec.run, *app.sealer);
  const Json stored = sweep_spec_json(body, spec);
  name_parent(spec);
  const std::string workspace = request.parameters.at("workspace");
  std::vector<ResumedChild> resumed;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(resumed, find_resumed(tx, spec, workspace));
    return {};
  }));
  std::optional<BlobStore::Hold> hold;
  if (!resumed.empty()) hold.emplace(*app.blobs);
  ROOST_CHECK(store_resumed(app, resumed));
  Json answer;
  StartSteps steps;
  steps.check = [&](Tx& tx) -> Result<std::optional<Submitter>> {
    if (key) {
      ROOST_TRY(const auto made, find_submission(tx, *key, app.clock.now()));
      if (made) {
        ROOST_TRY(const Run run, find_run(tx, *made));
        ROOST_TRY(const SweepRow row, sweep_by_row(tx, run.seq));
        ROOST_TRY(answer, sweep_json(tx, run, row, who));
        return std::nullopt;
      }
    }
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_CHECK(check_resumed(tx, spec, workspace));
    return Submitter{workspace, who.name};
  };
  steps.made = [&](Tx& tx, const Run& run) -> Status {
    const SweepRow row = new_row(run, spec, stored, app.clock.now());
    ROOST_CHECK(insert_sweep(tx, row));
    ROOST_CHECK(insert_resumed(tx, run, resumed, app.clock.now()));
    if (key) ROOST_CHECK(insert_submission(tx, *key, run, app.clock.now()));
    ROOST_TRY(answer, sweep_json(tx, run, row, who));
    return {};
  };
  ROOST_CHECK(start_run(app, spec.run, steps));
  return json_response(answer, 201);
}

Result<Response> list(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const auto limit, integer_query(request, "limit", 100, 1, 1000));
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters.at("workspace")));
    ROOST_TRY(const auto rows, list_sweeps(tx, request.parameters.at("workspace"), limit));
    for (const auto& row : rows) {
      ROOST_TRY(const Run run, run_by_row(tx, row.run));
      ROOST_TRY(Json one, sweep_json(tx, run, row, who));
      items.push_back(std::move(one));
    }
    return {};
  }));
  return json_response({{"sweeps", std::move(items)}});
}

Result<Response> get(App& app, const Request& request, const Principal& who) {
  Json answer;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const RequestedSweep sweep, requested(tx, request, who));
    ROOST_TRY(answer, sweep_json(tx, sweep.run, sweep.row, who));
    return {};
  }));
  return json_response(answer);
}

Status check_goes_on(const RequestedSweep& sweep) {
  if (sweep.row.is_active && !is_terminal(sweep.run.status)) return {};
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("the sweep {} has ended: {}; start another with it as \"resume_from\"", sweep.run.id,
                          status_name(sweep.run.status)));
}

Result<Response> update(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the sweep");
  const bool says_paused = fields.has("paused");
  const bool paused = fields.boolean("paused", false);
  const bool stop = fields.boolean("stop", false);
  const bool says_total = fields.has("max_total_runs");
  const auto total = fields.integer("max_total_runs", 1, 1, kMostTrials);
  const bool says_concurrent = fields.has("max_concurrent_runs");
  const auto concurrent = fields.integer("max_concurrent_runs", 1, 1, kMostTrials);
  ROOST_CHECK(fields.done());
  Json answer;
  std::string id;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(RequestedSweep sweep, requested(tx, request, who));
    ROOST_CHECK(check_goes_on(sweep));
    id = sweep.run.id;
    if (stop) {
      sweep.row.is_stopping = true;
      sweep.row.message = fmt::format("{} stopped it; children that had begun were left to end", who.name);
    }
    if (says_paused) sweep.row.is_paused = paused;
    if (says_total) sweep.row.max_total = total;
    if (says_concurrent) sweep.row.max_concurrent = concurrent;
    ROOST_CHECK(save_sweep(tx, sweep.row));
    ROOST_CHECK(note_event(tx, sweep.run, fmt::format("{} changed the sweep", who.name), app.clock.now()));
    ROOST_TRY(answer, sweep_json(tx, sweep.run, sweep.row, who));
    return {};
  }));
  app.changes.run_changed(id);
  return json_response(answer);
}

// What was stored was checked before.
PolicySettings policy_of(const SweepRow& row) { return parse_policy(member(row.spec, "policy")).value_or(PolicySettings()); }

Result<Response> trials(App& app, const Request& request, const Principal& who) {
  ROOST_TRY(const auto limit, integer_query(request, "limit", 1000, 1, 10'000));
  ROOST_TRY(const auto after, integer_query(request, "after", -1, -1, INT64_MAX - 1));
  // Text as it is made: a document of ten thousand trials would be ten times as large as what it says.
  Response response;
  response.body = "{\"trials\":[";
  Json next;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const RequestedSweep sweep, requested(tx, request, who));
    TrialFilter filter;
    filter.sweep = sweep.row.run;
    filter.metric = text_at(member(sweep.row.spec, "metric"), "name");
    filter.from = after + 1;
    filter.bin_too = false;
    filter.limit = limit + 1;  // one more tells whether there is another page
    ROOST_TRY(auto found, list_trials(tx, filter));
    if (static_cast<std::int64_t>(found.size()) > limit) {
      found.pop_back();
      next = found.back().trial.number;
    }
    const PolicySettings policy = policy_of(sweep.row);
    for (auto& facts : found) {
      if (response.body.back() != '[') response.body += ',';
      response.body += to_text(trial_json(std::move(facts), sweep.run.id, policy));
    }
    return {};
  }));
  response.body += fmt::format("],\"next\":{}}}", to_text(next));
  return response;
}

Result<Response> add_trial(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the trial");
  const Json parameters = fields.object("parameters");
  ROOST_CHECK(fields.done());
  Json answer;
  std::string id;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(RequestedSweep sweep, requested(tx, request, who));
    ROOST_CHECK(check_goes_on(sweep));
    if (sweep.row.is_stopping) {
      return fail(ErrorCode::kFailedPrecondition, "the sweep is being stopped and starts no more children");
    }
    ROOST_TRY(const SweepSpec spec, parse_sweep_spec(sweep.row.spec, 0));
    ROOST_CHECK(check_parameters(spec.space, parameters));
    TrialFacts facts;
    ROOST_TRY(facts.trial.number, count_trials(tx, sweep.row.run));
    facts.trial.parameters = parameters;
    facts.trial.origin = "hand";
    ROOST_CHECK(insert_trial(tx, sweep.row.run, facts.trial));
    sweep.row.max_total = std::max(sweep.row.max_total, facts.trial.number + 1);
    ROOST_CHECK(save_sweep(tx, sweep.row));
    id = sweep.run.id;
    answer = trial_json(facts, id, spec.policy);
    return {};
  }));
  app.changes.run_changed(id);
  return json_response(answer, 201);
}

}  // namespace

void add_sweep_routes(Router& router, App& app) {
  const std::string sweeps = "/api/v1/workspaces/{workspace}/sweeps";
  const std::string one = "/api/v1/sweeps/{run}";
  add_operation(router, app, "GET", sweeps, "list_sweeps", Need::kReader,
                [&app](Request& request, const Principal& who) { return list(app, request, who); });
  add_operation(router, app, "POST", sweeps, "create_sweep", Need::kContributor,
                [&app](Request& request, const Principal& who) { return create(app, request, who); });
  add_operation(router, app, "GET", one, "get_sweep", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return get(app, request, who); });
  add_operation(router, app, "PATCH", one, "update_sweep", Need::kContributor,
                [&app](Request& request, const Principal& who) { return update(app, request, who); });
  add_operation(router, app, "GET", one + "/trials", "list_trials", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return trials(app, request, who); });
  add_operation(router, app, "POST", one + "/trials", "add_trial", Need::kContributor,
                [&app](Request& request, const Principal& who) { return add_trial(app, request, who); });
}

}  // namespace roost

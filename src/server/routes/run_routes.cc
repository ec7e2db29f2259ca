#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "domain/rank_plan.h"
#include "domain/run_spec.h"
#include "domain/secret_variables.h"
#include "execute/attempts.h"
#include "execute/process_watch.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "server/routes/answer_started.h"
#include "server/routes/follow_run.h"
#include "server/routes/late_write.h"
#include "server/routes/rank_logs.h"
#include "server/routes/routes.h"
#include "server/routes/submission_key.h"
#include "server/run_details.h"

namespace roost {
namespace {

Result<RunFilter> filter_from(const Request& request) {
  RunFilter filter;
  filter.workspace = request.parameters.at("workspace");
  filter.experiment = text_query(request, "experiment");
  filter.name = text_query(request, "name");
  filter.compute = text_query(request, "compute");
  filter.parent = text_query(request, "parent");
  const auto [first, last] = request.query.equal_range("status");
  for (auto it = first; it != last; ++it) {
    for (const auto& name : split(it->second, ',')) {
      if (!status_from_name(name)) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\" is not a status; they are Starting, Preparing, Queued, "
                                "Provisioning, Running, Finalizing, Completed, Failed, Canceled, "
                                "CancelRequested, NotResponding",
                                printable(name)));
      }
      filter.statuses.push_back(name);
    }
  }
  filter.tags = text_queries(request, "tag");
  filter.properties = text_queries(request, "property");
  filter.type = text_query(request, "type");
  if (filter.type == "azureml.scriptrun") filter.type = kScriptType;
  ROOST_TRY(filter.top_level, flag_query(request, "top_level"));
  if (const auto after = request.query_value("created_after")) {
    ROOST_TRY(filter.created_after, parse_time(*after));
  }
  if (const auto before = request.query_value("created_before")) {
    ROOST_TRY(filter.created_before, parse_time(*before));
  }
  ROOST_TRY(filter.bin, bin_query(request));
  ROOST_TRY(filter.limit, integer_query(request, "limit", 50, 1, 1000));
  if (request.query_value("cursor")) {
    ROOST_TRY(filter.before_seq, integer_query(request, "cursor", 0, 0, INT64_MAX));
  }
  return filter;
}

Result<Response> list(App& app, Request& request, const Principal& who) {
  ROOST_TRY(RunFilter filter, filter_from(request));
  filter.family_of = who.run_row;
  RunPage page;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, filter.workspace));
    ROOST_TRY(page, list_runs(tx, filter));
    return {};
  }));
  Json items = Json::array();
  for (const auto& run : page.runs) items.push_back(run_json(run, variables_for(who, run)));
  return json_response({{"items", std::move(items)},
                        {"next_cursor", page.next ? Json(std::to_string(*page.next)) : Json()}});
}

// A script may start runs below its own, and no others.
Status check_may_submit(Tx& tx, const RunSpec& spec, const Principal& who) {
  if (!who.run_row) return {};
  if (!spec.parent) {
    return fail(ErrorCode::kPermissionDenied,
                "a run's token can only start children of that run; give \"parent\" (run.submit_child)");
  }
  ROOST_TRY(const Run parent, find_run(tx, *spec.parent));
  return check_descends(tx, parent, *who.run_row);
}

// What a script starts, it starts for the user who started the script.
Result<std::string> user_of(Tx& tx, const Principal& who) {
  if (!who.run_row) return who.name;
  ROOST_TRY(const Run run, run_by_row(tx, *who.run_row));
  return run.created_by;
}

constexpr int kCancelTries = 8;

Result<Response> submit(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const RunSpec spec, parse_run_spec(body));
  ROOST_CHECK(check_values_are_given(spec));
  ROOST_TRY(const auto key, submission_key(app, request, request.parameters.at("workspace"), body, who));
  return answer_started(
      app, who, spec,
      [&](Tx& tx) -> Result<Submitter> {
        ROOST_CHECK(check_may_submit(tx, spec, who));
        ROOST_TRY(std::string user, user_of(tx, who));
        return Submitter{request.parameters["workspace"], std::move(user)};
      },
      key);
}

Result<Response> update(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the run");
  const Json tags = fields.string_map("tags", true);
  const auto removed_tags = fields.strings("remove_tags");
  const Json properties = fields.string_map("properties");
  const bool rename = fields.has("display_name");
  const std::string display_name = fields.string("display_name");
  const bool archive = fields.has("archived");
  const bool archived = fields.boolean("archived", false);
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_labels(tags, "tags"));
  ROOST_CHECK(check_labels(properties, "properties"));
  ROOST_CHECK(check_text(display_name, "the display name", 256));
  std::vector<std::string> changes;
  if (!tags.empty() || !removed_tags.empty()) changes.emplace_back("tags");
  if (!properties.empty()) changes.emplace_back("properties");
  if (rename) changes.emplace_back("the name");
  if (archive) changes.emplace_back(archived ? "put into the archive" : "taken out of the archive");
  const std::string changed = changes.empty() ? "nothing was changed" : fmt::format("{}", fmt::join(changes, ", "));
  Json answer;
  std::string id;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, request_run(tx, request, who));
    if (who.run_row && (rename || archive)) ROOST_CHECK(check_descends(tx, run, *who.run_row));
    id = run.id;
    if (rename) run.display_name = display_name;
    if (archive) run.archived = archived;
    for (const auto& item : properties.items()) {
      if (run.properties.contains(item.key())) {
        return fail(ErrorCode::kFailedPrecondition,
                    fmt::format("the property \"{}\" is set already and cannot change; use a tag",
                                item.key()));
      }
      run.properties[item.key()] = item.value();
    }
    ROOST_CHECK(check_labels(run.properties, "properties"));
    if (!tags.empty() || !removed_tags.empty()) {
      Json merged = run.tags;
      for (const auto& key : removed_tags) merged.erase(key);
      merged.update(tags);
      ROOST_CHECK(check_labels(merged, "tags"));
      ROOST_CHECK(replace_tags(tx, run, std::move(merged)));
    }
    ROOST_CHECK(save_run(tx, run));
    ROOST_CHECK(note_late_write(tx, run, who, changed, app.clock.now()));
    ROOST_TRY(answer, whole_run_json(tx, run, who, app.clock.now()));
    return {};
  }));
  app.changes.run_changed(id);
  return json_response(answer);
}

Result<Response> cancel(App& app, Request& request, const Principal& who) {
  Json answer;
  Run run;
  const auto request_end = [&](Tx& tx) -> Status {
    ROOST_TRY(run, request_run(tx, request, who));
    ROOST_CHECK(request_cancel(tx, run, fmt::format("canceled by {}", who.name), app.clock.now()));
    ROOST_TRY(answer, whole_run_json(tx, run, who, app.clock.now()));
    return {};
  };
  Status written = app.db->write(request_end);
  // On a full disk each try finds a piece of what is kept aside; whoever fills it, this very run perhaps, may be quicker.
  for (int tries = 1; !written && written.error().code == ErrorCode::kResourceExhausted && tries < kCancelTries; ++tries) {
    written = app.db->write(request_end);
  }
  ROOST_CHECK(written);
  app.builds->leave(run.id);
  app.changes.run_changed(run.id);
  app.changes.nodes_changed(*app.db, run);
  return json_response(answer);
}

// An interactive run ends here. Of a script's run the exit code decides, and nothing changes.
Result<Response> complete(App& app, Request& request, const Principal& who) {
  Json answer;
  std::string id;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, request_run(tx, request, who));
    id = run.id;
    if (run.type == kInteractiveType) {
      ROOST_CHECK(end_interactive(tx, run, RunStatus::kCompleted, "", app.clock.now()));
    }
    ROOST_TRY(answer, whole_run_json(tx, run, who, app.clock.now()));
    return {};
  }));
  app.changes.run_changed(id);
  return json_response(answer);
}

constexpr std::size_t kMostErrorText = 3000;
constexpr std::size_t kMostTracebackLines = 100;

std::string short_text(std::string text) {
  if (text.size() > kMostErrorText) text.resize(kMostErrorText);
  return to_utf8(text);
}

Json last_of(const std::vector<std::string>& lines) {
  Json last = Json::array();
  const std::size_t from = lines.size() - std::min(lines.size(), kMostTracebackLines);
  for (std::size_t i = from; i < lines.size(); ++i) last.push_back(short_text(lines[i]));
  return last;
}

// Ends the run. Where its own script says so it goes on until that ends, and is Failed then, whatever its exit code.
Result<Response> fail_run(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the request");
  std::string message = fields.string("message", "the script reported a failure");
  const std::string code = fields.string("code", "reported_failure");
  const std::string exception = fields.string("exception");
  const auto traceback = fields.strings("traceback");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_text(code, "the error code", 100));
  if (message.empty()) message = "the script reported a failure";
  Json answer;
  Run run;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(run, request_run(tx, request, who));
    Json error = {{"code", code}, {"message", short_text(message)}, {"last_lines", Json::array()},
                  {"node", run.node ? Json(*run.node) : Json()}};
    if (!exception.empty()) error["exception"] = short_text(exception);
    if (!traceback.empty()) error["traceback"] = last_of(traceback);
    ROOST_CHECK(request_fail(tx, run, error, who.run_row == run.seq, app.clock.now()));
    ROOST_TRY(answer, whole_run_json(tx, run, who, app.clock.now()));
    return {};
  }));
  if (who.run_row != run.seq) app.builds->leave(run.id);
  app.changes.run_changed(run.id);
  app.changes.nodes_changed(*app.db, run);
  return json_response(answer);
}

// The process of an interactive run lives.
Result<Response> hear(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_CHECK(JsonFields(body, "the heartbeat").done());
  Run run;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(run, request_run(tx, request, who));
    return {};
  }));
  if (run.type != kInteractiveType) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} is no interactive run: its node says that it lives", run.id));
  }
  ROOST_CHECK(hear_process(*app.execute, run));
  return json_response({{"status", status_name(run.status)},
                        {"next_seconds", process_heartbeat_seconds(app.execute->settings)}});
}

// The log or the logs of the ranks that the request names.
Result<std::unique_ptr<LogFeed>> feed_of(App& app, const Request& request, const Run& run) {
  std::string log = text_query(request, "log");
  if (const std::string ranks = text_query(request, "ranks"); !ranks.empty()) {
    if (!log.empty() || request.query_value("offset")) {
      return fail(ErrorCode::kInvalidArgument,
                  "\"ranks\" goes with \"offsets\"; \"log\" and \"offset\" are for a single log");
    }
    ROOST_TRY(auto logs, rank_logs(run, ranks, text_query(request, "offsets")));
    return merged_logs(*app.logs, run.id, std::move(logs));
  }
  if (log.empty()) log = kDriverLog;
  ROOST_CHECK(check_artifact_path(log));
  ROOST_TRY(const auto offset, integer_query(request, "offset", 0, 0, INT64_MAX));
  return one_log(*app.logs, run.id, log_of_run(gang_of_spec(run.spec), log), static_cast<std::uint64_t>(offset));
}

Result<Response> follow(App& app, const Request& request, const Principal& who) {
  Run run;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(run, request_run(tx, request, who));
    return {};
  }));
  ROOST_TRY(auto feed, feed_of(app, request, run));
  FollowWhat what;
  if (request.query_value("build_offset")) {
    ROOST_TRY(const auto from, integer_query(request, "build_offset", 0, 0, INT64_MAX));
    what.build_offset = static_cast<std::uint64_t>(from);
  }
  if (request.query_value("live")) {
    ROOST_TRY(what.live, flag_query(request, "live"));
  }
  Response response;
  response.content_type = "application/x-ndjson";
  response.stream = follow_run(app, run.id, who, std::move(feed), what);
  return response;
}

}  // namespace

void add_run_routes(Router& router, App& app) {
  const std::string runs = "/api/v1/workspaces/{workspace}/runs";
  add_operation(router, app, "GET", runs, "list_runs", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return list(app, request, who); });
  add_operation(router, app, "POST", runs, "submit_run", Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return submit(app, request, who); });
  add_operation(router, app, "GET", "/api/v1/runs/{run}", "get_run", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) -> Result<Response> {
                  Json answer;
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_TRY(const Run run, request_run(tx, request, who));
                    ROOST_TRY(answer, whole_run_json(tx, run, who, app.clock.now()));
                    return {};
                  }));
                  return json_response(answer);
                });
  add_operation(router, app, "PATCH", "/api/v1/runs/{run}", "update_run", Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return update(app, request, who); });
  add_operation(router, app, "POST", "/api/v1/runs/{run}/cancel", "cancel_run", Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return cancel(app, request, who); });
  add_operation(router, app, "POST", "/api/v1/runs/{run}/complete", "complete_run",
                Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return complete(app, request, who); });
  add_operation(router, app, "POST", "/api/v1/runs/{run}/fail", "fail_run", Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return fail_run(app, request, who); });
  add_operation(router, app, "POST", "/api/v1/runs/{run}/heartbeat", "hear_run", Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return hear(app, request, who); });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/events", "list_run_events", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) -> Result<Response> {
                  Json items = Json::array();
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_TRY(const Run run, request_run(tx, request, who));
                    ROOST_TRY(const auto events, run_events(tx, run.seq));
                    for (const auto& event : events) items.push_back(event_json(event));
                    return {};
                  }));
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/follow", "follow_run", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return follow(app, request, who); });
}

}  // namespace roost

#include "base/log.h"
#include "domain/finish_report.h"
#include "domain/rank_plan.h"
#include "execute/finish_part.h"
#include "execute/part_news.h"
#include "finalize/check_report.h"
#include "finalize/keep_sets.h"
#include "observe/take_streams.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr std::size_t kMostWords = 500;

AttemptName attempt_of(const Request& request) {
  return {request.parameters.at("run"), std::stoll(request.parameters.at("attempt"))};
}

Response status_response(const Run& run) { return json_response({{"status", status_name(run.status)}}); }

struct News {
  int node_rank = 0;
  Micros ago = 0;
};

Result<News> news_of(Request& request, const char* ago) {
  News news;
  if (request.body.empty()) return news;
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the report");
  news.node_rank = static_cast<int>(fields.integer("node_rank", 0, 0, INT32_MAX));
  news.ago = fields.integer(ago, 0, 0, INT64_MAX / 2);
  fields.integer("exited_at_us", 0, 0, INT64_MAX / 2);  // of runners from before there was another
  ROOST_CHECK(fields.done());
  return news;
}

Result<Response> started(App& app, Request& request) {
  ROOST_TRY(const News news, news_of(request, "started_ago_us"));
  ROOST_TRY(const Run run, part_started(*app.execute, attempt_of(request), news.node_rank, news.ago));
  return status_response(run);
}

Result<Response> enforces(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the report");
  const auto node_rank = fields.integer("node_rank", 0, 0, INT32_MAX);
  const Json enforced = fields.object("enforced");
  ROOST_CHECK(fields.done());
  JsonFields limits(enforced, "\"enforced\"");
  Json said = Json::object();
  for (const char* name : {"cpus", "memory", "why"}) {
    if (const std::string text = limits.string(name); !text.empty()) said[name] = text.substr(0, kMostWords);
  }
  ROOST_CHECK(limits.done());
  ROOST_CHECK(part_enforces(*app.execute, attempt_of(request), static_cast<int>(node_rank), said));
  return json_response({{"noted", true}});
}

Result<Response> exited(App& app, Request& request) {
  ROOST_TRY(const News news, news_of(request, "exited_ago_us"));
  ROOST_TRY(const Run run, part_exited(*app.execute, attempt_of(request), news.node_rank, news.ago));
  return status_response(run);
}

Result<Response> append_streams(App& app, Request& request) {
  ROOST_TRY(const auto pieces, parse_stream_pieces(request.body));
  const AttemptName attempt = attempt_of(request);
  ROOST_TRY(const TakenStreams taken, take_streams(*app.db, *app.logs, app.clock, attempt, pieces));
  app.statistics.log_bytes += taken.log_bytes;
  app.statistics.metric_points += taken.points;
  app.changes.run_changed(attempt.run);
  Json answer = {{"streams", taken.lengths}};
  if (!taken.refused.empty()) answer["refused"] = taken.refused;
  if (taken.first_failure) {
    log_error("run {}: {}", attempt.run, taken.first_failure->message);
    answer["failed"] = taken.failed;
    answer["full"] = taken.first_failure->code == ErrorCode::kResourceExhausted;
  }
  return json_response(answer);
}

Result<Response> keep_outputs(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const KeepReport report, parse_keep_report(body));
  ROOST_TRY(const auto sets, keep_sets(*app.finalize, attempt_of(request), report));
  return json_response({{"sets", sets}});
}

Result<Response> finish(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const FinishReport report, parse_finish_report(body));
  const AttemptName attempt = attempt_of(request);
  ROOST_TRY(const auto hold, check_report(*app.finalize, attempt, report));
  ROOST_TRY(const Run run, finish_part(*app.execute, attempt, report, [&](Tx& tx, const Run& open) {
    return check_spools(tx, open, report);
  }));
  return status_response(run);
}

Result<Response> ready(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the node");
  const auto node_rank = fields.integer("node_rank", 0, 0, INT32_MAX);
  const Json facts = fields.object("facts");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(parse_node_facts(facts));
  ROOST_TRY(const bool all, part_ready(*app.execute, attempt_of(request), static_cast<int>(node_rank), facts));
  return json_response({{"all_ready", all}});
}

Result<Response> failed(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the failure");
  const auto node_rank = fields.integer("node_rank", 0, 0, INT32_MAX);
  const auto rank = fields.integer("rank", 0, 0, INT32_MAX);
  ROOST_CHECK(fields.done());
  ROOST_CHECK(part_failed(*app.execute, attempt_of(request), static_cast<int>(node_rank), rank));
  return json_response({{"stopping", true}});
}

Result<Response> command(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the command");
  const std::string node = fields.required_string("node");
  const std::string text = fields.required_string("command");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(ask_for_command(*app.execute, attempt_of(request), node, text));
  return json_response({{"asked", true}});
}

Result<Response> end_of_command(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the command's end");
  const auto node_rank = fields.integer("node_rank", 0, 0, INT32_MAX);
  const auto exit_code = fields.integer("exit_code", 0, 0, 255);
  ROOST_CHECK(fields.done());
  ROOST_CHECK(command_ended(*app.execute, attempt_of(request), static_cast<int>(node_rank), exit_code));
  return json_response({{"noted", true}});
}

}  // namespace

void add_attempt_routes(Router& router, App& app) {
  const auto add = [&](const char* what, const char* operation, Result<Response> (*handler)(App&, Request&),
                       BodyRule body = {}) {
    add_operation(router, app, "POST", std::string("/api/v1/attempts/{run}/{attempt}/") + what, operation, Need::kAttempt,
                  [&app, handler](Request& request, const Principal&) { return handler(app, request); }, body);
  };
  add("started", "report_started", started);
  add("ready", "report_ready", ready);
  add("failed", "report_failed", failed);
  add("command", "request_command", command);
  add("command-ended", "report_command_ended", end_of_command);
  add("enforced", "report_enforced", enforces);
  add("exited", "report_exited", exited);
  add("streams", "append_streams", append_streams, {64 << 20, false});
  add("outputs", "keep_outputs", keep_outputs, {256 << 20, false});
  add("finished", "report_finished", finish, {256 << 20, false});
}

}  // namespace roost

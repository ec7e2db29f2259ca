#include <fmt/format.h>

#include "base/frames.h"
#include "base/text.h"
#include "domain/names.h"
#include "execute/attempts.h"
#include "finalize/finish_run.h"
#include "observe/metric_store.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr std::string_view kSpoolPrefix = "spool/";
constexpr std::size_t kMaxFrame = 32 << 20;

std::int64_t attempt_of(const Request& request) { return std::stoll(request.parameters.at("attempt")); }

// Runs `work` on the run of the path if its attempt is still open.
Result<Run> in_attempt(App& app, const Request& request,
                       const std::function<Status(Tx&, Run&)>& work) {
  Run run;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(run, find_run(tx, request.parameters.at("run")));
    ROOST_CHECK(check_attempt_open(tx, run, attempt_of(request)));
    return work(tx, run);
  }));
  return run;
}

Status check_open(App& app, const Request& request) {
  return app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, find_run(tx, request.parameters.at("run")));
    return check_attempt_open(tx, run, attempt_of(request));
  });
}

struct Piece {
  std::string stream;
  std::uint64_t offset = 0;
  std::string bytes;
};

Result<std::vector<Piece>> pieces_of(const Request& request) {
  std::vector<Piece> pieces;
  FrameReader reader(kMaxFrame);
  ROOST_CHECK(reader.feed(request.body, [&](Frame frame) -> Status {
    JsonFields fields(frame.header, "a frame");
    Piece piece;
    piece.stream = fields.required_string("stream");
    piece.offset = static_cast<std::uint64_t>(fields.integer("offset", 0, 0, INT64_MAX / 2));
    fields.integer("length", 0, 0, INT64_MAX);
    ROOST_CHECK(fields.done());
    ROOST_CHECK(check_artifact_path(piece.stream));
    piece.bytes = std::move(frame.payload);
    pieces.push_back(std::move(piece));
    return {};
  }));
  ROOST_CHECK(reader.finish());
  return pieces;
}

Result<Response> append_streams(App& app, Request& request) {
  ROOST_TRY(const auto pieces, pieces_of(request));
  ROOST_CHECK(check_open(app, request));
  const std::string& run_id = request.parameters["run"];
  Json lengths = Json::object();
  bool has_spool = false;
  for (const auto& piece : pieces) {
    if (piece.stream.starts_with(kSpoolPrefix)) {
      has_spool = true;
      continue;
    }
    ROOST_TRY(const std::uint64_t length, app.logs->append(run_id, attempt_of(request), piece.stream,
                                                           piece.offset, piece.bytes));
    lengths[piece.stream] = length;
    app.statistics.log_bytes += static_cast<std::int64_t>(piece.bytes.size());
  }
  if (has_spool) {
    std::int64_t points = 0;
    ROOST_CHECK(in_attempt(app, request, [&](Tx& tx, Run& run) -> Status {
      points = 0;
      for (const auto& piece : pieces) {
        if (!piece.stream.starts_with(kSpoolPrefix)) continue;
        ROOST_TRY(const Ingested taken,
                  ingest_spool(tx, run, attempt_of(request), piece.stream, piece.offset, piece.bytes));
        lengths[piece.stream] = taken.length;
        points += taken.points;
        if (taken.bad_lines > 0) {
          ROOST_CHECK(add_notice(tx, run, fmt::format("{} spool line(s) were skipped: {}",
                                                      taken.bad_lines, taken.first_bad)));
        }
      }
      return {};
    }));
    app.statistics.metric_points += points;
  }
  app.run_changed(run_id);
  return json_response({{"streams", lengths}});
}

// Everything the runner says it shipped must be here and on disk before the run may end.
Status check_streams(App& app, Tx& tx, const Run& run, const FinishReport& report) {
  for (const auto& [name, length] : report.streams) {
    std::uint64_t have = 0;
    if (name.starts_with(kSpoolPrefix)) {
      Rows rows = tx.query("SELECT length FROM spool WHERE run = ? AND attempt = ? AND name = ?", run.seq,
                           run.attempt, name);
      if (rows.next()) have = static_cast<std::uint64_t>(rows.integer(0));
    } else {
      have = app.logs->size(run.id, run.attempt, name).value_or(0);
    }
    if (have < length) {
      return fail(ErrorCode::kDataMismatch,
                  fmt::format("{} has {} bytes here, {} there; send the rest", printable(name), have,
                              length));
    }
  }
  return {};
}

Result<Response> finish(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const FinishReport report, parse_finish_report(body));
  ROOST_CHECK(check_open(app, request));
  ROOST_CHECK(app.logs->sync(request.parameters["run"], attempt_of(request)));
  ROOST_CHECK(app.blobs->sync());
  const auto hold = app.blobs->hold();
  for (const auto& output : report.outputs) {
    const auto size = app.blobs->size(output.digest);
    if (!size || *size != output.size) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the output {} was not uploaded whole", printable(output.path)));
    }
  }
  const auto last_lines = app.logs->last_lines(request.parameters["run"], attempt_of(request),
                                               std::string(kDriverLog), 20);
  Node node;
  ROOST_TRY(const Run run, in_attempt(app, request, [&](Tx& tx, Run& open) -> Status {
    ROOST_CHECK(check_streams(app, tx, open, report));
    const Micros now = app.clock.now();
    ROOST_CHECK(finish_run(tx, open, report, last_lines, now));
    ROOST_CHECK(close_attempt(tx, open.seq, open.attempt));
    auto found = find_node(tx, open.node.value_or(""));
    if (!found) return {};
    node = std::move(*found);
    if (node.state == NodeState::kRunning) {
      node.state = NodeState::kIdle;
      node.idle_since = now;
      ROOST_CHECK(save_node(tx, node));
    }
    return {};
  }));
  app.access->forget(app.access->attempt_token(run.id, run.attempt));
  app.run_changed(run.id);
  app.wake_control_loop();
  return json_response({{"status", status_name(run.status)}});
}

}  // namespace

void add_attempt_routes(Router& router, App& app) {
  const std::string attempt = "/api/v1/attempts/{run}/{attempt}";
  add_operation(router, app, "POST", attempt + "/started", "report_started", Need::kAttempt,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Run run, in_attempt(app, request, [&](Tx& tx, Run& open) {
                    return mark_started(tx, open, app.clock.now());
                  }));
                  app.run_changed(run.id);
                  return json_response({{"status", status_name(run.status)}});
                });
  add_operation(router, app, "POST", attempt + "/exited", "report_exited", Need::kAttempt,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Run run, in_attempt(app, request, [&](Tx& tx, Run& open) {
                    return mark_exited(tx, open, app.clock.now());
                  }));
                  app.run_changed(run.id);
                  return json_response({{"status", status_name(run.status)}});
                });
  add_operation(router, app, "POST", attempt + "/streams", "append_streams", Need::kAttempt,
                [&app](Request& request, const Principal&) { return append_streams(app, request); },
                {64 << 20, false});
  add_operation(router, app, "POST", attempt + "/finished", "report_finished", Need::kAttempt,
                [&app](Request& request, const Principal&) { return finish(app, request); },
                {256 << 20, false});
}

}  // namespace roost

#include <algorithm>

#include <fmt/format.h>

#include "base/frames.h"
#include "base/log.h"
#include "base/text.h"
#include "domain/names.h"
#include "domain/rank_plan.h"
#include "execute/attempts.h"
#include "finalize/finish_run.h"
#include "observe/metric_store.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "server/conclude_attempt.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr std::string_view kSpoolPrefix = "spool/";
constexpr std::size_t kMaxFrame = 32 << 20;

std::int64_t attempt_of(const Request& request) { return std::stoll(request.parameters.at("attempt")); }

// The run of the path if its attempt is still open.
Result<Run> open_run(Tx& tx, const Request& request) {
  ROOST_TRY(Run run, find_run(tx, request.parameters.at("run")));
  ROOST_CHECK(check_attempt_open(tx, run, attempt_of(request)));
  return run;
}

// Runs `work` on it.
Result<Run> in_attempt(App& app, const Request& request,
                       const std::function<Status(Tx&, Run&)>& work) {
  Run run;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(run, open_run(tx, request));
    return work(tx, run);
  }));
  return run;
}

Status check_open(App& app, const Request& request) {
  return app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(open_run(tx, request));
    return {};
  });
}

// The part of a node that has still to report.
Result<AttemptPart> part_of(Tx& tx, const Run& run, int node_rank) {
  ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, run.attempt));
  for (const auto& part : parts) {
    if (part.node_rank == node_rank && !part.is_over()) return part;
  }
  return fail(ErrorCode::kGivenUp,
              fmt::format("node {} of attempt {} of run {} has ended or was given up", node_rank, run.attempt, run.id));
}

bool has_failed(const FinishReport& report) {
  return report.outcome != "exited" || std::any_of(report.ranks.begin(), report.ranks.end(), [](const RankEnd& rank) {
           return !rank.stopped && !rank.succeeded();
         });
}

struct Piece {
  std::string stream;
  std::uint64_t offset = 0;
  std::string_view bytes;  // of the request's body
};

Result<std::vector<Piece>> pieces_of(const Request& request) {
  std::vector<Piece> pieces;
  ROOST_CHECK(each_frame(request.body, kMaxFrame, [&](const FrameView& frame) -> Status {
    JsonFields fields(frame.header, "a frame");
    Piece piece;
    piece.stream = fields.required_string("stream");
    piece.offset = static_cast<std::uint64_t>(fields.integer("offset", 0, 0, INT64_MAX / 2));
    fields.integer("length", 0, 0, INT64_MAX);
    ROOST_CHECK(fields.done());
    ROOST_CHECK(check_artifact_path(piece.stream));
    piece.bytes = frame.payload;
    pieces.push_back(std::move(piece));
    return {};
  }));
  return pieces;
}

Result<Response> append_streams(App& app, Request& request) {
  ROOST_TRY(const auto pieces, pieces_of(request));
  ROOST_CHECK(check_open(app, request));
  const std::string& run_id = request.parameters["run"];
  Json lengths = Json::object();
  // A stream that cannot be kept just now must not hold up the others.
  Json failed = Json::object();
  std::optional<Error> first_failure;
  const auto note_failure = [&](const std::string& stream, const Error& error) {
    failed[stream] = error.message;
    if (!first_failure) first_failure = error;
  };
  Json refused = Json::object();  // streams whose names stand in the way of one another
  bool has_spool = false;
  for (const auto& piece : pieces) {
    if (piece.stream.starts_with(kSpoolPrefix)) {
      has_spool = true;
      continue;
    }
    // Only where there are several ranks are their logs shown together.
    std::optional<Micros> at;
    if (piece.stream != kDriverLog && rank_of_log(piece.stream) >= 0) at = app.clock.now();
    const auto length = app.logs->append(run_id, attempt_of(request), piece.stream, piece.offset, piece.bytes, at);
    if (!length && length.error().code == ErrorCode::kInvalidArgument) {
      refused[piece.stream] = length.error().message;
      continue;
    }
    if (!length) {
      note_failure(piece.stream, length.error());
      continue;
    }
    lengths[piece.stream] = *length;
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
  if (lengths.empty() && first_failure) return fail(*first_failure);
  app.changes.run_changed(run_id);
  Json answer = {{"streams", lengths}};
  if (!refused.empty()) answer["refused"] = std::move(refused);
  if (first_failure) {
    log_error("run {}: {}", run_id, first_failure->message);
    answer["failed"] = std::move(failed);
    answer["full"] = first_failure->code == ErrorCode::kResourceExhausted;
  }
  return json_response(answer);
}

Status check_shipped(const std::string& name, std::uint64_t have, std::uint64_t length) {
  if (have >= length) return {};
  return fail(ErrorCode::kDataMismatch,
              fmt::format("{} has {} bytes here, {} there; send the rest", printable(name), have, length));
}

// Everything the runner says it shipped must be here and on disk before the run may end. Logs are files: they are
// looked at before the transaction, and only grow.
Status check_logs(App& app, const Request& request, const FinishReport& report) {
  for (const auto& [name, length] : report.streams) {
    if (name.starts_with(kSpoolPrefix)) continue;
    const auto have = app.logs->size(request.parameters.at("run"), attempt_of(request), name).value_or(0);
    ROOST_CHECK(check_shipped(name, have, length));
  }
  return {};
}

Status check_spools(Tx& tx, const Run& run, const FinishReport& report) {
  for (const auto& [name, length] : report.streams) {
    if (!name.starts_with(kSpoolPrefix)) continue;
    Rows rows = tx.query("SELECT length FROM spool WHERE run = ? AND attempt = ? AND name = ?", run.seq, run.attempt,
                         name);
    const auto have = rows.next() ? static_cast<std::uint64_t>(rows.integer(0)) : 0;
    ROOST_CHECK(rows.status());
    ROOST_CHECK(check_shipped(name, have, length));
  }
  return {};
}

std::vector<std::string> digests_of(const std::vector<OutputFile>& outputs) {
  std::vector<std::string> digests;
  for (const auto& output : outputs) digests.push_back(output.digest);
  return digests;
}

Status check_outputs(App& app, const std::vector<OutputFile>& outputs) {
  for (const auto& output : outputs) {
    const auto size = app.blobs->size(output.digest);
    if (!size || *size != output.size) {
      if (size) app.blobs->verify(output.digest);  // if it is damaged, it is missing from now on
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the output {} was not uploaded whole", printable(output.path)));
    }
  }
  return {};
}

Status record_sets(App& app, Request& request, int node_rank, const std::vector<OutputSet>& sets) {
  for (const auto& set : sets) ROOST_CHECK(app.blobs->sync(digests_of(set.files)));
  const auto hold = app.blobs->hold();
  for (const auto& set : sets) ROOST_CHECK(check_outputs(app, set.files));
  ROOST_CHECK(in_attempt(app, request, [&](Tx& tx, Run& run) -> Status {
    ROOST_CHECK(part_of(tx, run, node_rank));
    for (const auto& set : sets) ROOST_CHECK(record_set(tx, run, set, app.clock.now()));
    return {};
  }));
  return {};
}

// What a run has written so far, for the next attempt in case this one is lost. What belongs together is recorded
// together.
Result<Response> keep_outputs(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const KeepReport report, parse_keep_report(body));
  const std::string& run_id = request.parameters["run"];
  int nodes = 1;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, find_run(tx, run_id));
    ROOST_CHECK(check_attempt_open(tx, run, attempt_of(request)));
    ROOST_CHECK(part_of(tx, run, report.node_rank));
    ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, run.attempt));
    nodes = static_cast<int>(parts.size());
    return {};
  }));
  for (const auto& folder : report.folders) ROOST_CHECK(check_outputs(app, folder.files));
  const auto sets = app.kept.look(run_id, attempt_of(request), nodes, report, app.clock.now());
  if (!sets.empty()) {
    if (const Status recorded = record_sets(app, request, report.node_rank, sets); !recorded) {
      app.kept.forget(run_id, attempt_of(request));
      return fail(recorded.error());
    }
  }
  return json_response({{"sets", app.kept.sets_of(run_id, attempt_of(request), report)}});
}

Result<Response> finish(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const FinishReport report, parse_finish_report(body));
  // What is to be synced is that of an attempt that is open; where there is nothing, the write sees to it.
  const bool left_nothing = report.outputs.empty() && std::all_of(report.streams.begin(), report.streams.end(),
                                                                  [](const auto& stream) { return stream.second == 0; });
  if (!left_nothing) ROOST_CHECK(check_open(app, request));
  ROOST_CHECK(app.logs->sync(request.parameters["run"], attempt_of(request)));
  ROOST_CHECK(check_logs(app, request, report));
  ROOST_CHECK(app.blobs->sync(digests_of(report.outputs)));
  const auto hold = app.blobs->hold();
  ROOST_CHECK(check_outputs(app, report.outputs));
  std::vector<std::string> nodes;
  Run open;
  ROOST_CHECK(write_concluding(app, [&](Tx& tx, const LogTails& tails) -> Status {
    ROOST_TRY(open, open_run(tx, request));
    ROOST_CHECK(check_spools(tx, open, report));
    const Micros now = app.clock.now();
    ROOST_TRY(const auto attempt, open_attempt(tx, open.seq));
    ROOST_TRY(AttemptPart part, part_of(tx, open, report.node_rank));
    // Processes that ended did start, whoever heard of it.
    if (!report.ranks.empty() && part.state != PartState::kStarted) ROOST_CHECK(mark_started(tx, open, report.node_rank, now));
    for (const auto& notice : report.notices) ROOST_CHECK(add_notice(tx, open, notice));
    const bool evicted = report.outcome == kEvicted;
    if (evicted) ROOST_CHECK(preempt_attempt(tx, open.seq, open.attempt, report.message, now));
    part.state = PartState::kFinished;
    part.report = report_json(report);
    hold_outputs(report, part.report);
    part.ended = now;
    ROOST_CHECK(save_part(tx, part));
    if (has_failed(report)) ROOST_CHECK(stop_attempt(tx, open.seq, open.attempt, now));
    ROOST_CHECK(conclude_attempt(app, tx, tails, open, now));
    ROOST_TRY(nodes, nodes_of_run(tx, open.seq, attempt_of(request)));
    auto node = find_node(tx, part.node);
    if (!node || node->state != NodeState::kRunning) return {};
    // Slurm gave the node for this run alone.
    const bool is_leaving = !node->allocation.empty();
    node->enter(is_leaving || evicted ? NodeState::kLeaving : NodeState::kIdle, now);
    return save_node(tx, *node);
  }));
  app.changes.run_changed(open.id);
  // Also the only node may be waiting for this, to leave.
  for (const auto& node : nodes) app.changes.node_changed(node);
  app.wake.notify();
  return json_response({{"status", status_name(open.status)}});
}

// A node of a gang has what it needs. The last one to say so starts them all.
Result<Response> ready(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the node");
  const auto node_rank = fields.integer("node_rank", 0, 0, INT32_MAX);
  const Json facts = fields.object("facts");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(parse_node_facts(facts));
  std::vector<std::string> nodes;
  ROOST_CHECK(in_attempt(app, request, [&](Tx& tx, Run& run) -> Status {
    nodes.clear();
    ROOST_CHECK(part_of(tx, run, static_cast<int>(node_rank)));
    ROOST_TRY(const bool all, mark_ready(tx, run, static_cast<int>(node_rank), facts));
    if (!all) return {};
    ROOST_TRY(nodes, nodes_of_run(tx, run.seq, run.attempt));
    return {};
  }));
  for (const auto& node : nodes) app.changes.node_changed(node);
  return json_response({{"all_ready", !nodes.empty()}});
}

// A process failed on its own: the others have to end, wherever they are.
Result<Response> failed(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the failure");
  const auto node_rank = fields.integer("node_rank", 0, 0, INT32_MAX);
  const auto rank = fields.integer("rank", 0, 0, INT32_MAX);
  ROOST_CHECK(fields.done());
  std::vector<std::string> nodes;
  ROOST_TRY(const Run run, in_attempt(app, request, [&](Tx& tx, Run& open) -> Status {
    nodes.clear();
    ROOST_CHECK(part_of(tx, open, static_cast<int>(node_rank)));
    ROOST_TRY(const bool first, stop_attempt(tx, open.seq, open.attempt, app.clock.now()));
    if (!first) return {};
    ROOST_TRY(nodes, nodes_of_run(tx, open.seq, open.attempt));
    return {};
  }));
  if (!nodes.empty()) log_info("run {}: rank {} failed; ending the others", run.id, rank);
  for (const auto& node : nodes) app.changes.node_changed(node);
  return json_response({{"stopping", true}});
}

// MPI: the first node has a command for another one.
Result<Response> command(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the command");
  const std::string node = fields.required_string("node");
  const std::string text = fields.required_string("command");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(in_attempt(app, request, [&](Tx& tx, Run& run) -> Status {
    ROOST_TRY(auto parts, attempt_parts(tx, run.seq, run.attempt));
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const AttemptPart& p) { return p.node == node; });
    if (part == parts.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("run {} has no node \"{}\" to start a command on", run.id, printable(node)));
    }
    if (part->command.is_object()) return {};  // told before
    part->command = {{"text", text}};
    return save_part(tx, *part);
  }));
  app.changes.node_changed(node);
  return json_response({{"asked", true}});
}

// MPI: that command ended; the first node waits for it.
Result<Response> command_ended(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the command's end");
  const auto node_rank = fields.integer("node_rank", 0, 0, INT32_MAX);
  const auto exit_code = fields.integer("exit_code", 0, 0, 255);
  ROOST_CHECK(fields.done());
  std::string first;
  ROOST_CHECK(in_attempt(app, request, [&](Tx& tx, Run& run) -> Status {
    ROOST_TRY(AttemptPart part, part_of(tx, run, static_cast<int>(node_rank)));
    if (!part.command.is_object()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("nobody asked for a command on node {} of run {}", node_rank, run.id));
    }
    part.command["exit_code"] = exit_code;
    ROOST_CHECK(save_part(tx, part));
    ROOST_TRY(const auto nodes, nodes_of_run(tx, run.seq, run.attempt));
    first = nodes.empty() ? "" : nodes.front();
    return {};
  }));
  app.changes.node_changed(first);
  return json_response({{"noted", true}});
}

Result<int> node_rank_of(Request& request) {
  if (request.body.empty()) return 0;
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the report");
  const auto rank = fields.integer("node_rank", 0, 0, INT32_MAX);
  fields.integer("exited_at_us", 0, 0, INT64_MAX / 2);
  ROOST_CHECK(fields.done());
  return static_cast<int>(rank);
}

}  // namespace

void add_attempt_routes(Router& router, App& app) {
  const std::string attempt = "/api/v1/attempts/{run}/{attempt}";
  add_operation(router, app, "POST", attempt + "/started", "report_started", Need::kAttempt,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const int node_rank, node_rank_of(request));
                  ROOST_TRY(const Run run, in_attempt(app, request, [&](Tx& tx, Run& open) {
                    return mark_started(tx, open, node_rank, app.clock.now());
                  }));
                  app.changes.run_changed(run.id);
                  return json_response({{"status", status_name(run.status)}});
                });
  add_operation(router, app, "POST", attempt + "/ready", "report_ready", Need::kAttempt,
                [&app](Request& request, const Principal&) { return ready(app, request); });
  add_operation(router, app, "POST", attempt + "/failed", "report_failed", Need::kAttempt,
                [&app](Request& request, const Principal&) { return failed(app, request); });
  add_operation(router, app, "POST", attempt + "/command", "request_command", Need::kAttempt,
                [&app](Request& request, const Principal&) { return command(app, request); });
  add_operation(router, app, "POST", attempt + "/command-ended", "report_command_ended", Need::kAttempt,
                [&app](Request& request, const Principal&) { return command_ended(app, request); });
  add_operation(router, app, "POST", attempt + "/exited", "report_exited", Need::kAttempt,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const int node_rank, node_rank_of(request));
                  ROOST_TRY(const Run run, in_attempt(app, request, [&](Tx& tx, Run& open) -> Status {
                    ROOST_TRY(const auto parts, attempt_parts(tx, open.seq, open.attempt));
                    const bool last = std::all_of(parts.begin(), parts.end(), [&](const AttemptPart& part) {
                      return part.node_rank == node_rank || part.is_over();
                    });
                    return last ? mark_exited(tx, open, app.clock.now()) : Status();
                  }));
                  app.changes.run_changed(run.id);
                  return json_response({{"status", status_name(run.status)}});
                });
  add_operation(router, app, "POST", attempt + "/streams", "append_streams", Need::kAttempt,
                [&app](Request& request, const Principal&) { return append_streams(app, request); },
                {64 << 20, false});
  add_operation(router, app, "POST", attempt + "/outputs", "keep_outputs", Need::kAttempt,
                [&app](Request& request, const Principal&) { return keep_outputs(app, request); },
                {256 << 20, false});
  add_operation(router, app, "POST", attempt + "/finished", "report_finished", Need::kAttempt,
                [&app](Request& request, const Principal&) { return finish(app, request); },
                {256 << 20, false});
}

}  // namespace roost

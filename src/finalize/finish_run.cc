#include "finalize/finish_run.h"

#include <string.h>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/names.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::int64_t kMostOutputs = 1'000'000;

std::string failure_message(const FinishReport& report) {
  if (report.outcome != "exited") return report.message;
  if (report.signal) {
    std::string text = fmt::format("the script was ended by {}", signal_text(*report.signal));
    if (*report.signal == SIGKILL) text += "; often that is the kernel, out of memory";
    return text;
  }
  const std::int64_t code = report.exit_code.value_or(-1);
  std::string text = fmt::format("the script ended with exit code {}", code);
  if (code > 128 && code < 128 + 65) {
    text += fmt::format(", which a shell uses for {}", signal_text(code - 128));
    if (code == 128 + SIGKILL) text += "; often that is the kernel, out of memory";
  } else if (code == 127) {
    text += ": the shell did not find the command";
  } else if (code == 126) {
    text += ": the command cannot be executed";
  }
  return text;
}

std::string error_code_of(const FinishReport& report) {
  return report.outcome == "exited" ? "script_failed" : report.outcome;
}

}  // namespace

std::string signal_text(std::int64_t signal) {
  const char* name = signal > 0 && signal < 65 ? sigabbrev_np(static_cast<int>(signal)) : nullptr;
  if (!name) return fmt::format("signal {}", signal);
  return fmt::format("SIG{} ({})", name, lower(sigdescr_np(static_cast<int>(signal))));
}

Result<FinishReport> parse_finish_report(const Json& body) {
  JsonFields fields(body, "the report");
  FinishReport report;
  report.outcome = fields.required_string("outcome");
  report.message = fields.string("message");
  if (fields.has("exit_code")) report.exit_code = fields.integer("exit_code", 0, 0, 255);
  if (fields.has("signal")) report.signal = fields.integer("signal", 0, 1, 64);
  report.exited = fields.integer("exited_at_us", 0, 0, INT64_MAX / 2);
  const Json outputs = fields.array("outputs");
  const Json streams = fields.object("streams");
  ROOST_CHECK(fields.done());
  for (const auto& item : outputs) {
    JsonFields file(item, "an output");
    OutputFile output;
    output.path = file.required_string("path");
    output.digest = file.required_string("digest");
    output.size = static_cast<std::uint64_t>(file.integer("size", 0, 0, INT64_MAX));
    ROOST_CHECK(file.done());
    ROOST_CHECK(check_artifact_path(output.path));
    if (!is_digest(output.digest)) {
      return fail(ErrorCode::kInvalidArgument, "an output's digest must be 64 hex digits");
    }
    report.outputs.push_back(std::move(output));
  }
  if (report.outputs.size() > kMostOutputs) {
    return fail(ErrorCode::kTooLarge, "a run has at most 1,000,000 output files");
  }
  for (const auto& item : streams.items()) {
    if (!item.value().is_number_unsigned()) {
      return fail(ErrorCode::kInvalidArgument, "\"streams\" in the report must map names to lengths");
    }
    report.streams[item.key()] = item.value().get<std::uint64_t>();
  }
  return report;
}

Status finish_run(Tx& tx, Run& run, const FinishReport& report,
                  const std::vector<std::string>& last_lines, Micros now) {
  for (const auto& output : report.outputs) ROOST_CHECK(put_artifact(tx, run.seq, output, now));
  run.exit_code = report.exit_code;
  run.signal = report.signal;
  run.deadline.reset();
  const bool ok = report.outcome == "exited" && report.exit_code == 0;
  const bool canceled = !run.cancel_reason.empty();
  const auto since = std::clamp<Micros>(report.exited, run.started.value_or(run.created), now);
  if (may_follow(run.status, RunStatus::kFinalizing)) {
    ROOST_CHECK(move_run(tx, run, RunStatus::kFinalizing, "the process ended", since));
  }
  if (canceled) return move_run(tx, run, RunStatus::kCanceled, run.cancel_reason, now);
  if (ok && run.error.is_object()) {  // the script called fail() and then ended in good order
    return move_run(tx, run, RunStatus::kFailed, run.error.value("message", ""), now);
  }
  if (ok) return move_run(tx, run, RunStatus::kCompleted, "", now);
  const std::string message = failure_message(report).substr(0, 3000);
  run.error = {{"code", error_code_of(report)},
               {"message", message},
               {"last_lines", last_lines},
               {"node", run.node ? Json(*run.node) : Json()}};
  return move_run(tx, run, RunStatus::kFailed, message, now);
}

Status put_artifact(Tx& tx, std::int64_t run, const OutputFile& file, Micros now) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO artifact VALUES (?, ?, ?, ?, ?)", run, file.path,
                     file.digest, static_cast<std::int64_t>(file.size), now));
  return {};
}

namespace {
Artifact read_artifact(const Rows& rows) {
  return {rows.text(0), rows.text(1), static_cast<std::uint64_t>(rows.integer(2)), rows.integer(3)};
}
}  // namespace

Result<std::vector<Artifact>> list_artifacts(Tx& tx, std::int64_t run, std::string_view prefix,
                                             std::string_view after, std::int64_t limit) {
  std::vector<Artifact> all;
  Rows rows = tx.query(
      "SELECT path, digest, size, at FROM artifact WHERE run = ? AND path > ? AND instr(path, ?) = 1"
      " ORDER BY path LIMIT ?",
      run, after, prefix, limit);
  while (rows.next()) all.push_back(read_artifact(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Result<Artifact> find_artifact(Tx& tx, const Run& run, std::string_view path) {
  Rows rows = tx.query("SELECT path, digest, size, at FROM artifact WHERE run = ? AND path = ?",
                       run.seq, path);
  if (rows.next()) return read_artifact(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("run {} has no file \"{}\"; 'roost artifacts ls {}' lists those it has",
                          run.id, printable(path), run.id));
}

}  // namespace roost

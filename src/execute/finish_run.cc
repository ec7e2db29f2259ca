#include "execute/finish_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "domain/exit_text.h"
#include "records/run_records.h"

namespace roost {
namespace {

std::string failure_message(const RunEnd& end) {
  if (end.outcome != "exited") return end.message;
  std::string text = "the script " + end_text(end.exit_code, end.signal, end.out_of_memory);
  if (end.cause && !end.cause->why.empty()) text += ": " + end.cause->why;
  if (end.is_gang && end.cause) text = end.cause->message;
  const std::string advice = end.cause && end.cause->traceback ? advice_on(end.cause->traceback->exception) : "";
  return advice.empty() ? text : text + ": " + advice;
}

}  // namespace

Status finish_run(Tx& tx, Run& run, const RunEnd& end, Micros now) {
  run.exit_code = end.exit_code;
  run.signal = end.signal;
  run.deadline.reset();
  const Micros began = run.started.value_or(run.created);
  const auto since = std::clamp<Micros>(end.exited, began, std::max(began, now));  // the clock may have been set
  if (may_follow(run.status, RunStatus::kFinalizing)) {
    ROOST_CHECK(pass_status(tx, run, RunStatus::kFinalizing, "the process ended", since));
  }
  if (!run.cancel_reason.empty()) return move_run(tx, run, RunStatus::kCanceled, run.cancel_reason, now);
  if (run.error.is_object()) {  // fail() was called; how the script ended after that is beside the point
    run.error["last_lines"] = end.last_lines;
    if (!end.node.empty()) run.error["node"] = end.node;
    return move_run(tx, run, RunStatus::kFailed, text_at(run.error, "message"), now);
  }
  if (end.succeeded()) return move_run(tx, run, RunStatus::kCompleted, "", now);
  const std::string message = failure_message(end).substr(0, 3000);
  run.error = {{"code", end.outcome == "exited" ? "script_failed" : end.outcome},
               {"message", message},
               {"last_lines", end.last_lines},
               {"node", end.node.empty() ? Json() : Json(end.node)}};
  if (end.cause && end.is_gang) run.error["rank"] = end.cause->rank;
  if (end.cause && end.cause->traceback) {
    run.error["exception"] = end.cause->traceback->exception;
    run.error["traceback"] = end.cause->traceback->lines;
  }
  return move_run(tx, run, RunStatus::kFailed, message, now);
}

}  // namespace roost

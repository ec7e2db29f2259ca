#include "domain/rank_plan.h"
#include "records/attempt_records.h"
#include "records/run_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

std::string_view state_of(const AttemptPart& part, bool has_ended) {
  if (part.state == PartState::kLost) return "lost";
  if (part.state == PartState::kFinished || has_ended) return "ended";
  return part.state == PartState::kStarted ? "running" : "waiting";
}

// The report's words on one rank; empty if there are none.
Json words_on(const AttemptPart& part, int rank) {
  if (!part.report.is_object()) return Json::object();
  for (const auto& item : array_at(part.report, "ranks")) {
    if (integer_at(item, "rank", -1) == rank) return item;
  }
  return Json::object();
}

Json rank_json(const Gang& gang, const AttemptPart& part, int local_rank) {
  const int rank = part.node_rank * gang.per_node + local_rank;
  const Json words = words_on(part, rank);
  const auto ended = integer_at(words, "ended_at_us");
  return {{"rank", rank},
          {"local_rank", local_rank},
          {"node", part.node},
          {"node_rank", part.node_rank},
          {"log", rank_log(gang, rank)},
          {"state", state_of(part, !words.empty())},
          {"exit_code", member(words, "exit_code")},
          {"signal", member(words, "signal")},
          {"ended_at", ended > 0 ? Json(format_time(ended)) : Json()},
          {"role", member(words, "role")}};
}

Result<Response> list_ranks(App& app, Request& request, const Principal& who) {
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, request_run(tx, request, who));
    ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, run.attempt));
    const Gang gang = gang_of_spec(run.spec);
    for (const auto& part : parts) {
      for (int local = 0; local < gang.per_node; ++local) items.push_back(rank_json(gang, part, local));
    }
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

}  // namespace

void add_rank_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/runs/{run}/ranks", "list_ranks", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return list_ranks(app, request, who); });
}

}  // namespace roost

#include <fmt/format.h>

#include "base/text.h"
#include "mlflow/filter.h"
#include "mlflow/run_wire.h"
#include "records/wire_run_records.h"
#include "records/wire_run_search.h"
#include "server/routes/mlflow_runs.h"

namespace roost {
namespace {

constexpr std::int64_t kMostRuns = 50'000;

Result<Response> search(MlflowCall& call) {
  WireSearch search;
  search.workspace = call.workspace;
  search.family_of = call.who.run_row;
  ROOST_TRY(const auto experiments, call.fields.texts("experiment_ids"));
  ROOST_TRY(const std::string filter, call.fields.text("filter"));
  ROOST_TRY(search.filter, mlflow::parse_filter(filter, mlflow::FilterOf::kRuns));
  ROOST_TRY(const auto order, call.fields.texts("order_by"));
  ROOST_TRY(search.order, mlflow::parse_order(order, mlflow::FilterOf::kRuns));
  ROOST_TRY(search.bin, mlflow_view(call, "run_view_type"));
  ROOST_TRY(search.limit, mlflow::max_results(call.fields, 1000, kMostRuns));
  ROOST_TRY(search.offset, mlflow::page_offset(call.fields));
  std::string answer = "{\"runs\":[";
  bool has_more = false;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    for (const auto& id : experiments) {
      // One that is not there has no runs.
      const auto experiment = find_wire_experiment(tx, call.workspace, id);
      if (experiment) search.experiments.push_back(experiment->row);
    }
    ROOST_TRY(const WirePage page, search_wire_runs(tx, search, call.app.clock.now()));
    has_more = page.has_more;
    for (const std::int64_t row : page.runs) {
      ROOST_TRY(const mlflow::WireRun run, wire_run(tx, row));
      if (answer.back() == '}') answer += ',';
      mlflow::append_run(answer, run);
    }
    return {};
  }));
  if (answer.back() == '[') return empty_answer();
  answer += ']';
  if (has_more) answer += fmt::format(",\"next_page_token\":\"{}\"", mlflow::page_token(search.offset + search.limit));
  return text_answer(answer + "}");
}

}  // namespace

void add_mlflow_search_calls(MlflowCalls& calls) {
  calls.add("POST", "/runs/search", "mlflow_search_runs", Need::kReaderOrRun, search);
}

}  // namespace roost

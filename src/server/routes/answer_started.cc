#include "server/routes/answer_started.h"

#include "records/run_records.h"
#include "server/routes/routes.h"
#include "server/run_details.h"

namespace roost {

Result<Response> answer_started(App& app, const Principal& who, const RunSpec& spec,
                                const std::function<Result<Submitter>(Tx&)>& check,
                                const std::optional<SubmissionKey>& key) {
  Json answer;
  StartSteps steps;
  steps.check = [&](Tx& tx) -> Result<std::optional<Submitter>> {
    if (key) {
      const Micros now = app.clock.now();
      ROOST_TRY(const auto made, find_submission(tx, *key, now));
      if (made) {
        ROOST_TRY(const Run run, find_run(tx, *made));
        ROOST_TRY(answer, whole_run_json(tx, run, who, now));
        return std::nullopt;
      }
    }
    ROOST_TRY(Submitter submitter, check(tx));
    return submitter;
  };
  steps.made = [&](Tx& tx, const Run& run) -> Status {
    if (key) ROOST_CHECK(insert_submission(tx, *key, run, app.clock.now()));
    answer = run_json(run, variables_for(who, run));
    answer["durations"] = Json::object();
    answer["nodes"] = Json::array();
    return {};
  };
  ROOST_CHECK(start_run(app, spec, steps));
  return json_response(answer, 201);
}

}  // namespace roost

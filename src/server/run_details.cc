#include "server/run_details.h"

#include "records/attempt_records.h"
#include "records/run_records.h"

namespace roost {

Result<Json> whole_run_json(Tx& tx, const Run& run, Micros now) {
  ROOST_TRY(const auto events, run_events(tx, run.seq));
  Json body = run_json(run);
  body["durations"] = stage_seconds(events, now);
  ROOST_TRY(body["nodes"], nodes_of_run(tx, run.seq, run.attempt));
  return body;
}

}  // namespace roost

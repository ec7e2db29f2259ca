#pragma once

#include <functional>
#include <optional>

#include "access/access.h"
#include "domain/run_spec.h"
#include "net/http.h"
#include "records/submission_records.h"
#include "server/start_run.h"

namespace roost {

// Hands a run in, for whom `check` says; a submit that was answered before is answered again.
Result<Response> answer_started(App& app, const Principal& who, const RunSpec& spec,
                                const std::function<Result<Submitter>(Tx&)>& check,
                                const std::optional<SubmissionKey>& key);

}  // namespace roost

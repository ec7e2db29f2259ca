#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

// What a run was set to: what its command line says, which is there from the start and gives way to what is logged of
// it. A name has at most mlflow::kNameLimit characters; what a value has beyond mlflow::kParamLimit is cut. A run has
// at most 10,000. The run table shows them, filters and sorts by them.

using Params = std::vector<std::pair<std::string, std::string>>;

// By name.
Result<Params> list_params(Tx& tx, std::int64_t run);
// {name: value}, all of them.
Result<Json> params_of_run(Tx& tx, std::int64_t run);

// As run.log_params says: one that was set before is set anew. kInvalidArgument for a bad name, one too many, and
// another value of what log_params() logged.
Status set_param(Tx& tx, const Run& run, std::string_view name, std::string_view value);

// As MLflow says: one that was logged stays as it is. The same value again is fine, another is kInvalidArgument, and so
// is the same name twice with two values. What set_param() set gives way. The caller has checked the names
// (mlflow::check_label_name). Those before the one that is refused were logged.
Status log_params(Tx& tx, const Run& run, const Params& params);

}  // namespace roost

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mlflow/wire_status.h"
#include "records/param_records.h"
#include "server/routes/mlflow_calls.h"

namespace roost {

// What MLflow's clients do to runs. All work inside a caller's transaction.

// The property of a run that such a client made. It is an interactive run: it ends when the client says so, and may go
// on after that.
inline constexpr const char* kMadeByMlflow = "roost.mlflow";
inline constexpr std::size_t kMostTags = 2000;  // of a run, an experiment or a model
bool is_made_by_mlflow(const Run& run);

// A run that may be written to. What it logs (metrics, parameters) is final once a run of another kind has ended; for
// one that MLflow's client made its history tells of it (`what`).
Status check_logs(Tx& tx, const MlflowCall& call, const Run& run, std::string_view what);
// The same for what others may add to a run that has ended: a name, tags.
Status check_labels_run(Tx& tx, const MlflowCall& call, const Run& run, std::string_view what);

// Moves an interactive run as the client says. The state of any other follows from its processes alone and stays.
Status move_as_told(Tx& tx, const MlflowCall& call, Run& run, mlflow::WireStatus wanted, std::optional<Micros> ended);

using TagChanges = std::vector<std::pair<std::string, std::string>>;
// Sets tags; the name of the run is one of them.
Status put_tags(Tx& tx, Run& run, const TagChanges& tags);
Status remove_tag(Tx& tx, Run& run, const std::string& key);

// "key" and "value" of each; names are checked, values cut.
Result<TagChanges> read_tags(const mlflow::WireFields& fields, const char* list);
Result<Params> read_params(const mlflow::WireFields& fields, const char* list);

// A time in milliseconds, if it is given: none before 1970 or after the year 100,000.
Result<std::optional<Micros>> read_time(const mlflow::WireFields& fields, const char* name);

Response empty_answer();
Response text_answer(std::string body);

}  // namespace roost

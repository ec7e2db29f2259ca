#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/sealing.h"
#include "domain/run_spec.h"

namespace roost {

// Variables of runs and deployments whose values are secrets, by their names (names_secret) or because their submitter
// says so. Their values are sealed before anything is stored, stay sealed through children, retries and reruns, are opened
// for the order to a runner, and are shown to nobody.

// What stands for a value that is not shown.
inline constexpr std::string_view kMaskedValue = "***";

// Refuses what nobody can mean: a value that is sealed already, and one that is only the mask of another run's.
Status check_values_are_given(const Json& variables);
Status check_values_are_given(const RunSpec& spec);

// Leaves what is sealed already. `also` are names that are secrets whatever they are called.
void seal_variables(Json& variables, const Sealer& sealer, const std::vector<std::string>& also = {});
// Those of the run and of its environment.
void seal_variables(RunSpec& spec, const Sealer& sealer);

// In place of every secret value the mask; null and absent stay so.
void mask_secret_values(Json& variables);

struct OpenedVariables {
  Json plain = Json::object();
  Json secret = Json::object();
};
// Which of the variables are secrets, with their values. Those whose value is the run's own token, `own`, are not: the
// server gives it under several names, and it ends with the run. Says in its error which one cannot be opened.
Result<OpenedVariables> open_variables(const Json& variables, const Sealer& sealer, const std::string& own = "");

}  // namespace roost

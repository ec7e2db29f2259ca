#pragma once

#include <string>
#include <vector>

#include "cli/work/yaml_document.h"

namespace roost {

// The search space of a sweep's file as the API takes it, a list of {name, expression, values, when?}.
// In the file it is such a list, or a map of short forms in the order they are written:
//   lr: {loguniform: [1e-4, 1e-1]}     real bounds; the list has their natural logarithms, as Azure has
//   optimizer: [sgd, adam]             a choice
//   momentum: {uniform: [0.5, 0.99], when: {optimizer: sgd}}
// `notes` gets what is allowed but likely not meant.
Result<Json> read_sweep_space(const YamlDocument& file, const std::string& path, const Json& space,
                              std::vector<std::string>& notes);

// How many points a space has that consists of choices and randint; 0 if it is endless.
std::int64_t space_points(const Json& space);

// The parameters that somebody wrote as NAME=VALUE, typed as the space has them; a name may lack its
// dashes. Fails if one is unknown, there twice or missing, with the names.
Result<Json> parse_trial_parameters(const Json& space, const std::vector<std::string>& words);

}  // namespace roost

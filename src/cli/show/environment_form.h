#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/show/run_diff.h"
#include "domain/environment_plan.h"

namespace roost {

// A definition as a person reads it: what it says, not yet what of it counts. Parts of a wrong type
// are left out.
struct EnvironmentForm {
  std::string python;  // "3.6.2", ">=3.8"
  std::vector<std::string> channels;
  std::vector<std::string> conda;  // packages other than python
  std::vector<std::string> pip;
  std::string interpreter;  // of one that manages itself
  std::string image;
  std::string dockerfile;
  std::string pins;
  std::map<std::string, std::string> variables;
};
EnvironmentForm environment_form(const Json& definition);

// The plain name of a conda package: "conda-forge::NumPy >=1.2" -> "numpy".
std::string conda_package_name(std::string_view package);
// What stands after the name, without a leading "=": "python=3.6.2" -> "3.6.2".
std::string conda_package_condition(std::string_view package);

// By what two definitions differ: "python", "pip numpy", "variable A" and so on.
std::vector<Difference> form_differences(const EnvironmentForm& a, const EnvironmentForm& b);

std::string environment_id(const Json& environment);  // "birds:3"; a curated one has no version

// What the definition is built as. The definition's own pins, else the nearest, are first; the
// server may be configured to prefer the others. Fails on a definition that no server would build.
Result<std::vector<EnvironmentPlan>> possible_plans(const Json& definition);

// Those of the built environments that were made of this definition: by either kind of pins, or by
// the lock of an earlier build.
Json builds_of(const Json& definition, const Json& builds);

}  // namespace roost

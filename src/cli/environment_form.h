#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/run_diff.h"

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

}  // namespace roost

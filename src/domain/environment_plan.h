#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

enum class Pins {
  kStrict,   // a version that cannot be had fails the build
  kNearest,  // it is replaced by the nearest there is, and the run says so
};
std::string_view pins_name(Pins pins);
Result<Pins> parse_pins(std::string_view text);

// What an environment's definition asks for, in canonical form: what does not change the build (name,
// version, variables, empty parts) is gone, the order of packages and channels is kept.
struct EnvironmentPlan {
  std::string interpreter;            // of an environment that manages itself; then nothing is built
  bool user_managed = false;
  std::string python;                 // condition on the version: "3.6.2", ">=3.8"; "" is any
  std::vector<std::string> channels;  // of conda
  std::vector<std::string> conda;     // packages other than python and pip
  std::vector<std::string> pip;       // requirements and options, without what Roost brings itself
  bool adds_mlflow = false;           // the last of them is mlflow, because azureml-mlflow was asked for
  std::string base_image;             // "" unless it is one of the user's own
  std::string dockerfile;
  Pins pins = Pins::kNearest;

  // True if there is something to install.
  bool needs_build() const;
  // The key of the cache: SHA-256 of the canonical form.
  std::string digest() const;
};

// From the JSON form of Azure ML. Wrong types, files that only the client has (-r, -e) and sizes
// beyond reason are refused by name.
Result<EnvironmentPlan> plan_environment(const Json& definition, Pins pins);

// The plain name of a requirement line: "Torch[x]==1.6; python_version<'3.9'" -> "torch". "" for an
// option or a URL without a name.
std::string requirement_name(std::string_view requirement);
// What stands after the name and the extras: "==1.6"; "" if nothing.
std::string requirement_condition(std::string_view requirement);

}  // namespace roost

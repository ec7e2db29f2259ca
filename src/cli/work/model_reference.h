#pragma once

#include <string>

#include "base/json.h"
#include "cli/console.h"

namespace roost {

// A model as it is typed: NAME or NAME:VERSION.
struct ModelReference {
  std::string name;
  std::string version;  // "" for the newest
};
Result<ModelReference> parse_model_reference(const std::string& text);

// Path of the model below /api/v1.
std::string model_path(const Console& console, const std::string& name);

// get_model, by reference.
Result<Json> find_model(Console& console, const std::string& text);

}  // namespace roost

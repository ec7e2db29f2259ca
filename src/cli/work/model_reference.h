#pragma once

#include <string>

#include "base/json.h"
#include "cli/console.h"
#include "domain/endpoint.h"

namespace roost {

// Path of the model below /api/v1.
std::string model_path(const Console& console, const std::string& name);

// get_model, by a reference as it is typed: NAME or NAME:VERSION.
Result<Json> find_model(Console& console, const std::string& text);

}  // namespace roost

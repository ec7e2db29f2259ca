#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"
#include "cli/show/table.h"

namespace roost {

// `builds` are the built environments of the server, to tell which of these are there.
TextTable environment_table(const Json& environments, const Json& builds, Micros now);

// `environments` give the built ones their names.
TextTable build_table(const Json& builds, const Json& environments, Micros now);

// A definition, its digest and what was built of it; `builds` are those.
std::string environment_page(const Json& environment, const Json& builds, Micros now,
                             const Style& style);

// "venv, 12 packages, 44 MB"
std::string build_text(const Json& build);

}  // namespace roost

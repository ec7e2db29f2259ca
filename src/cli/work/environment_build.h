#pragma once

#include <string>

#include "base/json.h"
#include "cli/console.h"
#include "cli/work/environment_reference.h"
#include "cli/work/interrupt.h"

namespace roost {

// Registers the definition under a name that is made of its content (unless it has one) and returns the EnvironmentVersion.
// One that nobody could build is refused before anything is registered.
Result<Json> register_definition(Console& console, const Json& definition, const std::string& name = "");

// build_environment, and its log on standard error as it grows, until it ended. Returns the
// EnvironmentBuild as it is then: "built" or "nothing_to_build". A build that failed is an error
// with the one line that matters. kUnavailable if `watch` was told to stop; the build goes on then.
Result<Json> build_and_follow(Console& console, const EnvironmentReference& reference,
                              const std::string& pins, InterruptWatch& watch);

}  // namespace roost

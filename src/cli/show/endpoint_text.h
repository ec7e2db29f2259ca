#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"
#include "cli/show/table.h"

namespace roost {

TextTable endpoint_table(const Json& endpoints, Micros now);

// All facts of an endpoint: its deployments with their traffic and replicas, and how to call it. `statistics` as the
// API answers them, or null.
std::string endpoint_page(const Json& endpoint, const Json& statistics, Micros now, const Style& style, int width);

// A line that calls it from a shell.
std::string call_line(const Json& endpoint);

// What is wrong with it, with all the server knows; "" if nothing is. Of one deployment, or with "" of all.
std::string endpoint_error(const Json& endpoint, const std::string& deployment);

// The deployment of that name, else null.
const Json& find_deployment(const Json& endpoint, const std::string& name);

// "blue 90 %, green 10 %"
std::string shares_text(const Json& shares);

Tone endpoint_tone(const std::string& state);

}  // namespace roost

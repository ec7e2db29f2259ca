#pragma once

#include <cstdint>
#include <string>

#include "cli/console.h"
#include "cli/work/interrupt.h"

namespace roost {

struct EndpointLogRequest {
  std::string endpoint;
  std::string deployment;
  std::string replica;
  std::int64_t lines = 1000;
};

// The last lines that the replicas of an endpoint have said.
Result<std::string> read_endpoint_log(Console& console, const EndpointLogRequest& request);

// Prints them and what is added, until a signal comes: 128 + that.
Result<int> follow_endpoint_log(Console& console, const EndpointLogRequest& request, InterruptWatch& watch);

// What `now` has after all that `before` had; all of it if they have nothing in common.
std::string added_text(const std::string& before, const std::string& now);

}  // namespace roost

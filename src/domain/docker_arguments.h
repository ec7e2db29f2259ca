#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

// What of `docker.arguments` of an environment's definition means something without Docker.
struct DockerArguments {
  std::uint64_t memory = 0;            // --memory, -m: bytes; 0 is no limit
  double cpus = 0;                     // --cpus; 0 is no limit
  std::string shm_size;                // --shm-size, else "shmSize" of the definition
  std::vector<std::string> no_effect;  // the others, but for those that ask for what every run has
};

// A list of words as for `docker run`, "--memory 2g" and "--memory=2g" alike. A value that is none is
// refused by name.
Result<DockerArguments> docker_arguments(const Json& definition);

// "2g", "512m", "1048576" -> bytes; nothing if it is no size.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace roost

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

// What of the docker arguments of an environment's definition and of a run means something without Docker.
struct DockerArguments {
  std::uint64_t memory = 0;            // --memory, -m: bytes; 0 is no limit
  double cpus = 0;                     // --cpus; 0 is no limit
  std::string shm_size;                // --shm-size, else that of the run, else "shmSize" of the definition
  Json variables = Json::object();     // --env, -e, with a value
  std::vector<std::string> no_effect;  // the others, but for those that ask for what every run has
};

// Lists of words as for `docker run`, "--memory 2g" and "--memory=2g" alike. `of_run` is {"arguments", "shm_size"} or
// null; what it says goes before the definition. A value that is none is refused by name.
Result<DockerArguments> docker_arguments(const Json& definition, const Json& of_run = Json());

// True if it asks for shared memory of a size that is not the one every definition of the SDK has.
bool asks_for_shared_memory(const DockerArguments& asked);

// "2g", "512m", "1048576" -> bytes; nothing if it is no size.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace roost

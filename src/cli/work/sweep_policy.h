#pragma once

#include <string>

#include "cli/work/yaml_document.h"

namespace roost {

// "policy" of a sweep's file as the API takes it; null if none is to stop trials. Types may be written
// as Azure's classes are called (BanditPolicy), settings are those of docs/sweeps.md.
Result<Json> read_sweep_policy(const YamlDocument& file, const std::string& path, const Json& policy);

}  // namespace roost

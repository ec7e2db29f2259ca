#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

// An environment's definition (in Azure ML's form) of a file that a project has anyway. By the name of the file: Dockerfile
// (also *.Dockerfile, Dockerfile.*), pyproject.toml, uv.lock, *.yml and *.yaml (conda's), else pip requirements, which may
// name further files with -r. Errors name the file and the line.
Result<Json> definition_of_file(const std::string& path);

// Several files of pip requirements as one definition.
Result<Json> definition_of_requirements(const std::vector<std::string>& paths);

// The dependencies of [project] and the Python they need.
Result<Json> definition_of_pyproject(std::string_view text, const std::string& what);
// What the project needs, at the locked versions, with the markers by which other systems need other packages.
Result<Json> definition_of_uv_lock(std::string_view text, const std::string& what);

}  // namespace roost

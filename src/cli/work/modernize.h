#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

// A conda environment file, as `conda env create -f` takes it.
struct CondaFile {
  Json name;
  Json channels = Json::array();
  Json dependencies = Json::array();  // packages, and {"pip": [...]}
  Json others = Json::object();       // keys besides those, as they were; without "prefix"
};
Result<CondaFile> read_conda_file(std::string_view text, const std::string& file_name);

// The definition that asks for the same, in Azure ML's form.
Json conda_definition(const CondaFile& file);

// Does to the file what a build under `pins: nearest` did to its plan. `changes` are those of the
// build, in their order: "torch==1.6.0 -> torch==2.1.0", "python=3.6.2 -> 3.11.2",
// "scipy=1.5 by conda -> scipy==1.5.* by pip", "numpy==1.19 -> numpy 1.24.2 of the node".
// Returns those that fit nothing in the file.
std::vector<std::string> apply_changes(CondaFile& file, const std::vector<std::string>& changes);

std::string conda_yaml(const CondaFile& file);

}  // namespace roost

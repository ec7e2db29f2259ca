#include "runner/attempt_inputs.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// What the script is told: the folder, or the one file in it that was meant.
std::string told_path(const Attempt& attempt, const Json& input) {
  const std::string file = text_at(input, "file");
  return (file.empty() ? input_path(attempt, input) : input_path(attempt, input) / file).string();
}

}  // namespace

fs::path input_path(const Attempt& attempt, const Json& input) {
  const std::string path = text_at(input, "path");
  if (path.empty()) return attempt.folder / "data" / text_at(input, "name");
  if (path.starts_with('/')) return path;
  // Without "..": what is made and what the script opens must be one, whatever links the snapshot has.
  const fs::path place = (attempt.code() / path).lexically_normal();
  return place.has_filename() ? place : place.parent_path();
}

void add_input_paths(const Attempt& attempt, Variables& variables) {
  for (const auto& input : array_at(attempt.order, "inputs")) {
    const std::string name = text_at(input, "name");
    variables["AZUREML_DATAREFERENCE_" + name] = told_path(attempt, input);
    if (text_at(input, "mode") == "direct") variables["ROOST_DATASET_" + name] = text_at(input, "dataset");
  }
}

// Azure's scripts find an input by its bare name. What has a meaning already keeps it.
void add_bare_names(const Attempt& attempt, Variables& variables) {
  for (const auto& input : array_at(attempt.order, "inputs")) {
    const std::string name = text_at(input, "name");
    const bool is_reserved = name.starts_with("LD_") || name.starts_with("PYTHON") || name.starts_with("ROOST_") ||
                             name.starts_with("AZUREML_");
    if (is_reserved) continue;
    const bool is_direct = text_at(input, "mode") == "direct";
    variables.try_emplace(name, is_direct ? text_at(input, "dataset") : told_path(attempt, input));
  }
}

}  // namespace roost

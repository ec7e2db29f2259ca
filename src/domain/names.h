#pragma once

#include <string_view>

#include "base/result.h"

namespace roost {

// Each says in its error which name it was, what is wrong and what is allowed.

// 2 to 64 letters, digits, '-', '_', starting with a letter or digit.
Status check_workspace_name(std::string_view name);
// 1 to 256 letters, digits, '-', '_', '.', starting with a letter or digit.
Status check_experiment_name(std::string_view name);
// 2 to 32 letters, digits and '-', starting with a letter.
Status check_compute_name(std::string_view name);
// 1 to 255 letters, digits, '-', '_', '.', starting with a letter or digit: models, environments,
// datastores. `what` names the kind in the error.
Status check_registry_name(std::string_view name, std::string_view what);
// As above, and blanks: datasets.
Status check_dataset_name(std::string_view name);
// Any UTF-8 text without control characters, at most `limit` bytes; `what` names it in the error.
Status check_text(std::string_view text, std::string_view what, std::size_t limit);
// A path below a run's outputs or logs: relative, no "..", valid UTF-8, no control characters.
Status check_artifact_path(std::string_view path);
// 1 to 127 letters, digits, '-', '_': a secret of a workspace.
Status check_secret_name(std::string_view name);
// A name a POSIX shell can export.
Status check_variable_name(std::string_view name);

}  // namespace roost

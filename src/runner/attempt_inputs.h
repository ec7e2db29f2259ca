#pragma once

#include <filesystem>
#include <string>

#include "runner/attempt.h"
#include "runner/command_line.h"

namespace roost {

// The place of an input of the order on this node: the one that was given, or a folder of this attempt, which goes with
// it. Beside the script it has no ".." any more.
std::filesystem::path input_path(const Attempt& attempt, const Json& input);

// How the processes hear of their inputs: AZUREML_DATAREFERENCE_<name> is the folder, or the one file in it that was
// meant; ROOST_DATASET_<name> the dataset of one that is read directly.
void add_input_paths(const Attempt& attempt, Variables& variables);
// The same by the bare name, where that means nothing else: to be called once all other variables are there.
void add_bare_names(const Attempt& attempt, Variables& variables);

}  // namespace roost

#pragma once

#include <map>
#include <string>
#include <vector>

#include "builders/build_order.h"

namespace roost {

// How pip is called for an environment of this machine, whichever builder made that.

// The words that start a pip which installs into the environment of `python`: that of the interpreter
// `base` if it can work on another environment, else Debian's, else one put into the environment.
Result<std::vector<std::string>> find_pip(const BuildOrder& order, const std::string& base, const std::string& python,
                                          const BuildLog& log);

// Where packages come from, as the operator has set it.
std::vector<std::string> pip_sources(const BuildSettings& settings);

// No questions, no bars.
std::map<std::string, std::string> pip_variables();

}  // namespace roost

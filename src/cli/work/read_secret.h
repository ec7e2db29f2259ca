#pragma once

#include <string>

#include "base/result.h"

namespace roost {

// The value of a secret, from where no list of processes and no shell history shows it: the variable `variable` of this
// process if that is not empty, else standard input: asked for without echo at a terminal, else all of it but a newline at
// its end. Empty ones are refused.
Result<std::string> read_secret(const std::string& name, const std::string& variable);

}  // namespace roost

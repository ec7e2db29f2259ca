#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

// One setting of a run, as its command line has it.
struct RunParam {
  std::string name;  // without dashes
  std::string value;
  std::optional<double> number;  // the value, where it is a finite one
};

// The number that the whole text reads as, if it is a finite one.
std::optional<double> param_number(std::string_view text);

// What `--name value`, `--name=value` and `-n value` among the arguments of a stored spec say; a name that no value
// follows is "true". Of a shell command those of its only program, after the Python script if it names one; nothing
// of a command with pipes, lists or redirections. The last of equal names counts. Names over 100 bytes and values over
// 1000 are left out, and so is what follows the first 200.
std::vector<RunParam> run_params(const Json& spec);

}  // namespace roost

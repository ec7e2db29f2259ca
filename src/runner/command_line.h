#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

using Variables = std::map<std::string, std::string>;

// `$NAME` and `${NAME}` replaced where NAME is set in `variables`; everything else stays as it is.
std::string expand_variables(std::string_view text, const Variables& variables);

// The program of an order: `command` by a shell, `script` by the order's Python.
std::vector<std::string> order_program(const Json& order, const Variables& variables);

// What a run's process inherits from the runner: everything but Roost's own and Python's variables,
// which would carry secrets or another interpreter's settings into the script.
Variables inherited_variables();

// What a run in an image gets in place of that: the image's own variables and PATH, and of this machine
// only language, time zone, proxies and the settings of its network.
Variables image_variables(const Json& image, const std::string& home);

// The same as prefer_python() for the interpreter of an image, which cannot be looked at from here.
Status link_python(const std::string& python, const std::filesystem::path& shims, Variables& variables);

// Puts the interpreter's folder first on PATH, so that `python` means it in shell commands too. Where
// that folder has no `python` (Debian), `shims` gets a link of that name.
Status prefer_python(const std::string& python, const std::filesystem::path& shims, Variables& variables);

}  // namespace roost

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

// What a run's process inherits from the runner: everything but Roost's own and Python's variables, which would carry
// secrets or another interpreter's settings into the script, and where the runner's shell would have MLflow log.
Variables inherited_variables();

// What a run in an image gets in place of that: the image's own variables and PATH, and of this machine
// only language, time zone, proxies and the settings of its network.
Variables image_variables(const Json& image, const std::string& home);

// The same as prefer_python() for the interpreter of an image, which cannot be looked at from here.
Status link_python(const std::string& python, const std::filesystem::path& shims, const std::filesystem::path& pip,
                   Variables& variables);

// Puts the interpreter's folder first on PATH, so that `python` means it in shell commands too, and `pip` what it has
// of that name. Then come the links in `shims`, for a folder that has no `python` (Debian) or no `pip`: that one is the
// program `pip`, which calls the module of whatever `python` is. So it is never the pip of another interpreter.
Status prefer_python(const std::string& python, const std::filesystem::path& shims, const std::filesystem::path& pip,
                     Variables& variables);

// Puts a folder first on PATH.
void prefer_programs(const std::filesystem::path& folder, Variables& variables);

}  // namespace roost

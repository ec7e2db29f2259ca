#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// Sources that are compiled against another package of the same environment, PyTorch mostly: their build has to see that
// one, which the separate place that pip and uv make for a build does not have. Without it Horovod, for one, builds a
// package that has no part for PyTorch, and says nothing.
bool is_compiled_against_others(std::string_view name);

// What their builds need besides what is in the environment already: lines of pip's.
std::vector<std::string> compile_tools();

// The variables of a build of `names` in an environment of `lock`: which of its parts are wanted, and what makes compilers
// of today take sources of their time.
std::map<std::string, std::string> compile_variables(const std::vector<std::string>& names,
                                                     const std::vector<std::string>& lock);

}  // namespace roost

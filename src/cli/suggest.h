#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roost {

// The word most likely meant by a misspelt one, or "" when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace roost

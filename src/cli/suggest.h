#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roost {

// How many insertions, deletions, changes and swaps of neighbours turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The word most likely meant by a misspelt one, or "" when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace roost

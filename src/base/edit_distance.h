#pragma once

#include <string_view>

namespace roost {

// How many insertions, deletions, changes and swaps of neighbours turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

}  // namespace roost

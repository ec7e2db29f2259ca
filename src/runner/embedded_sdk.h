#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace roost {

// The files of python/, by path relative to it; made by cmake/embed.cmake.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_sdk();

}  // namespace roost

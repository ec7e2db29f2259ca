#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace roost {

// api/openapi.yaml; made by cmake/embed.cmake.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_api();

}  // namespace roost

#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace roost {

// The built studio: "index.html", "assets/…", and most of them again as .br and .gz; made by
// cmake/embed.cmake. Empty in a build without it.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_studio();

}  // namespace roost

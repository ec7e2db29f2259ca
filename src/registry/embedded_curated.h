#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace roost {

// curated.yaml of this folder, built into the binary.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_curated();

}  // namespace roost

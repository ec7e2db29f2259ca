#pragma once

#include <cstdint>
#include <vector>

#include "infer/json_reader.h"

namespace roost {

inline constexpr std::size_t kMaxRank = 64;

// A list of whole numbers, as numbers or as strings, none negative; at most kMaxRank.
Result<std::vector<std::int64_t>> read_shape(JsonReader& reader);

}  // namespace roost

#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace roost {

// Bytes of "500", "20GB", "1.5 TB", "512 MiB"; `what` names the option in the error.
Result<std::int64_t> parse_bytes(std::string_view text, std::string_view what);

}  // namespace roost

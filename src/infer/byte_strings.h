#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace roost {

// BYTES in binary: each string is its length as four little-endian bytes, then itself. `name` is for the error.
Result<std::vector<std::string>> read_byte_strings(std::string_view bytes, const std::string& name);
void append_byte_strings(std::string& out, const std::vector<std::string>& strings);
std::size_t byte_strings_size(const std::vector<std::string>& strings);

}  // namespace roost

#pragma once

#include <cstdint>
#include <string_view>

namespace roost {

// CRC-32C (Castagnoli) of `bytes`, turned and shifted as TFRecord files store it.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace roost

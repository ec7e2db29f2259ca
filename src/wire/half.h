#pragma once

#include <cstdint>

namespace roost {

// The two number types of 16 bits, by their bits. To them: to the nearest, ties to even, too large to infinity.
float half_to_float(std::uint16_t half);
std::uint16_t float_to_half(float value);
float bfloat_to_float(std::uint16_t bfloat);
std::uint16_t float_to_bfloat(float value);

}  // namespace roost

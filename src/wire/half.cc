#include "wire/half.h"

#include <bit>
#include <cmath>

namespace roost {

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const int exponent = (half >> 10) & 0x1F;
  const std::uint32_t mantissa = half & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000 | (mantissa << 13));
  if (exponent == 0) {
    const float tiny = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -tiny : tiny;
  }
  return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(exponent + 112) << 23) | (mantissa << 13));
}

std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint32_t>((bits >> 16) & 0x8000);
  const std::uint32_t rest = bits & 0x7FFFFFFF;
  std::uint32_t half = 0;
  if (rest > 0x7F800000) {
    half = 0x7E00;
  } else if (rest >= 0x47800000) {
    half = 0x7C00;  // 65536 and above
  } else if (rest < 0x38800000) {
    // Below 2^-14 the steps are all 2^-24; nearbyint rounds ties to even.
    half = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(std::bit_cast<float>(rest), 24)));
  } else {
    // A carry out of the mantissa goes into the exponent, which is just right: up to infinity.
    half = (rest - 0x38000000 + 0xFFF + ((rest >> 13) & 1)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

float bfloat_to_float(std::uint16_t bfloat) { return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16); }

std::uint16_t float_to_bfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

}  // namespace roost

#include "sweeps/sobol_sequence.h"

#include <array>
#include <vector>

#include "sweeps/draws.h"

namespace roost {
namespace {

constexpr std::size_t kBits = 32;

// Which of the variants of its first direction numbers a dimension has, from the second dimension on. Each was the best
// of some dozens by the t-values of its pairs with the dimensions before it, at 2^4 to 2^12 points.
constexpr std::array<std::uint8_t, kMostSobolDimensions - 1> kVariants = {
    0, 0, 15, 2, 66, 226, 74, 71, 141, 198, 162, 33, 243, 223, 143, 133, 232, 9, 76, 114, 120, 76, 102, 238, 55, 137,
    227, 56, 191, 168, 80, 20, 107, 247, 178, 62, 37, 66, 222, 240, 40, 0, 75, 20, 7, 55, 128, 167, 109, 213, 117, 76,
    63, 172, 110, 235, 6, 81, 77, 26, 183, 230, 211, 40, 57, 75, 41, 51, 35, 77, 34, 19, 61, 19, 43, 71, 15, 63, 72,
    54, 18, 71, 72, 61, 17, 58, 49, 71, 16, 73, 56, 21, 3, 78, 75, 59, 78, 53, 62, 47, 44, 13, 16, 59, 16, 50, 2, 75,
    63, 65, 23, 37, 55, 31, 65, 35, 46, 73, 63, 38, 41, 42, 0, 67, 25, 29, 6, 16, 47, 6, 71, 41, 39, 15, 41, 63, 7,
    78, 30, 12, 13, 72, 71, 37, 26, 24, 30, 3, 65, 37, 7, 71, 67, 9, 74, 51, 63, 8, 53, 31, 42, 72, 43, 57, 71, 45,
    23, 60, 71, 72, 65, 17, 43, 71, 29, 34, 2, 10, 53, 8, 5, 17, 62, 23, 31, 7, 30, 30, 21, 26, 18, 42, 18, 13, 32,
    75, 70, 39, 16, 34, 63, 57, 51, 37, 1, 72, 10, 76, 39, 79, 51, 17, 7, 8, 35, 2, 16, 39, 26, 53, 59, 4, 59, 11, 7,
    60, 38, 41, 24, 3, 40, 51, 78, 9, 29, 73, 47, 68, 68, 37, 50, 46, 40, 72, 52, 44, 3, 46, 74, 62, 57, 65, 34, 32,
    9,};

struct Polynomial {
  std::uint32_t coefficients = 0;  // bit i is that of x^i
  std::uint32_t degree = 0;
};

std::uint32_t times(std::uint32_t a, std::uint32_t b, const Polynomial& modulus) {
  std::uint32_t product = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) product ^= a;
    a <<= 1;
    if (a >> modulus.degree & 1) a ^= modulus.coefficients;
  }
  return product;
}

bool power_of_x_is_one(std::uint32_t exponent, const Polynomial& modulus) {
  std::uint32_t power = 1;
  for (std::uint32_t base = 2; exponent != 0; exponent >>= 1) {
    if (exponent & 1) power = times(power, base, modulus);
    base = times(base, base, modulus);
  }
  return power == 1;
}

// Of degree 2 and more: x has the order 2^degree - 1.
bool is_primitive(const Polynomial& p) {
  const std::uint32_t order = (1U << p.degree) - 1;
  if (!power_of_x_is_one(order, p)) return false;
  std::uint32_t rest = order;
  for (std::uint32_t factor = 2; factor <= rest; ++factor) {
    if (rest % factor != 0) continue;
    while (rest % factor == 0) rest /= factor;
    if (factor != order && power_of_x_is_one(order / factor, p)) return false;
  }
  return true;
}

std::vector<Polynomial> primitive_polynomials(std::size_t count) {
  std::vector<Polynomial> found = {{3, 1}};
  for (std::uint32_t degree = 2; found.size() < count; ++degree) {
    for (std::uint32_t p = (1U << degree) | 1; p < (2U << degree); p += 2) {
      if (is_primitive({p, degree})) found.push_back({p, degree});
    }
  }
  return found;
}

std::vector<std::uint32_t> directions_of(std::size_t dimension, const Polynomial& p) {
  std::array<std::uint64_t, kBits> m{};
  for (std::size_t k = 0; k < kBits; ++k) {
    if (k < p.degree) {
      const std::uint64_t variant = kVariants[dimension - 1];
      const std::uint64_t from = (static_cast<std::uint64_t>(dimension) << 32) + (variant << 8) + k;
      m[k] = (spread(from + 0x9e3779b97f4a7c15ULL) & ((2ULL << k) - 1)) | 1;
      continue;
    }
    m[k] = m[k - p.degree] ^ (m[k - p.degree] << p.degree);
    for (std::size_t i = 1; i < p.degree; ++i) {
      if (p.coefficients >> (p.degree - i) & 1) m[k] ^= m[k - i] << i;
    }
  }
  std::vector<std::uint32_t> directions(kBits);
  for (std::size_t k = 0; k < kBits; ++k) directions[k] = static_cast<std::uint32_t>(m[k] << (kBits - 1 - k));
  return directions;
}

std::vector<std::vector<std::uint32_t>> all_directions() {
  std::vector<std::vector<std::uint32_t>> all(1);
  for (std::size_t k = 0; k < kBits; ++k) all[0].push_back(1U << (kBits - 1 - k));
  const auto polynomials = primitive_polynomials(kMostSobolDimensions - 1);
  for (std::size_t d = 1; d < kMostSobolDimensions; ++d) all.push_back(directions_of(d, polynomials[d - 1]));
  return all;
}

}  // namespace

std::uint32_t sobol_bits(std::size_t dimension, std::uint32_t index) {
  static const auto kDirections = all_directions();
  const auto& directions = kDirections[dimension];
  std::uint32_t bits = 0;
  for (std::size_t k = 0; index != 0; index >>= 1, ++k) {
    if (index & 1) bits ^= directions[k];
  }
  return bits;
}

std::uint32_t owen_scramble(std::uint32_t bits, std::uint64_t seed) {
  std::uint32_t flips = 0;
  for (std::uint32_t k = 0; k < kBits; ++k) {
    // Whether a bit is flipped depends on the bits before it; the 1 above them says how many they are.
    const std::uint64_t before = (1ULL << k) | (k == 0 ? 0 : bits >> (kBits - k));
    flips |= static_cast<std::uint32_t>(spread(seed ^ (before * 0x9e3779b97f4a7c15ULL)) & 1) << (kBits - 1 - k);
  }
  return bits ^ flips;
}

}  // namespace roost

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
    0, 0, 15, 2, 66, 53, 153, 69, 153, 134, 85, 117, 8, 107, 46, 103, 102, 126, 38, 121, 31, 61, 99, 137, 55, 94, 68,
    30, 3, 1, 0, 6, 3, 158, 138, 3, 87, 94, 14, 89, 100, 135, 62, 105, 142, 65, 77, 65, 46, 152, 137, 151, 44, 81,
    107, 75, 74, 98, 93, 103, 116, 73, 53, 10, 25, 10, 23, 44, 20, 48, 52, 17, 10, 39, 33, 45, 48, 37, 12, 37, 48, 44,
    36, 20, 27, 37, 1, 57, 24, 51, 50, 25, 12, 58, 56, 31, 56, 11, 35, 8, 52, 2, 50, 36, 45, 52, 28, 16, 45, 23, 13,
    0, 14, 39, 44, 36, 48, 26, 42, 40, 46, 52, 40, 43, 50, 53, 24, 43, 15, 36, 57, 6, 45, 39, 35, 51, 3, 17, 6, 15,
    11, 37, 53, 15, 15, 51, 26, 57, 31, 26, 13, 11, 47, 43, 16, 59, 41, 8, 48, 9, 19, 31, 10, 8, 17, 29, 22, 37, 54,
    3, 12, 32, 29, 46, 41, 23, 16, 7, 35, 51, 14, 56, 57, 59, 58, 28, 28, 59, 29, 18, 30, 53, 52, 49, 26, 20, 5, 55,
    42, 32, 56, 13, 34, 41, 40, 52, 11, 38, 1, 10, 11, 50, 10, 49, 3, 18, 40, 5, 31, 28, 1, 55, 49, 2, 42, 50, 26, 9,
    47, 35, 34, 25, 45, 3, 54, 22, 41, 4, 38, 58, 1, 42, 26, 50, 58, 4, 40, 19, 33, 13, 3, 58, 47, 32, 13,};

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
      const std::uint64_t from = (static_cast<std::uint64_t>(dimension) << 32) + (std::uint64_t{kVariants[dimension - 1]} << 8) + k;
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

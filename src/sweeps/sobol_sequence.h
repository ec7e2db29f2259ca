#pragma once

#include <cstddef>
#include <cstdint>

namespace roost {

inline constexpr std::size_t kMostSobolDimensions = 256;

// Sobol's sequence: of its first 2^m points, each dimension has one in every interval of length 2^-m. Dimension d goes by
// the d-th primitive polynomial; the first direction numbers are our own, searched so that pairs of dimensions fill the
// square evenly too. Gives coordinate `dimension`, below kMostSobolDimensions, of point `index`, of 32 bits.
std::uint32_t sobol_bits(std::size_t dimension, std::uint32_t index);

// Permutes the intervals of each size at random (Owen 1995): the points keep their evenness and lose their pattern.
std::uint32_t owen_scramble(std::uint32_t bits, std::uint64_t seed);

// The middle of the interval that the 32 bits stand for, in (0, 1).
inline double unit_from_bits(std::uint32_t bits) { return (static_cast<double>(bits) + 0.5) * 0x1.0p-32; }

}  // namespace roost

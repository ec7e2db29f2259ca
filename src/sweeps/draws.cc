#include "sweeps/draws.h"

#include <algorithm>

#include "sweeps/normal.h"

namespace roost {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

}  // namespace

std::uint64_t spread(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t state = spread(seed + kGolden);
  for (const std::uint64_t part : {a, b, c}) state = spread(state + kGolden * (part + 1));
  return state;
}

double unit_from(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

std::uint64_t Draws::next() { return spread(state_ += kGolden); }

double Draws::normal() { return normal_quantile(std::max(unit(), 0x1.0p-54)); }

std::uint64_t Draws::below(std::uint64_t limit) {
  // The unevenness of the remainder is below limit / 2^64.
  return next() % limit;
}

}  // namespace roost

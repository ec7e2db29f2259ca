#pragma once

#include <cstdint>

namespace roost {

// Random numbers that are a function of where they are drawn: the same with every compiler, in any order and after any
// restart. The functions of the standard library may differ from one library to the next.

// Each bit of the answer depends on every bit (the finaliser of splitmix64).
std::uint64_t spread(std::uint64_t bits);
// A number that depends on all of them evenly.
std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);
// In [0, 1), of 53 bits.
double unit_from(std::uint64_t bits);

// A sequence of draws (splitmix64).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double unit() { return unit_from(next()); }
  double normal();
  std::uint64_t below(std::uint64_t limit);  // limit > 0

 private:
  std::uint64_t state_;
};

}  // namespace roost

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roost {

// Whose turn it is, by shares: of as many turns in a row as the shares have together, each has exactly its own number, as
// evenly mixed as that allows. One thread.
class TrafficSplit {
 public:
  // Shares of at least 0. Begins anew only if they are others than before.
  void set(std::vector<std::int64_t> shares);
  // The index of a share; that of the first if all are 0. Not to be called without any.
  std::size_t next();

 private:
  std::vector<std::int64_t> shares_;
  std::vector<std::int64_t> credit_;
  std::int64_t sum_ = 0;
};

}  // namespace roost

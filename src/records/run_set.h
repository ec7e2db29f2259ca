#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace roost {

// A set of runs by their rows, one bit each: a filter of the run table is a few of them put together.
class RunSet {
 public:
  void add(std::int64_t row) {
    const auto word = static_cast<std::size_t>(row) / 64;
    if (word >= words_.size()) words_.resize(std::max(word + 1, words_.size() * 2));
    words_[word] |= bit(row);
  }
  void add_range(std::int64_t first, std::int64_t last) {
    add(last);
    for (std::int64_t row = first; row < last;) {
      if (row % 64 == 0 && row + 64 <= last) {
        words_[static_cast<std::size_t>(row) / 64] = ~std::uint64_t{0};
        row += 64;
      } else {
        add(row++);
      }
    }
  }
  bool has(std::int64_t row) const {
    const auto word = static_cast<std::size_t>(row) / 64;
    return word < words_.size() && (words_[word] & bit(row)) != 0;
  }
  std::int64_t count() const {
    std::int64_t total = 0;
    for (const std::uint64_t word : words_) total += std::popcount(word);
    return total;
  }

  void keep(const RunSet& other) {
    words_.resize(std::min(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  void add_all(const RunSet& other) {
    words_.resize(std::max(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void remove(const RunSet& other) {
    const std::size_t both = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < both; ++i) words_[i] &= ~other.words_[i];
  }

  // Calls `visit(row)` for each, until it returns false.
  template <class Visit>
  void oldest_first(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        if (!visit(static_cast<std::int64_t>(i * 64) + std::countr_zero(word))) return;
      }
    }
  }
  template <class Visit>
  void newest_first(Visit visit) const {
    for (std::size_t i = words_.size(); i-- > 0;) {
      for (std::uint64_t word = words_[i]; word != 0;) {
        const int highest = 63 - std::countl_zero(word);
        if (!visit(static_cast<std::int64_t>(i * 64) + highest)) return;
        word &= ~(std::uint64_t{1} << highest);
      }
    }
  }

 private:
  static std::uint64_t bit(std::int64_t row) { return std::uint64_t{1} << (static_cast<std::uint64_t>(row) % 64); }
  std::vector<std::uint64_t> words_;
};

}  // namespace roost

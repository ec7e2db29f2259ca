#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// Finds secrets in what a run writes. A value of several lines is looked for line by line, because that is how it is
// printed, and a line of fewer than kShortest bytes not at all: half of all output would be masked for a "1234".
class SecretMask {
 public:
  static constexpr std::size_t kShortest = 6;
  static constexpr std::string_view kMask = "***";

  void add(std::string_view secret);
  bool empty() const { return words_.empty(); }

  // A place in the text that is one of them; where several begin, the longest.
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Found {
    std::vector<Match> matches;  // in order, apart from one another
    // From here on the text may be the beginning of one whose rest has not come yet; the size of the text if not.
    std::size_t undecided = 0;
  };
  // `is_all`: nothing comes after it.
  Found find(std::string_view text, bool is_all) const;

 private:
  std::size_t longest_at(std::string_view text, std::size_t at) const;
  bool may_begin(std::string_view text) const;

  // By the pair of bytes that ends a window of kShortest bytes: how far the window can move on without passing over the
  // beginning of a word (Wu and Manber). 0: one may begin here.
  static constexpr std::uint8_t kWhole = kShortest - 1;
  std::array<std::uint8_t, 65536> skip_{};
  std::multimap<std::uint16_t, std::string> words_;  // by that pair, the longest first
  std::size_t longest_ = 0;
};

}  // namespace roost

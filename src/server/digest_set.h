#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// Many digests in 32 bytes each. Add them all, then seal(), then ask.
class DigestSet {
 public:
  void add(std::string_view digest) {
    if (digest.size() == 64) items_.push_back(packed(digest));
  }
  void seal() {
    std::sort(items_.begin(), items_.end());
    items_.erase(std::unique(items_.begin(), items_.end()), items_.end());
  }
  bool has(std::string_view digest) const {
    return digest.size() == 64 && std::binary_search(items_.begin(), items_.end(), packed(digest));
  }
  std::size_t size() const { return items_.size(); }
  std::string at(std::size_t index) const {
    std::string text;
    for (const unsigned char byte : items_[index]) {
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
    return text;
  }

 private:
  using Packed = std::array<unsigned char, 32>;
  static unsigned nibble(char digit) {
    return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10) & 15U;
  }
  static Packed packed(std::string_view digest) {
    Packed out{};
    for (std::size_t i = 0; i < 32; ++i) {
      out[i] = static_cast<unsigned char>(nibble(digest[2 * i]) << 4 | nibble(digest[2 * i + 1]));
    }
    return out;
  }

  std::vector<Packed> items_;
};

}  // namespace roost

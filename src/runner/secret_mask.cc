#include "runner/secret_mask.h"

#include <algorithm>

namespace roost {
namespace {

std::uint16_t pair_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(text[at]) << 8 | static_cast<unsigned char>(text[at + 1]));
}

}  // namespace

void SecretMask::add(std::string_view secret) {
  while (!secret.empty()) {
    const std::size_t end = std::min(secret.find('\n'), secret.size());
    std::string_view line = secret.substr(0, end);
    secret.remove_prefix(std::min(end + 1, secret.size()));
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() < kShortest) continue;
    if (words_.empty()) skip_.fill(kWhole);
    const std::uint16_t last = pair_at(line, kShortest - 2);
    const auto [first, beyond] = words_.equal_range(last);
    auto place = first;
    while (place != beyond && place->second.size() > line.size()) ++place;
    if (std::any_of(first, beyond, [&](const auto& word) { return word.second == line; })) continue;
    words_.emplace_hint(place, last, line);
    longest_ = std::max(longest_, line.size());
    for (std::size_t i = 0; i + 2 <= kShortest; ++i) {
      auto& skip = skip_[pair_at(line, i)];
      skip = std::min(skip, static_cast<std::uint8_t>(kShortest - 2 - i));
    }
  }
}

std::size_t SecretMask::longest_at(std::string_view text, std::size_t at) const {
  const auto [first, beyond] = words_.equal_range(pair_at(text, at + kShortest - 2));
  for (auto word = first; word != beyond; ++word) {
    if (text.substr(at).starts_with(word->second)) return word->second.size();
  }
  return 0;
}

// Whether it is the beginning of a word that is longer than it.
bool SecretMask::may_begin(std::string_view text) const {
  return std::any_of(words_.begin(), words_.end(), [&](const auto& word) {
    return word.second.size() > text.size() && word.second.starts_with(text);
  });
}

SecretMask::Found SecretMask::find(std::string_view text, bool is_all) const {
  Found found;
  found.undecided = text.size();
  if (words_.empty()) return found;
  std::size_t at = 0;
  while (at + kShortest <= text.size()) {
    if (const std::uint8_t skip = skip_[pair_at(text, at + kShortest - 2)]; skip > 0) {
      at += skip;
      continue;
    }
    const std::size_t size = longest_at(text, at);
    // The end of the text may be the middle of a longer one.
    if (!is_all && at + longest_ > text.size() && may_begin(text.substr(at))) {
      found.undecided = at;
      return found;
    }
    if (size > 0) found.matches.push_back({at, at + size});
    at += std::max<std::size_t>(size, 1);
  }
  if (is_all) return found;
  const std::size_t after = found.matches.empty() ? 0 : found.matches.back().end;
  std::size_t from = text.size() > longest_ ? text.size() - longest_ : 0;
  for (from = std::max(from, after); from < text.size(); ++from) {
    if (!may_begin(text.substr(from))) continue;
    found.undecided = from;
    break;
  }
  return found;
}

}  // namespace roost

#include "runner/masked_places.h"

#include <algorithm>

namespace roost {

std::uint64_t MaskedPlaces::sent_of(std::uint64_t written) const {
  const auto after = std::partition_point(places_.begin(), places_.end(),
                                          [&](const Place& place) { return place.written_end <= written; });
  if (after == places_.begin()) return written;
  const Place& before = *std::prev(after);
  return before.sent_end + (written - before.written_end);
}

std::uint64_t MaskedPlaces::written_of(std::uint64_t sent) const {
  const auto after =
      std::partition_point(places_.begin(), places_.end(), [&](const Place& place) { return place.sent_end <= sent; });
  if (after != places_.end() && after->sent < sent) return after->written;
  if (after == places_.begin()) return sent;
  const Place& before = *std::prev(after);
  return before.written_end + (sent - before.sent_end);
}

std::string MaskedPlaces::mask(const SecretMask& secrets, std::string_view text, std::uint64_t written, bool is_all,
                               std::size_t& taken) {
  while (!places_.empty() && places_.back().written_end > written) places_.pop_back();
  const SecretMask::Found found = secrets.find(text, is_all);
  taken = found.undecided;
  std::string out;
  std::size_t at = 0;
  const std::uint64_t begin = sent_of(written);
  for (const auto& match : found.matches) {
    out += text.substr(at, match.begin - at);
    const std::uint64_t sent = begin + out.size();
    out += SecretMask::kMask;
    at = match.end;
    places_.push_back({written + match.begin, written + match.end, sent, begin + out.size()});
  }
  out += text.substr(at, taken - at);
  return out;
}

}  // namespace roost

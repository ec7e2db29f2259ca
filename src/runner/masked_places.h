#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/secret_mask.h"

namespace roost {

// A stream of which some places were replaced by a mask of another length: which place of what is sent stands for which
// place of what was written, in both directions.
class MaskedPlaces {
 public:
  // Where what was written up to there ends in what is sent.
  std::uint64_t sent_of(std::uint64_t written) const;
  // The other way. Within a mask it is the place before it: the mask is sent again.
  std::uint64_t written_of(std::uint64_t sent) const;

  // What is sent for `text`, which was written from `written` on; what was noted from there on before is forgotten. Bytes
  // at its end that may be the beginning of a secret are kept back unless `is_all`: `taken` says how many were not.
  std::string mask(const SecretMask& secrets, std::string_view text, std::uint64_t written, bool is_all, std::size_t& taken);

 private:
  struct Place {
    std::uint64_t written = 0;  // its begin and end
    std::uint64_t written_end = 0;
    std::uint64_t sent = 0;
    std::uint64_t sent_end = 0;
  };
  std::vector<Place> places_;  // in order
};

}  // namespace roost

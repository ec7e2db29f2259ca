#include "cli/suggest.h"

#include <algorithm>

#include "base/edit_distance.h"

namespace roost {

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  // More than a third of the letters wrong is another word, not a slip.
  int least = std::max(1, static_cast<int>(word.size() + 2) / 3) + 1;
  for (const std::string& candidate : known) {
    int distance = edit_distance(word, candidate);
    if (word.size() >= 2 && candidate.starts_with(word)) distance = std::min(distance, 1);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace roost

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/show/style.h"

namespace roost {

// Says before every line whose it is: "[rank 3] " in a colour of its own on a terminal, "[3] " in a
// pipe, all of the same width.
class RankPrefix {
 public:
  // `ranks` is how many the run has.
  RankPrefix(int ranks, bool terminal, const Style& style);

  // The lines of a piece of a rank's log, marked. What the last piece left open goes on if it is of
  // the same rank, and is ended first if not.
  std::string mark(int rank, std::string_view text);
  // What ends a line that was left open.
  std::string finish();

 private:
  std::string prefix(int rank) const;

  const bool terminal_;
  const Style style_;
  std::size_t width_;  // of the largest rank
  std::optional<int> open_;
};

}  // namespace roost

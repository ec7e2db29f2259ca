#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// The ranks of a run whose logs are shown together, and how far each has been shown.
struct RankChoice {
  int count = 1;           // ranks that the run has
  std::vector<int> ranks;  // those to show
  std::map<int, std::uint64_t> offsets;

  // As follow_run takes it: "ranks=0,3&offsets=17,0".
  std::string query() const;
};

// How many processes a run has, by its specification.
int rank_count(const Json& run);

RankChoice all_ranks(const Json& run);
// From what a user wrote, like "3" or "0,2". One that the run does not have is refused.
Result<RankChoice> parse_ranks(const std::string& text, const Json& run);

// The name of a rank's log.
std::string log_of_rank(const Json& run, int rank);

// "rank 3", "ranks 0 to 2 and 5"
std::string ranks_text(const std::vector<int>& ranks);

}  // namespace roost

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "domain/traceback.h"

namespace roost {

// How one rank of a run ended.
struct RankEnd {
  int rank = 0;
  int local_rank = 0;
  std::string node;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  Micros ended = 0;
  bool stopped = false;  // it still ran when the others were told to end
  bool out_of_memory = false;
  std::string output;  // the last of what it printed

  bool succeeded() const { return exit_code == 0; }
};

enum class RankRole { kFine, kCulprit, kVictim, kStopped };
std::string_view rank_role_name(RankRole role);

// Why a run failed: the first rank that failed on its own.
struct RootCause {
  int rank = 0;
  std::string node;
  std::string message;  // one line that names rank, node, how it ended and why
  std::string why;      // of that the last part: its exception, or which of a launcher's workers failed; may be ""
  bool certain = false;  // it failed on its own, not as one of those who lost a peer
  std::optional<Traceback> traceback;
  std::vector<RankRole> roles;  // by position in what was given
};

// Nothing if no rank failed. Ranks that died because a peer did are victims: they are named only if
// nobody else is left, and then a rank that ended too early or never answered comes first. A rank that is a launcher
// failed as that of its workers did which launcher_failure() names.
std::optional<RootCause> find_root_cause(const std::vector<RankEnd>& ranks);

}  // namespace roost

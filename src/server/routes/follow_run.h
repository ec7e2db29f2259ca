#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/http.h"
#include "observe/log_feed.h"
#include "server/app.h"

namespace roost {

struct FollowWhat {
  std::optional<std::uint64_t> build_offset;  // the log of its environment's build, before all else
  bool live = true;                           // else it ends with what there is by now
};

// Everything that happens to a run from now until its end, as NDJSON: past and new states, and what is
// new in the given logs of it.
std::unique_ptr<ResponseStream> follow_run(App& app, std::string run, Principal who,
                                           std::unique_ptr<LogFeed> logs, FollowWhat what);

// The bytes of one log from `offset`, until the run has ended and all were sent.
std::unique_ptr<ResponseStream> follow_log(App& app, std::string run, std::int64_t attempt,
                                           std::string log, std::uint64_t offset);

}  // namespace roost

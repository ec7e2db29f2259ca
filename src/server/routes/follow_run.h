#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/http.h"
#include "server/app.h"

namespace roost {

// Everything that happens to a run from now until its end, as NDJSON: past and new states, and the
// bytes of one log from `offset`; before them, if asked for, the log of its environment's build.
std::unique_ptr<ResponseStream> follow_run(App& app, std::string run, std::string log,
                                           std::uint64_t offset,
                                           std::optional<std::uint64_t> build_offset);

// The bytes of one log from `offset`, until the run has ended and all were sent.
std::unique_ptr<ResponseStream> follow_log(App& app, std::string run, std::int64_t attempt,
                                           std::string log, std::uint64_t offset);

}  // namespace roost

#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

// What a submit names itself by, so that the same one sent again (its answer was lost) finds its run instead of starting
// another.
struct SubmissionKey {
  std::string workspace;
  std::string caller;  // one caller's keys mean nothing to another
  std::string key;
  std::string content;  // digest of what was asked for
};

// 1 to 200 printable characters.
Status check_submission_key(std::string_view key);

// The run that this very submit made before; kFailedPrecondition if the key was used for another one. Keys are known for
// a day, and the newest 200,000 of all.
Result<std::optional<std::string>> find_submission(Tx& tx, const SubmissionKey& submission, Micros now);
Status insert_submission(Tx& tx, const SubmissionKey& submission, const Run& run, Micros now);

}  // namespace roost

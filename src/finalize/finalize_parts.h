#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "blobs/blob_store.h"
#include "db/database.h"
#include "finalize/keep_outputs.h"
#include "records/attempt_records.h"

namespace roost {

// The logs of an attempt, which observe/ keeps.
struct AttemptLogs {
  std::function<Status(const AttemptName& attempt)> sync;  // to disk, all of them
  std::function<std::uint64_t(const AttemptName& attempt, const std::string& log)> size;  // 0 if there is none
};

// What checking and keeping what runs leave needs. Built by the object graph; everything in it is thread-safe and
// outlives it.
struct FinalizeParts {
  Database& db;
  BlobStore& blobs;
  KeptOutputs& kept;
  const Clock& clock;
  AttemptLogs logs;
};

}  // namespace roost

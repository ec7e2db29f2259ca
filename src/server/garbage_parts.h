#pragma once

#include <filesystem>

#include "base/clock.h"
#include "blobs/blob_store.h"
#include "db/database.h"

namespace roost {

// What collecting garbage needs. Everything in it is thread-safe and outlives it.
struct GarbageParts {
  Database& db;
  BlobStore& blobs;
  const Clock& clock;
  std::filesystem::path data;
};

}  // namespace roost

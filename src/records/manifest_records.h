#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "db/database.h"
#include "domain/manifest.h"

namespace roost {

// The manifests that are on the server whole, with all the blobs they name: snapshots of code, the
// content of models, the inputs of runs.
struct StoredManifest {
  std::int64_t files = 0;
  std::int64_t size = 0;
  Micros created = 0;
};
std::optional<StoredManifest> find_manifest(Tx& tx, const std::string& digest);
Status store_manifest(Tx& tx, const std::string& digest, const Manifest& manifest, Micros now);

}  // namespace roost

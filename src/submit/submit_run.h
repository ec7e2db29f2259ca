#pragma once

#include <string>

#include "base/clock.h"
#include "blobs/blob_store.h"
#include "db/database.h"
#include "domain/run.h"
#include "domain/run_spec.h"
#include "registry/curated.h"

namespace roost {

// Starting: checks that everything the spec names exists (workspace, compute, snapshot, script in it,
// environment, inputs, parent) and inserts the run. Refusals leave nothing behind. An interactive run
// is Running at once.
Result<Run> submit_run(Tx& tx, const BlobStore& blobs, const CuratedEnvironments& curated,
                       const std::string& workspace, const RunSpec& spec,
                       const std::string& created_by, Micros now);

}  // namespace roost

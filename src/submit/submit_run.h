#pragma once

#include <string>

#include "base/clock.h"
#include "blobs/blob_store.h"
#include "db/database.h"
#include "domain/run.h"
#include "domain/run_spec.h"
#include "registry/curated.h"

namespace roost {

// Whether the spec's script is in its snapshot, and the files it names in its inputs: what submit_run() has to know of
// files, looked at before its transaction.
Status check_files(const BlobStore& blobs, const RunSpec& spec);

// Starting: checks that everything the spec names exists (workspace, compute, snapshot, script in it,
// environment, inputs, parent) and inserts the run. Refusals leave nothing behind. An interactive run
// and a sweep's are Running at once. `files` is what check_files() said; hold the blobs from there on.
Result<Run> submit_run(Tx& tx, const Status& files, const CuratedEnvironments& curated,
                       const std::string& workspace, const RunSpec& spec,
                       const std::string& created_by, Micros now);

}  // namespace roost

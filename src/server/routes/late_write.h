#pragma once

#include <string_view>

#include "access/access.h"
#include "domain/run.h"
#include "records/run_records.h"

namespace roost {

// A finished run is final: nothing of its own can change it any more. Others who may change it can still add what is
// kept about it (labels, a name, files), and every such change is in its history. Call it in the transaction that makes
// the change; `what` says it in words. Does nothing for a run that has not ended.
Status note_late_write(Tx& tx, const Run& run, const Principal& who, std::string_view what, Micros now);

// For what only the run itself says: metrics and the records of its script.
Status check_not_ended(const Run& run);

}  // namespace roost

#pragma once

#include <vector>

#include "domain/finish_report.h"
#include "finalize/finalize_parts.h"

namespace roost {

// Everything a runner says that it shipped must be here and on disk before its part may end: every output whole, every
// log as long as it says (kDataMismatch: it has to send the rest). Files only, so it comes before the transaction that
// records the report, and which refuses that of an attempt that was given up; logs only grow. As long as the answer is held, no garbage collection takes the outputs.
Result<BlobStore::Hold> check_report(const FinalizeParts& finalize, const AttemptName& attempt,
                                     const FinishReport& report);

// The same for spools, whose lengths are records: for that transaction.
Status check_spools(Tx& tx, const Run& run, const FinishReport& report);

// Their blobs must be stored, with these sizes.
Status check_outputs(const FinalizeParts& finalize, const std::vector<OutputFile>& outputs);

std::vector<std::string> digests_of(const std::vector<OutputFile>& outputs);

}  // namespace roost

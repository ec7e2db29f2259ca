#pragma once

#include <functional>

#include "domain/finish_report.h"
#include "domain/run.h"
#include "execute/execute_parts.h"
#include "records/attempt_records.h"

namespace roost {

// A node has reported the end of its part: records the report and makes the node idle, or has it leave. With the last
// one the run ends or waits again (conclude_attempt). `check` looks in the same transaction at what only records can
// tell of the report; what files tell was checked before, see finalize/check_report.h. The run as it is then.
Result<Run> finish_part(const ExecuteParts& execute, const AttemptName& attempt, const FinishReport& report,
                        const std::function<Status(Tx&, const Run&)>& check);

}  // namespace roost

#pragma once

#include <string>

#include "base/json.h"
#include "domain/run.h"
#include "execute/execute_parts.h"
#include "records/attempt_records.h"

namespace roost {

// What a runner tells of its part of an attempt while that is under way. Each is taken only while the attempt is open
// (kGivenUp else), and changes nothing when it is told again.

// Its processes run, since so long ago. The run as it is then.
Result<Run> part_started(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, Micros ago);
// How it holds them to what they asked for of the machine.
Status part_enforces(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, const Json& enforced);
// They have ended, so long ago; what they left is still being sent.
Result<Run> part_exited(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, Micros ago);
// A node of a gang has what it needs. The last one to say so starts them all: true then.
Result<bool> part_ready(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, const Json& facts);
// A process failed on its own: the others have to end, wherever they are.
Status part_failed(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, std::int64_t rank);
// MPI: the first node has a command for another one; and that command ended, for which the first node waits.
Status ask_for_command(const ExecuteParts& execute, const AttemptName& attempt, const std::string& node,
                       const std::string& command);
Status command_ended(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, std::int64_t exit_code);

}  // namespace roost

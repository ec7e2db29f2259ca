#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/database.h"
#include "domain/run_state.h"

namespace roost {

// Interactive runs whose own process says now and then that it lives. Those that never said so are not among them.

// From now on the process is expected to be heard of. Repeating it changes nothing.
Status expect_process(Tx& tx, std::int64_t run);
Result<bool> is_process_expected(Tx& tx, std::int64_t run);
Status forget_process(Tx& tx, std::int64_t run);

struct ExpectedProcess {
  std::int64_t run = 0;
  std::string run_id;
  RunStatus status = RunStatus::kRunning;
};
Result<std::vector<ExpectedProcess>> expected_processes(Tx& tx);

}  // namespace roost

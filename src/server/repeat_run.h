#pragma once

#include <string>
#include <vector>

#include "access/access.h"
#include "domain/run.h"
#include "domain/run_spec.h"

namespace roost {

// What submits the run once more: the code, the versions and the place that it had. Of an environment that was built it
// is the lock, which gives exactly the same packages. Sweeps and interactive runs are refused.
Result<RunSpec> spec_to_repeat(const Run& run);

// What is to be different, from untrusted JSON. A variable or a secret that is null is taken out. "options" changes single
// options (domain/change_options.h), "arguments" are all arguments of a script, "command" is another line.
Result<RunSpec> changed_spec(const RunSpec& before, const Json& changes);

// Secrets that were given with a run stay with it, whoever starts it again, but only as long as it does the same: whoever
// else changes what it does must give his own. Refuses with their names.
Status check_secrets_stay(const Run& run, const RunSpec& after, const Principal& who);

struct SpecChange {
  std::string name;
  Json from;
  Json to;
};
// Member by member, in the order of their names; values of variables as run_json() shows them.
std::vector<SpecChange> spec_changes(const RunSpec& before, const RunSpec& after, Variables variables);

}  // namespace roost

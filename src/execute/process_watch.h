#pragma once

#include <string>

#include "domain/run.h"
#include "execute/execute_parts.h"
#include "records/process_records.h"

namespace roost {

// An interactive run has no node that could tell that its process died; the process says itself that it lives.

// It was heard of: a run that was NotResponding is Running again, and one heard of for the first time is watched from
// now on. Of a run that has ended nothing changes. `run` is what was read a moment ago, and is what it is afterwards.
Status hear_process(const ExecuteParts& execute, Run& run);

// After how many seconds it is to say so again.
double process_heartbeat_seconds(const ExecuteSettings& settings);

// Notices processes that fall silent: first NotResponding, and in the end Failed, as "crashed". That is final, as every end
// is. Silence is counted in ServingTime, from the first look of a server that was started again. For one thread.
class ProcessWatch {
 public:
  // The parts must outlive this.
  explicit ProcessWatch(const ExecuteParts& execute) : execute_(execute) {}

  void watch();

 private:
  void look_after(const ExpectedProcess& process);

  const ExecuteParts& execute_;
};

}  // namespace roost

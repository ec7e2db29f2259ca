#pragma once

// For script_workers.cc and worker_supervision.cc only.

#include <condition_variable>
#include <memory>
#include <optional>
#include <string>

#include "score/script_workers.h"

namespace roost {

// A place for one worker, and the worker that has it. Under the mutex of ScriptWorkers, but: a process of a kBusy seat is
// used by the thread that asks it, and those of the other states by the supervisor; anyone may signal it.
struct ScriptWorkers::Seat {
  enum State { kEmpty, kStarting, kIdle, kBusy, kDead } state = kEmpty;
  std::optional<WorkerProcess> process;
  SteadyTime start_at{};  // when kEmpty
  SteadyTime ready_since{};
  // How the process ended, for the thread that asked it: "" until the supervisor has seen.
  std::shared_ptr<std::string> end = std::make_shared<std::string>();
};

struct ScriptWorkers::Waiter {
  std::condition_variable given;
  Seat* seat = nullptr;
};

}  // namespace roost

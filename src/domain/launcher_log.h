#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/traceback.h"

namespace roost {

// A process that a launcher (torchrun, torch.distributed.launch, accelerate launch) started and that failed.
struct WorkerFailure {
  std::optional<int> rank;  // in the whole job; nothing if the output does not tell which one it was
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  std::optional<Traceback> traceback;
  bool secondary = false;  // it lost a peer, or the launcher ended it

  // "its process of rank 3 was ended by SIGKILL (killed)"
  std::string text() const;
};

// Why the launcher whose output this is failed, by its table and by what its workers wrote: the first worker that
// failed by itself, else the one that the launcher saw first. That table alone will not do: what died between two
// looks of the launcher stands there by local rank, a victim before the one it missed. Nothing if it is no
// launcher's output, or if that says nothing of its workers.
std::optional<WorkerFailure> launcher_failure(std::string_view output);

}  // namespace roost

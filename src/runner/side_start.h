#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace roost {

// What a program beside those of a run is started with.
struct SideProgram {
  std::vector<std::string> words;
  std::map<std::string, std::string> variables;  // the whole environment
  int input = -1;  // descriptors, which stay the caller's
  int output = -1;
  int errors = -1;
  bool is_terminal = false;  // `input` is a terminal; it becomes its own
};

// Has the supervisor of a run start programs beside the run's own (SidePrograms). Thread-safe; once the run is over every
// start fails.
class SideStart {
 public:
  // The other end of supervise()'s `control`.
  explicit SideStart(Fd control) : control_(std::move(control)) {}

  struct Started {
    int id = 0;
    Fd end;  // readable when it ended; what then can be read says how (side_order.h)
  };
  Result<Started> start(const SideProgram& program);
  // To its process group; nothing if it has ended.
  void signal(int id, int signal);

 private:
  const Fd control_;
  std::mutex mutex_;
  int last_id_ = 0;
};

}  // namespace roost

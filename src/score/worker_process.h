#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "score/worker_frames.h"

namespace roost {

struct WorkerLaunch {
  std::vector<std::string> words;  // the first is a path
  std::map<std::string, std::string> variables;  // besides those of this process
  std::filesystem::path folder;
};

// A Python process with a socket to it as its descriptor 3, in a process group of its own. It is killed when the thread
// that started it ends. The destructor kills it, and what it left in its group, and waits for it.
class WorkerProcess {
 public:
  static Result<WorkerProcess> start(const WorkerLaunch& launch);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  pid_t pid() const { return pid_; }
  WorkerLine line() const { return {socket_.get(), pidfd_.get()}; }
  bool has_ended() const;
  // Of one that nothing is asked of: it has ended, closed its socket, or said something unasked.
  bool is_unusable() const;
  void signal(int number) const;  // to the whole group
  // Waits at most so long. How it ended, in words ("exited with code 3", "was killed by SIGKILL"), or none if it runs.
  std::optional<std::string> wait(std::chrono::milliseconds limit);

 private:
  WorkerProcess(pid_t pid, Fd socket, Fd pidfd);
  void end();

  pid_t pid_ = 0;  // 0: waited for
  Fd socket_;
  Fd pidfd_;
};

// Where a program is: `name` itself if it has a slash, made absolute, else the first on PATH.
Result<std::string> find_program(const std::string& name);

}  // namespace roost

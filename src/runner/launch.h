#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "runner/image_root.h"

namespace roost {

struct LaunchSpec {
  std::vector<std::string> program;
  std::map<std::string, std::string> variables;  // the whole environment
  std::filesystem::path folder;                  // working directory
  std::filesystem::path output;                  // stdout and stderr are appended here
  std::optional<ImageRoot> image;                // its file system, if it is not that of this machine
};

// A program under its supervisor. Must be started and destroyed on a thread that lives as long as the
// runner: the kernel ends the supervisor, and with it everything, when that thread ends.
class Launched {
 public:
  static Result<Launched> start(const LaunchSpec& spec);
  Launched(Launched&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        pidfd_(std::move(other.pidfd_)),
        report_(std::move(other.report_)),
        isolated_(other.isolated_) {}
  Launched& operator=(Launched&&) = delete;
  ~Launched();  // ends everything that still runs

  // Readable once it ended; for poll(2).
  int ended_fd() const { return pidfd_.get(); }
  void terminate();  // SIGTERM to every process of it
  void kill();       // SIGKILL to every process of it

  struct End {
    std::optional<int> exit_code;
    std::optional<int> signal;
    int launch_errno = 0;  // the program could not be started at all
  };
  // Empty while it runs.
  std::optional<End> poll_end();
  bool isolated() const { return isolated_; }

 private:
  Launched() = default;
  int pid_ = 0;
  Fd pidfd_;
  Fd report_;
  bool isolated_ = false;
};

}  // namespace roost

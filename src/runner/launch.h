#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "confine/hidden_folders.h"
#include "runner/image_root.h"

namespace roost {

struct LaunchProcess {
  std::vector<std::string> program;
  std::vector<std::string> otherwise = {};       // what is started if that cannot be
  std::map<std::string, std::string> variables;  // the whole environment
  std::filesystem::path output;                  // stdout and stderr are appended here
};

struct LaunchSpec {
  std::vector<LaunchProcess> processes;
  std::filesystem::path folder;    // working directory
  std::optional<ImageRoot> image;  // their file system, if it is not that of this machine
  HiddenFolders hidden;            // else what of this machine they do not see
  std::vector<int> join_groups;    // of control groups, as RunCgroup::join_fds() gives them
  std::string host_name;           // their own, if not empty
  std::filesystem::path hosts;     // in place of /etc/hosts, if not empty
  unsigned mask = 022;             // umask
};

// How one process ended.
struct ProcessEnd {
  int index = 0;
  std::optional<int> exit_code;
  std::optional<int> signal;
  int launch_errno = 0;  // the program could not be started at all
  Micros at = 0;
};

// The processes of an attempt under their supervisor. Must be started and destroyed on a thread that
// lives as long as the runner: the kernel ends the supervisor, and with it everything, when that
// thread ends.
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

  // Whether no process can be left when it is over.
  bool is_isolated() const { return isolated_; }
  int supervisor() const { return pid_; }
  // Readable once a process ended, or all did; for poll(2). Another one once the last end was taken: the kernel has
  // still to clear up, and asking again and again would keep it from doing so.
  int report_fd() const { return all_told_ ? pidfd_.get() : report_.get(); }
  void terminate();  // SIGTERM to every process of it
  void kill();       // SIGKILL to every process of it

  // The ends that were not taken yet. A process that was killed together with its supervisor has none.
  std::vector<ProcessEnd> take_ends();
  // True once nothing of it runs any more.
  bool is_over();

 private:
  Launched() = default;
  int pid_ = 0;
  Fd pidfd_;
  Fd report_;
  std::string unread_;
  bool all_told_ = false;
  bool isolated_ = false;
};

}  // namespace roost

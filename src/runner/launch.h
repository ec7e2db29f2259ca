#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "confine/hidden_folders.h"
#include "runner/image_root.h"
#include "runner/side_start.h"

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
  std::vector<int> cpu_set;        // the CPUs they run on; none: any
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

// The processes of an attempt under their supervisor; an interface, so that tests need none.
class RunningProcesses {
 public:
  virtual ~RunningProcesses() = default;  // ends everything that still runs

  // Whether no process can be left when it is over.
  virtual bool is_isolated() const = 0;
  virtual int supervisor() const = 0;
  // By which further programs are started beside them; null if that cannot be. It may outlive this.
  virtual std::shared_ptr<SideStart> sides() const { return nullptr; }
  // Readable once a process ended, or all did; for poll(2). Another one once the last end was taken: the kernel has
  // still to clear up, and asking again and again would keep it from doing so.
  virtual int report_fd() const = 0;
  virtual void terminate() = 0;  // SIGTERM to every process of it
  virtual void kill() = 0;       // SIGKILL to every process of it

  // The ends that were not taken yet. A process that was killed together with its supervisor has none.
  virtual std::vector<ProcessEnd> take_ends() = 0;
  // True once nothing of it runs any more.
  virtual bool is_over() = 0;
};
using Launch = std::function<Result<std::unique_ptr<RunningProcesses>>(const LaunchSpec&)>;

// Starts them, as processes of this machine. Must be called, and the answer destroyed, on a thread that lives as long as
// the runner: the kernel ends the supervisor, and with it everything, when that thread ends.
Result<std::unique_ptr<RunningProcesses>> launch_processes(const LaunchSpec& spec);

}  // namespace roost

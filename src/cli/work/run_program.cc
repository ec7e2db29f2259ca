#include "cli/work/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/files.h"

namespace roost {
namespace {

Result<pid_t> spawn(const std::vector<std::string>& words, const std::string& folder, int output) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);  // ours may have Ctrl-C blocked
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, fmt::format("run {}", words[0]));
  return pid;
}

// Reads until the end, the limit or the deadline; true at the end.
bool read_output(int fd, const ProgramLimits& limits, std::string& text, bool& late) {
  const auto deadline = std::chrono::steady_clock::now() + limits.time;
  char buffer[16384];
  while (text.size() < limits.bytes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd wait{fd, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      late = true;
      return false;
    }
    const ssize_t count = read(fd, buffer, std::min(sizeof buffer, limits.bytes - text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return false;
}

}  // namespace

Result<ProgramOutput> run_program(const std::vector<std::string>& words, const std::string& folder,
                                  const ProgramLimits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  ROOST_TRY(const pid_t pid, spawn(words, folder, writer.get()));
  writer.reset();
  ProgramOutput output;
  bool late = false;
  if (!read_output(reader.get(), limits, output.text, late)) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (late) {
    return fail(ErrorCode::kDeadlineExceeded, fmt::format("{} did not end in time", words[0]));
  }
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace roost

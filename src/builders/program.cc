#include "builders/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "confine/confined_process.h"

namespace roost {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;

// Only called in the child of a process with one thread: any call is allowed here.
[[noreturn]] void become(const ProgramRun& run, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  const int input = ::open("/dev/null", O_RDONLY);
  ::dup2(input, 0);
  ::dup2(output, 1);
  ::dup2(output, 2);
  for (const auto& [name, value] : run.variables) ::setenv(name.c_str(), value.c_str(), 1);
  if (::chdir(run.folder.c_str()) != 0) ::_exit(127);
  std::vector<char*> argv;
  for (const auto& word : run.words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::dprintf(2, "%s: cannot be started\n", argv[0]);
  ::_exit(127);
}

// "wchar" of /proc/PID/io; 0 if the kernel does not say.
std::uint64_t bytes_written(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/io", pid));
  const auto at = text ? text->find("wchar: ") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoull(text->c_str() + at + 7, nullptr, 10);
}

Result<int> start(const ProgramRun& run, int output) {
  if (run.hidden) return start_confined(*run.hidden, [&] { become(run, output); });
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(errno, "start " + run.words[0]);
  if (pid == 0) become(run, output);
  return pid;
}

void read_lines(int fd, pid_t pid, const ProgramRun& run) {
  const auto& on_line = run.on_line;
  std::string pending;
  char buffer[16384];
  for (;;) {
    pollfd waits{fd, POLLIN, 0};
    if (run.on_quiet && ::poll(&waits, 1, kQuietSeconds * 1000) == 0) {
      run.on_quiet(bytes_written(pid));
      continue;
    }
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      // A progress bar draws itself again after \r: each drawing counts as a line.
      if (buffer[i] == '\n' || buffer[i] == '\r' || pending.size() >= kLongestLine) {
        if (on_line && !pending.empty()) on_line(pending);
        pending.clear();
      }
      if (buffer[i] != '\n' && buffer[i] != '\r') pending += buffer[i];
    }
  }
  if (on_line && !pending.empty()) on_line(pending);
}

}  // namespace

Result<int> run_to_end(const ProgramRun& run) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  ROOST_TRY(const pid_t pid, start(run, writer.get()));
  writer.reset();
  read_lines(reader.get(), pid, run);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<std::string> output_of(const std::vector<std::string>& words, std::optional<HiddenFolders> hidden) {
  std::string text;
  ProgramRun run;
  run.words = words;
  run.hidden = std::move(hidden);
  run.on_line = [&](std::string_view line) {
    text += line;
    text += '\n';
  };
  ROOST_TRY(const int code, run_to_end(run));
  if (code == 0) return text;
  return fail(ErrorCode::kNotFound,
              fmt::format("{} ended with exit code {}: {}", words[0], code, trim(text)));
}

std::string find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const std::string candidate = folder + "/" + std::string(name);
    if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

}  // namespace roost

#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/files.h"
#include "base/inside_write.h"
#include "base/text.h"

namespace roost {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 256 << 20;

struct Pipe {
  Fd reader;
  Fd writer;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// What the program reads: a socket, because writing to a pipe that nobody reads any more would raise SIGPIPE.
Result<Pipe> make_input() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail_errno(errno, "make a socket");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) all.emplace_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// The program in a process group of its own, with no signal blocked or ignored.
Result<pid_t> spawn(std::vector<std::string> words, std::vector<std::string> environment, int input, int output,
                    int errors) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const auto argv = pointers_to(words);
  const auto envp = pointers_to(environment);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words.front().c_str(), &files, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, "start " + words.front());
  return pid;
}

int exit_code_of(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Reads what there is; false at the end.
bool take(const Fd& from, std::string& into) {
  char buffer[16384];
  const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (into.size() < kMostOutput) into.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

// Feeds and drains the three pipes until the program has closed its side; false at the time limit.
bool exchange(Fd& input, Fd& output, Fd& errors, std::string_view text, CommandResult& result,
              steady_clock::time_point until, const std::atomic<bool>* stop) {
  if (text.empty()) input.reset();
  while (output || errors) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now()).count();
    if (left <= 0 || (stop && *stop)) return false;
    pollfd waits[] = {{output.get(), POLLIN, 0}, {errors.get(), POLLIN, 0}, {input.get(), POLLOUT, 0}};
    ::poll(waits, 3, static_cast<int>(std::min<long long>(left, stop ? 50 : 60'000)));
    if (waits[2].revents != 0) {
      const ssize_t count = ::send(input.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
      if (text.empty() || (count < 0 && errno != EINTR && errno != EAGAIN)) input.reset();
    }
    if (waits[0].revents != 0 && !take(output, result.output)) output.reset();
    if (waits[1].revents != 0 && !take(errors, result.errors)) errors.reset();
  }
  return true;
}

}  // namespace

Result<CommandResult> run_command(const std::vector<std::string>& words, std::string_view input,
                                  const std::map<std::string, std::string>& variables, milliseconds limit,
                                  const std::atomic<bool>* stop) {
  check_outside_write("runs a program");
  ROOST_TRY(Pipe in, make_input());
  ROOST_TRY(Pipe out, make_pipe());
  ROOST_TRY(Pipe err, make_pipe());
  ROOST_TRY(const pid_t pid, spawn(words, environment_with(variables), in.reader.get(), out.writer.get(), err.writer.get()));
  in.reader.reset();
  out.writer.reset();
  err.writer.reset();
  CommandResult result;
  const bool ended = exchange(in.writer, out.reader, err.reader, input, result, steady_clock::now() + limit, stop);
  if (!ended) ::kill(-pid, SIGKILL);
  result.exit_code = exit_code_of(pid);
  if (ended) return result;
  if (stop && *stop) return fail(ErrorCode::kDeadlineExceeded, fmt::format("{} was interrupted", words.front()));
  return fail(ErrorCode::kDeadlineExceeded,
              fmt::format("{} did not answer within {} s{}{}", words.front(), std::chrono::duration<double>(limit).count(),
                          result.errors.empty() ? "" : ": ", trim(result.errors)));
}

}  // namespace roost

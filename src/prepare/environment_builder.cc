#include "prepare/environment_builder.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/files.h"
#include "base/inside_write.h"
#include "base/log.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kEndAll = SIGQUIT;  // has supervise() in the builder's process end everything below it

Result<pid_t> spawn_builder(const std::string& program, const fs::path& order, const fs::path& result,
                            int output) {
  check_outside_write("starts a program");
  const std::vector<std::string> words = {program, "build-environment", "--order", order.string(), "--result",
                                          result.string()};
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigfillset(&defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, "start a build: " + program);
  return pid;
}

// The builder's answer: what it built, or the line that matters.
Result<BuiltEnvironment> read_result(const fs::path& file) {
  const auto text = read_file(file);
  const Json json = text ? stored_json(*text) : Json();
  if (!json.is_object()) {
    return fail(ErrorCode::kUnavailable, "the build was ended before it was done");
  }
  if (json.contains("error")) return fail(ErrorCode::kFailedPrecondition, text_at(json, "error"));
  return built_from(json);
}

// What lies beside the folder of a build and is named after it: its order, its result, what it worked with. A build that was
// ended removes nothing itself.
void remove_beside(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(folder.filename().string() + ".")) found.push_back(entry.path());
  }
  for (const auto& path : found) {
    if (const Status removed = remove_tree(path); !removed) log_warning("{}", removed.error().message);
  }
}

}  // namespace

void BuilderProcess::end_build(int pid) { ::kill(pid, kEndAll); }

Result<BuiltEnvironment> BuilderProcess::build(const BuildOrder& order, const Hooks& hooks) {
  const fs::path order_file = order.folder + ".order";
  const fs::path result_file = order.folder + ".result";
  ROOST_CHECK(write_file_atomic(order_file, to_text(build_order_json(order))));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  auto pid = spawn_builder(program_, order_file, result_file, writer.get());
  writer.reset();
  if (!pid) {
    remove_beside(order.folder);
    return fail(pid.error());
  }
  hooks.runs(*pid);
  char buffer[16384];
  for (;;) {
    const ssize_t count = ::read(reader.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    hooks.prints({buffer, static_cast<std::size_t>(count)});
  }
  hooks.runs(0);  // not a moment longer than the process can be named by its number
  while (::waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  auto built = read_result(result_file);
  remove_beside(order.folder);
  return built;
}

}  // namespace roost

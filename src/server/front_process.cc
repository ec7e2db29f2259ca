#include "server/front_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"
#include "compute/machine.h"
#include "confine/private_folder.h"
#include "net/http_client.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

// A front that does not come up is not tried again at once.
constexpr Micros kStartTime = 2 * kSecond;

}  // namespace

Json FrontProcess::read_file_of_front() const {
  const auto text = read_file(settings_.data / "serving" / "front.json");
  return text ? stored_json(*text) : Json();
}

bool FrontProcess::is_alive(const Json& front) {
  const auto pid = static_cast<pid_t>(integer_at(front, "pid"));
  if (pid <= 0) return false;
  if (pid == spawned_) return child_lives();
  const auto began = process_start_time(pid);
  return began && *began != 0 && *began == integer_at(front, "start_time");
}

bool FrontProcess::child_lives() {
  if (spawned_ > 0 && ::waitpid(spawned_, nullptr, WNOHANG) == 0) return true;
  spawned_ = 0;
  return false;
}

Status FrontProcess::ensure() {
  const std::lock_guard lock(mutex_);
  if (child_lives() || is_alive(read_file_of_front())) return {};
  const Micros now = clock_.steady();
  if (started_ != 0 && now - started_ < kStartTime) return {};  // it is coming up
  if (started_ != 0) log_warning("serving: the front has ended and is started again");
  started_ = now;
  return start();
}

Status FrontProcess::start() {
  const auto folder = settings_.data / "serving";
  ROOST_CHECK(make_private_folder(folder));
  std::vector<std::string> words = {settings_.program, "front",  "--data", settings_.data.string(), "--address", settings_.address,
                                    "--port", std::to_string(settings_.port)};
  if (!settings_.certificate.empty()) {
    words.insert(words.end(), {"--tls-certificate", settings_.certificate, "--tls-key", settings_.key});
  }
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const std::string log = (folder / "front.log").string();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
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
  const int error = posix_spawn(&pid, words.front().c_str(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, "start the front");
  spawned_ = pid;
  return {};
}

std::string FrontProcess::url() {
  const std::lock_guard lock(mutex_);
  return url_locked();
}

std::string FrontProcess::url_locked() {
  const std::int64_t port = integer_at(read_file_of_front(), "port");
  if (port == 0) return "";
  return fmt::format("{}://{}:{}", settings_.certificate.empty() ? "http" : "https", settings_.host, port);
}

Result<std::string> FrontProcess::get(const char* path) {
  const Json front = read_file_of_front();
  std::string address;
  {
    const std::lock_guard lock(mutex_);
    address = url_locked();
  }
  if (address.empty()) return fail(ErrorCode::kUnavailable, "the front is not up yet");
  HttpClient::Options options;
  options.connect_timeout = milliseconds(500);
  options.idle_timeout = milliseconds(2000);
  options.ca_file = settings_.certificate;
  HttpClient client(address, options);
  ClientRequest request;
  request.target = path;
  request.headers["X-Roost-Front-Key"] = text_at(front, "key");
  ROOST_TRY(const ClientResponse response, client.send(request));
  if (response.status != 200) {
    return fail(ErrorCode::kUnavailable, fmt::format("the front answered {} to {}", response.status, path));
  }
  return response.body;
}

Result<Json> FrontProcess::statistics() {
  ROOST_TRY(const std::string text, get("/front/stats"));
  return parse_json(text, "the front's statistics");
}

Result<std::string> FrontProcess::metrics() { return get("/front/metrics"); }

void FrontProcess::end() {
  const std::lock_guard lock(mutex_);
  const Json front = read_file_of_front();
  const auto lives = [&] { return child_lives() || is_alive(front); };
  if (!lives()) return;
  const auto pid = spawned_ > 0 ? spawned_ : static_cast<pid_t>(integer_at(front, "pid"));
  ::kill(pid, SIGTERM);
  for (int i = 0; i < 500 && lives(); ++i) std::this_thread::sleep_for(milliseconds(10));
  if (lives()) ::kill(pid, SIGKILL);
}

}  // namespace roost

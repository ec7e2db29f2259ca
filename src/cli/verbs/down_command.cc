#include <signal.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/status_line.h"
#include "cli/verbs/commands.h"

namespace roost {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);

int say(const Console& console, bool stopped, const std::string& text) {
  if (console.json()) return console.print_json({{"stopped", stopped}, {"message", text}});
  return Console::print(text + "\n");
}

// Also when its parent has not taken note of its end yet.
bool has_ended(pid_t pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH) return true;
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  return stat && stat->find(") Z ") != std::string::npos;
}

// Until the process is gone. Only the process tells: its file goes before its last work is done.
bool wait_until_gone(const Console& console, pid_t pid, const std::string& server_file) {
  StatusLine line(console.err(), !console.json());
  line.show("waiting for the server to end");
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    std::error_code ignored;
    const bool file_gone = !std::filesystem::exists(server_file, ignored);
    if (pid > 0 ? has_ended(pid) : file_gone) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

pid_t pid_of(const std::string& server_file) {
  const auto text = read_file(server_file);
  const auto document = text ? parse_json(*text, server_file) : Result<Json>(Json());
  return document ? static_cast<pid_t>(integer_at(*document, "pid")) : 0;
}

// Whoever can read the data folder has what stops its server, whatever became of the owner's token that lies there.
Status stop_by_folder(const Console& console, const Json& request) {
  const std::string folder = data_folder(console.data());
  ROOST_TRY(const std::string secret, read_file(folder + "/secret"));
  ROOST_TRY(ServerAddress address, read_server_file(folder + "/server.json", "roost_stop_" + hmac_hex(trim(secret), "stop")));
  ApiClient client(std::move(address));
  ROOST_CHECK(client.post("/server/shutdown", request));
  return {};
}

bool is_refused_caller(const Error& error) {
  return error.code == ErrorCode::kUnauthenticated || error.code == ErrorCode::kPermissionDenied;
}

Result<int> down(Console& console, bool keep_runs) {
  const std::string server_file = data_folder(console.data()) + "/server.json";
  const auto address = console.address();
  std::error_code none;
  if (!address && address.error().code == ErrorCode::kUnavailable && !std::filesystem::exists(server_file, none)) {
    return say(console, false, fmt::format("no server runs on {}", data_folder(console.data())));
  }
  // The process can be watched only on its own machine. Without an address it is the folder's: its token could not be read.
  const bool local = !address || console.is_local();
  const pid_t pid = local ? pid_of(server_file) : 0;
  const Json request = {{"keep_runs", keep_runs}};
  Status asked = address ? Status() : fail(address.error());
  if (address) {
    ROOST_TRY(ApiClient * client, console.client());
    if (const auto answer = client->post("/server/shutdown", request); !answer) asked = fail(answer.error());
  }
  if (address && !asked && asked.error().code == ErrorCode::kUnavailable) {
    return say(console, false, fmt::format("no server answers at {}", address->url));
  }
  if (!asked && local && (!address || is_refused_caller(asked.error()))) {
    // What is missing of the folder is no better reason than that of the first refusal.
    if (stop_by_folder(console, request)) asked = {};
  }
  ROOST_CHECK(asked);
  const std::string url = address ? address->url : "this folder";
  const std::string runs = keep_runs ? "its runs go on" : "its runs were stopped";
  if (!local) return say(console, true, fmt::format("asked the server at {} to stop", url));
  if (!wait_until_gone(console, pid, server_file)) {
    return fail(
        ErrorCode::kDeadlineExceeded,
        fmt::format("the server (process {}) took the request but has not ended within a minute; "
                    "its log says what it waits for",
                    pid));
  }
  return say(console, true, fmt::format("stopped the server at {}; {}", url, runs));
}

}  // namespace

void register_down(Verb& root, Console& console) {
  auto keep_runs = std::make_shared<bool>(false);
  root.verb("down", "Stop the server and its runs")
      .group(kServerGroup)
      .details("Whoever can read the data folder can stop its server, whatever token is set or was revoked.")
      .flag("--keep-runs", *keep_runs, "leave running what runs; the next `roost up` takes it over")
      .action([&console, keep_runs] { return down(console, *keep_runs); });
}

}  // namespace roost

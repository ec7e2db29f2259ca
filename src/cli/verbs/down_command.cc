#include <signal.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "base/files.h"
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

Result<int> down(Console& console, bool keep_runs) {
  const std::string server_file = data_folder(console.data()) + "/server.json";
  const auto address = console.address();
  if (!address) {
    if (address.error().code != ErrorCode::kUnavailable) return fail(address.error());
    return say(console, false, fmt::format("no server runs on {}", data_folder(console.data())));
  }
  ROOST_TRY(ApiClient * client, console.client());
  const auto server = client->get("/server");
  if (!server && server.error().code == ErrorCode::kUnavailable) {
    return say(console, false, fmt::format("no server answers at {}", address->url));
  }
  if (!server) return fail(server.error());
  // The process can be watched only on its own machine.
  const bool local = console.is_local();
  const Json& number = child(*server, "pid");
  const pid_t pid = local && number.is_number_integer() ? number.get<pid_t>() : 0;
  ROOST_CHECK(client->post("/server/shutdown", {{"keep_runs", keep_runs}}));
  const std::string runs = keep_runs ? "its runs go on" : "its runs were stopped";
  if (!local)
    return say(console, true, fmt::format("asked the server at {} to stop", address->url));
  if (!wait_until_gone(console, pid, server_file)) {
    return fail(
        ErrorCode::kDeadlineExceeded,
        fmt::format("the server (process {}) took the request but has not ended within a minute; "
                    "its log says what it waits for",
                    pid));
  }
  return say(console, true, fmt::format("stopped the server at {}; {}", address->url, runs));
}

}  // namespace

void register_down(Verb& root, Console& console) {
  auto keep_runs = std::make_shared<bool>(false);
  root.verb("down", "Stop the server and its runs")
      .group(kServerGroup)
      .flag("--keep-runs", *keep_runs, "leave running what runs; the next `roost up` takes it over")
      .action([&console, keep_runs] { return down(console, *keep_runs); });
}

}  // namespace roost

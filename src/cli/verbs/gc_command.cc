#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/status_line.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"

namespace roost {
namespace {

constexpr std::chrono::milliseconds kLook{200};

std::string phase_text(const Json& state) {
  const std::string phase = text_field(state, "phase");
  const Json& progress = child(state, "progress");
  const int percent = progress.is_number() ? static_cast<int>(progress.get<double>() * 100) : 0;
  if (phase == "blobs") return fmt::format("Removing blobs that nothing names, {} %", percent);
  if (phase == "verify") return fmt::format("Reading every blob, {} %", percent);
  if (phase == "folders") return "Cleaning caches and folders of nodes";
  return "Finding what is needed";
}

std::string summary(const Json& state) {
  const Json& bytes = child(state, "bytes");
  std::string text =
      fmt::format("removed {} blobs, {} cached files and {} folders of nodes ({}), kept {} blobs\n",
                  text_field(state, "removed"), text_field(state, "cache_files"), text_field(state, "node_folders"),
                  human_bytes(bytes.is_number_unsigned() ? bytes.get<std::uint64_t>() : 0),
                  text_field(state, "kept"));
  if (const Json& problems = child(state, "problems"); problems.is_array()) {
    for (const auto& problem : problems) {
      if (problem.is_string()) text += printable(problem.get<std::string>(), 1000) + "\n";
    }
  }
  return text;
}

Result<int> collect(Console& console, const std::string& grace, bool verify) {
  Json body = Json::object();
  if (!grace.empty()) {
    ROOST_TRY(const std::int64_t seconds, parse_duration(grace, "--grace"));
    body["grace_seconds"] = seconds;
  }
  if (verify) body["verify"] = true;
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(Json state, client->post("/blobs/collect", body));
  {
    StatusLine line(console.err(), !console.json());
    std::string shown;
    while (text_field(state, "status") == "running") {
      if (const std::string text = phase_text(state); text != shown) line.show(shown = text);
      std::this_thread::sleep_for(kLook);
      ROOST_TRY(state, client->get("/blobs/collect"));
    }
  }
  const bool is_done = text_field(state, "status") == "done";
  if (console.json()) {
    console.print_json(state);
  } else {
    Console::print(summary(state));
  }
  return is_done ? 0 : 1;
}

}  // namespace

void register_gc(Verb& root, Console& console) {
  struct Options {
    std::string grace;
    bool verify = false;
  };
  auto options = std::make_shared<Options>();
  root.verb("gc", "Remove stored files that no snapshot or run needs")
      .group(kServerGroup)
      .option("--grace", options->grace, "TIME",
              "keep what was stored within this time, as uploads may be under way")
      .flag("--verify", options->verify, "also read every stored file and name those that are damaged")
      .action([&console, options] { return collect(console, options->grace, options->verify); });
}

}  // namespace roost

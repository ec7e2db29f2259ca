#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/settings.h"
#include "cli/verbs/server_verbs.h"
#include "cli/work/interrupt.h"
#include "confine/private_folder.h"
#include "server/server.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr const char* kServerLog = "server.log";

struct UpOptions {
  std::string config_file;
  std::string address;
  std::optional<std::int64_t> port;
  std::string python;
  bool self_signed = false;
  bool detach = false;
  bool print_routes = false;
  bool allow_insecure = false;
};

Result<ServerConfig> make_config(const Console& console, const UpOptions& options) {
  ServerConfig config;
  if (!options.config_file.empty()) {
    ROOST_TRY(const std::string text, read_file(options.config_file));
    ROOST_TRY(config, parse_config(text, options.config_file));
  } else {
    config.any_port_if_taken = !options.port;
  }
  if (!console.data().empty() || config.data.empty()) config.data = data_folder(console.data());
  if (!options.address.empty()) config.address = options.address;
  if (options.port) {
    if (*options.port < 0 || *options.port > 65535) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--port {} is not a port; use 0 (any free one) to 65535", *options.port));
    }
    config.port = static_cast<std::uint16_t>(*options.port);
  }
  if (!options.python.empty()) config.python = options.python;
  if (options.self_signed) config.tls_self_signed = true;
  if (options.allow_insecure) config.allow_insecure = true;
  return config;
}

// `roost up --detach` starts this program again with its output in the server's log.
bool writes_to(const std::string& file) {
  struct stat output {};
  struct stat other {};
  return ::fstat(1, &output) == 0 && ::stat(file.c_str(), &other) == 0 && output.st_dev == other.st_dev &&
         output.st_ino == other.st_ino;
}

// How the next commands find this server: they look in the usual folder unless they are told.
std::string where_to_look(const fs::path& data) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(data, error);
  if (folder == fs::weakly_canonical(data_folder(), error)) return "";
  const auto settings = read_settings();
  const auto found = settings ? find_setting(*settings, "data", fs::current_path(error)) : std::nullopt;
  if (found && fs::weakly_canonical(found->value, error) == folder) {
    return fmt::format("  commands in {} and below find it; elsewhere: --data {}\n", found->origin, shell_quote(folder.string()));
  }
  return fmt::format("  other commands: --data {0}, or export ROOST_DATA={0}\n", shell_quote(folder.string()));
}

Result<int> serve(const Console& console, ServerConfig config, bool by_hand) {
  const InterruptWatch interrupts;
  const bool says_more = by_hand && !writes_to(config.data / kServerLog);
  const std::string look = where_to_look(config.data);
  ROOST_TRY(const auto server, Server::start(std::move(config)));
  const Style style = console.out();
  std::string text = fmt::format("{} {}\n", style(Tone::kBold, "Roost is up at"), server->url());
  if (says_more) {
    text += style(Tone::kDim, "  it stays in the foreground; 'roost up --detach' (-d) goes on in the background\n"
                      "  submit a run:  roost submit -- python train.py\n"
                      "  stop:          Ctrl-C (runs go on), or 'roost down' (ends them too)\n" + look);
  }
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  server->wait([&] { return interrupts.token().stop_requested(); });
  log_info("stopping; runners go on by themselves");
  return 0;
}

// Starts this program again as a background process and waits until it answers.
Result<int> serve_detached(const Console& console, const ServerConfig& config,
                           const UpOptions& options) {
  const std::string data = config.data.string();
  ROOST_CHECK(make_private_folder(data));
  const std::string log = data + "/" + kServerLog;
  std::vector<std::string> words = {"/proc/self/exe", "--data", data, "up"};
  if (!options.address.empty()) words.insert(words.end(), {"--address", options.address});
  if (options.port) words.insert(words.end(), {"--port", std::to_string(*options.port)});
  if (!options.python.empty()) words.insert(words.end(), {"--python", options.python});
  if (options.self_signed) words.emplace_back("--self-signed");
  if (options.allow_insecure) words.emplace_back("--allow-insecure");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, "/proc/self/exe", &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, "start the server");
  for (;;) {
    if (auto address = read_server_file(data + "/server.json")) {
      ApiClient client(*address);
      const auto server = client.get("/server");
      if (server && server->value("pid", 0) == pid) {
        return Console::print(fmt::format("{} {}\n  log: {}\n  studio: `roost studio` prints a link that logs you in\n{}",
                                          console.out()(Tone::kBold, "Roost is up at"), address->url, log,
                                          where_to_look(config.data)));
      }
    }
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      const auto text = read_file(log).value_or("");
      const auto last = text.rfind("roost: ");
      return fail(ErrorCode::kFailedPrecondition,
                  last == std::string::npos ? "the server ended at once; see " + log
                                            : text.substr(last + 7, text.find('\n', last) - last - 7));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// The server that runs on this data folder already, if one answers.
std::optional<std::string> running_server(const fs::path& data) {
  const auto address = read_server_file((data / "server.json").string());
  if (!address) return std::nullopt;
  ApiClient client(*address);
  return client.get("/server") ? std::optional(address->url) : std::nullopt;
}

int say_it_runs(const Console& console, const std::string& url, const UpOptions& options, const fs::path& data) {
  if (console.json()) return console.print_json({{"url", url}, {"already", true}});
  std::string text = fmt::format("{} {}\n", console.out()(Tone::kBold, "Roost is up already at"), url);
  if (!options.address.empty() || options.port || !options.python.empty() || options.self_signed || options.allow_insecure) {
    text += "  with the options that it was started with; for others: 'roost down --keep-runs', then 'roost up' again\n";
  }
  return Console::print(text + where_to_look(data));
}

// Later commands in this folder find a server whose data is in it, without being told.
void remember_folder(const fs::path& data) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path folder = fs::weakly_canonical(data, error);
  const char* home = std::getenv("HOME");
  const bool is_inside = folder != here && folder.string().starts_with(here.string() + "/");
  if (error || !is_inside || here == here.root_path() || (home && here == fs::path(home))) return;
  auto settings = read_settings();
  if (!settings) return;
  settings->folders[here.string()]["data"] = folder.string();
  (void)write_settings(*settings);  // where it cannot be kept, where_to_look() says what to do instead
}

Result<int> up(const Console& console, const UpOptions& options) {
  if (options.print_routes) return Console::print(route_listing());
  ROOST_TRY(ServerConfig config, make_config(console, options));
  if (options.config_file.empty()) {
    if (!console.data().empty()) remember_folder(config.data);
    if (const auto url = running_server(config.data)) return say_it_runs(console, *url, options, config.data);
  }
  if (options.detach) return serve_detached(console, config, options);
  return serve(console, std::move(config), options.config_file.empty());
}

}  // namespace

void register_up(Verb& root, Console& console) {
  auto options = std::make_shared<UpOptions>();
  root.verb("up", "Start a server with everything embedded; needs no configuration")
      .group(kServerGroup)
      .option("--address", options->address, "ADDRESS", "listen here (127.0.0.1)")
      .option("--port", options->port, "PORT", "listen here (8422, or any free one; 0: any)")
      .option("--python", options->python, "PATH", "interpreter of runs that name none")
      .flag("--self-signed", options->self_signed, "serve TLS with a certificate made for it")
      .flag("--allow-insecure", options->allow_insecure,
            "serve other machines without TLS: tokens travel in the clear")
      .flag("-d,--detach", options->detach, "go on in the background")
      .details("Everything is kept in the data folder (--data). Ctrl-C or SIGTERM stops the server and\n"
               "leaves training running; the next start takes it over. 'roost down' ends both.")
      .example("roost up")
      .example("roost up --detach --data /srv/roost")
      .action([&console, options] { return up(console, *options); });
}

void register_server(Verb& root, Console& console) {
  auto options = std::make_shared<UpOptions>();
  root.verb("server", "Start a server from a YAML configuration, for operators")
      .group(kServerGroup)
      .option("-c,--config", options->config_file, "FILE", "the configuration; docs/operations.md")
      .flag("--print-routes", options->print_routes, "print the operations of the API and end")
      .example("roost server --config /etc/roost.yaml")
      .action([&console, options] { return up(console, *options); });
}

}  // namespace roost

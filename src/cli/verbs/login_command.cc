#include <termios.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/contexts.h"
#include "cli/show/run_text.h"
#include "cli/verbs/commands.h"

namespace roost {
namespace {

struct LoginOptions {
  std::string url;
  std::string name;
  std::string workspace;
  std::string ca_file;
};

// "https://gpu.example.org:8422/" -> "gpu.example.org-8422"
std::string name_of(const std::string& url) {
  std::string name = url.substr(url.find("://") == std::string::npos ? 0 : url.find("://") + 3);
  name = name.substr(0, name.find('/'));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_') c = '-';
  }
  return name;
}

// Off while a token is typed, so that it does not stay on the screen.
class NoEcho {
 public:
  NoEcho() : changed_(tcgetattr(0, &before_) == 0) {
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = changed_ && tcsetattr(0, TCSAFLUSH, &quiet) == 0;
  }
  ~NoEcho() {
    if (changed_) tcsetattr(0, TCSAFLUSH, &before_);
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;

 private:
  termios before_{};
  bool changed_;
};

std::string first_line_of_input() {
  std::string line;
  for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar()) line += static_cast<char>(c);
  return std::string(trim(line));
}

std::string ask_for_token(const std::string& url) {
  if (!is_terminal(0)) return first_line_of_input();
  std::fprintf(stderr, "Token for %s (whoever runs it makes one with `roost token create`): ", url.c_str());
  std::string token;
  {
    const NoEcho quiet;
    token = first_line_of_input();
  }
  std::fputs("\n", stderr);
  return token;
}

Result<int> login(Console& console, const LoginOptions& options) {
  Context context;
  context.url = options.url;
  // A link of the studio is as good as the address that it begins with.
  if (const auto path = context.url.find("/login"); path != std::string::npos) context.url.resize(path);
  while (context.url.ends_with('/')) context.url.pop_back();
  if (!context.url.starts_with("http://") && !context.url.starts_with("https://")) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is no address; write it like https://gpu.example.org:8422", printable(options.url)));
  }
  context.name = options.name.empty() ? name_of(context.url) : options.name;
  context.workspace = options.workspace;
  if (!options.ca_file.empty()) {
    std::error_code error;
    context.ca_file = std::filesystem::absolute(options.ca_file, error).string();
    ROOST_CHECK(read_file(context.ca_file));
  }
  context.token = console.token().empty() ? ask_for_token(context.url) : console.token();
  if (context.token.empty()) return fail(ErrorCode::kInvalidArgument, "no token was given; nothing is stored");
  // Stored only if it opens something.
  ApiClient client(context.address());
  ROOST_TRY(const Json server, client.get("/server"));
  ROOST_CHECK(write_context(context));
  ROOST_TRY(Settings settings, read_settings());
  settings.context = context.name;
  ROOST_CHECK(write_settings(settings));
  if (console.json()) return console.print_json({{"context", context.name}, {"url", context.url}, {"version", child(server, "version")}});
  Console::print(fmt::format("logged in to {} as context {}\n", context.url, context.name));
  std::fprintf(stderr, "%s\n", console.err()(Tone::kDim, "All commands go there from now on; `roost context use local` goes back.").c_str());
  return 0;
}

}  // namespace

void register_login(Verb& root, Console& console) {
  auto options = std::make_shared<LoginOptions>();
  root.verb("login", "Keep the token of a server, and use that server from now on")
      .group(kServerGroup)
      .details("The token is asked for, or read from standard input, and kept in a file that only you can read:\n"
               "contexts/NAME.json in ~/.config/roost. It is tried before it is kept.")
      .argument("URL", options->url, "address of the server, like https://gpu.example.org:8422")
      .option("--name", options->name, "NAME", "what to call it (default: its host and port)")
      .option("--default-workspace", options->workspace, "NAME", "workspace to work in there")
      .option("--ca-file", options->ca_file, "FILE", "certificate to trust, of a server that made its own")
      .example("roost login https://gpu.example.org:8422 --name lab")
      .example("roost login http://127.0.0.1:8422 < token.txt")
      .action([&console, options] { return login(console, *options); });
}

}  // namespace roost

#include <unistd.h>

#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"

namespace roost {
namespace {

// Hands the link to the desktop's browser and does not wait for it.
bool open_browser(const std::string& link) {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    ::setsid();
    ::execlp("xdg-open", "xdg-open", link.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  return true;
}

Result<int> studio(Console& console, bool open) {
  ROOST_TRY(const auto address, console.address());
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json made, client->post("/login-codes", Json::object()));
  // As this client reaches the server, which may be by another name than the server's own.
  const std::string link = fmt::format("{}/login#code={}", address.url, text_field(made, "code"));
  if (console.json()) return Console::print_json({{"url", link}, {"expires_at", child(made, "expires_at")}});
  Console::print(link + "\n");
  std::fprintf(stderr, "%s\n",
               console.err()(Tone::kDim, "Good once, within 15 minutes. Whoever opens it is logged in as you.").c_str());
  if (open && !open_browser(link)) {
    return fail(ErrorCode::kUnavailable, "no browser could be started; open the link yourself");
  }
  return 0;
}

}  // namespace

void register_studio(Verb& root, Console& console) {
  auto open = std::make_shared<bool>(false);
  root.verb("studio", "Print a link that opens the studio in a browser and logs in")
      .group(kServerGroup)
      .flag("--open", *open, "open it in this desktop's browser, too")
      .action([&console, open] { return studio(console, *open); });
}

}  // namespace roost

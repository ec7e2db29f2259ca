#include <unistd.h>

#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/run_reference.h"
#include "net/router.h"

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

// With a `page` the browser goes there once it is logged in.
Result<int> studio(Console& console, bool open, const std::string& page = "") {
  ROOST_TRY(const auto address, console.address());
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json made, client->post("/login-codes", Json::object()));
  // As this client reaches the server, which may be by another name than the server's own.
  const std::string link = fmt::format("{}/login{}#code={}", address.url, page.empty() ? "" : "?next=" + percent_encode(page), text_field(made, "code"));
  if (console.json()) return console.print_json({{"url", link}, {"expires_at", child(made, "expires_at")}});
  Console::print(link + "\n");
  std::fprintf(stderr, "%s\n",
               console.err()(Tone::kDim, "Good once, within 15 minutes. Whoever opens it is logged in as you.").c_str());
  if (open && !open_browser(link)) {
    return fail(ErrorCode::kUnavailable, "no browser could be started; open the link yourself");
  }
  return 0;
}

}  // namespace

namespace {

Result<int> open_page(Console& console, const std::string& reference, bool only_print) {
  std::string page;
  if (!reference.empty()) {
    ROOST_TRY(const Json run, find_run(console, reference));
    page = "/runs/" + percent_encode(text_field(run, "id"));
  }
  return studio(console, !only_print && !console.json(), page);
}

}  // namespace

void register_open(Verb& root, Console& console) {
  struct Options {
    std::string reference;
    bool only_print = false;
  };
  auto options = std::make_shared<Options>();
  root.verb("open", "Open a run in the studio, in this desktop's browser, and print the link")
      .group(kLookGroup)
      .optional_argument("RUN", options->reference, "its id, the beginning of it, or @ for the newest; without it the list of runs")
      .flag("--print", options->only_print, "only print the link")
      .example("roost open @")
      .action([&console, options] { return open_page(console, options->reference, options->only_print); });
}

void register_studio(Verb& root, Console& console) {
  auto open = std::make_shared<bool>(false);
  root.verb("studio", "Print a link that opens the studio in a browser and logs in")
      .group(kServerGroup)
      .flag("--open", *open, "open it in this desktop's browser, too")
      .action([&console, open] { return studio(console, *open); });
}

}  // namespace roost

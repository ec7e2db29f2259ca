#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "cli/show/queue_text.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/interrupt.h"
#include "cli/work/pages.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr auto kWatchEvery = std::chrono::seconds(2);

struct QueueOptions {
  std::string compute;
  std::string user;
  bool mine = false;
  bool all = false;
  bool quiet = false;
  bool watch = false;
  std::int64_t limit = 50;
};

std::string queue_path(const Console& console, const QueueOptions& options, bool running) {
  std::string path = console.in_workspace("/queue") + (running ? "?running=true" : "?running=false");
  if (!options.compute.empty()) path += "&compute=" + percent_encode(options.compute);
  if (!options.user.empty()) path += "&user=" + percent_encode(options.user);
  if (options.mine) path += "&mine=true";
  return path;
}

// Who has the nodes, whoever asks: that is what the others wait for.
Result<std::string> holders(Console& console, ApiClient& client, const QueueOptions& options) {
  QueueOptions everyone;
  everyone.compute = options.compute;
  ROOST_TRY(const Json page, all_items(client, queue_path(console, everyone, true), 1000));
  ROOST_TRY(const Json computes, all_items(client, console.in_workspace("/computes")));
  return holders_text(child(page, "items"), child(computes, "items"), now_micros(), console.out());
}

// What the verb shows on a terminal or in a pipe; in a pipe it is the table only.
Result<std::string> queue_screen(Console& console, const QueueOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  const auto limit = static_cast<std::size_t>(options.limit);
  ROOST_TRY(const Json list, all_items(*client, queue_path(console, options, options.all), limit));
  const Json& items = child(list, "items");
  const bool on_terminal = is_terminal(1);
  std::string screen;
  if (on_terminal && !options.all) {
    ROOST_TRY(screen, holders(console, *client, options));
  }
  if (items.empty()) return screen + (on_terminal ? "nothing waits\n" : "");
  if (!screen.empty()) screen += "\n";
  screen += queue_table(items, now_micros(), console.out(), terminal_width(1));
  if (on_terminal && !text_field(list, "next_cursor").empty()) {
    screen += console.out()(Tone::kDim, "there are more: --limit N") + "\n";
  }
  return screen;
}

Result<int> watch(Console& console, const QueueOptions& options) {
  if (!is_terminal(1)) return fail(ErrorCode::kInvalidArgument, "--watch needs a terminal");
  const InterruptWatch interrupt;
  const std::stop_token stop = interrupt.token();
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    ROOST_TRY(const std::string screen, queue_screen(console, options));
    Console::print("\033[H\033[J" + screen);
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, kWatchEvery, [] { return false; });
  }
  return 128 + interrupt.signal();
}

Result<int> show_queue(Console& console, const QueueOptions& options) {
  if (options.limit < 1) return fail(ErrorCode::kInvalidArgument, "--limit must be at least 1");
  if (console.json() || options.quiet) {
    ROOST_TRY(ApiClient * client, console.client());
    const auto limit = static_cast<std::size_t>(options.limit);
    ROOST_TRY(const Json list, all_items(*client, queue_path(console, options, options.all), limit));
    if (console.json()) return console.print_json(list);
    for (const Json& item : child(list, "items")) Console::print(text_field(item, "run") + "\n");
    return 0;
  }
  if (options.watch) return watch(console, options);
  ROOST_TRY(const std::string screen, queue_screen(console, options));
  if (screen.empty()) std::fputs("nothing waits\n", stderr);
  return Console::print(screen);
}

}  // namespace

void register_queue(Verb& root, Console& console) {
  auto options = std::make_shared<QueueOptions>();
  root.verb("queue", "Show what waits, why, and when it will likely start")
      .group(kLookGroup)
      .option("--compute", options->compute, "NAME", "only on this compute")
      .option("--user", options->user, "NAME", "only runs of this user")
      .flag("-m,--mine", options->mine, "only my own runs")
      .flag("-a,--all", options->all, "also list the runs that have the nodes")
      .option("-n,--limit", options->limit, "N", "at most so many (default: 50)")
      .flag("-q,--quiet", options->quiet, "print ids only")
      .flag("--watch", options->watch, "show it again every two seconds")
      .details(
          "STARTS is an estimate. \"in 4 min\" goes by how long earlier runs of the same experiment, script, "
          "compute and number of nodes took; \"within 2 h\" only by time limits; \"?\" means that nothing tells.")
      .example("roost queue --compute gpu-cluster")
      .example("roost queue --mine --watch")
      .action([&console, options] { return show_queue(console, *options); });
}

}  // namespace roost

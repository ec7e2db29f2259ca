#include "cli/work/sweep_watch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "base/retry.h"
#include "cli/show/run_text.h"
#include "cli/show/sweep_text.h"
#include "cli/show/times.h"
#include "cli/work/sweep_reference.h"

namespace roost {
namespace {

constexpr auto kEvery = std::chrono::seconds(1);
constexpr Micros kPatience = 300 * kSecond;
constexpr Backoff::Pauses kPauses{std::chrono::milliseconds(200), std::chrono::milliseconds(2000)};
constexpr std::size_t kLeastTrials = 5;  // however small the screen is

struct SweepState {
  Json sweep;
  Json trials;
};

Result<SweepState> read_once(Console& console, const Json& sweep) {
  ROOST_TRY(ApiClient * client, console.client());
  SweepState state;
  ROOST_TRY(state.sweep, client->get(sweep_path(sweep)));
  ROOST_TRY(state.trials, all_trials(*client, sweep));
  return state;
}

Result<SweepState> read_patiently(Console& console, const Json& sweep, const std::stop_token& stop) {
  const SystemClock clock;
  Retry retry({is_away, kPatience}, Backoff(kPauses, stop), clock);
  for (;;) {
    auto state = read_once(console, sweep);
    if (state || stop.stop_requested() || !retry.again(state.error())) return state;
    console.forget_client();
  }
}

bool has_ended(const Json& sweep) { return is_terminal_status(text_field(sweep, "status")); }

Json with_trials(const SweepState& state) {
  Json document = state.sweep;
  document["trials"] = state.trials;
  return document;
}

std::string page(const Console& console, const SweepState& state, const Json& shown) {
  const Micros now = now_micros();
  const Style style = console.out();
  std::string text = sweep_head(state.sweep, state.trials, now, style, terminal_width(1));
  if (!shown.empty()) text += "\n" + trial_table(state.sweep, shown, now, style, terminal_width(1));
  const std::size_t hidden = state.trials.size() - shown.size();
  if (hidden > 0) text += style(Tone::kDim, fmt::format("... and {} more", hidden)) + "\n";
  return text;
}

// As many trials as the screen has lines for; some take two.
std::string page_that_fits(const Console& console, const SweepState& state, std::size_t height) {
  std::size_t most = std::max(kLeastTrials, height);
  for (;;) {
    const std::string text = page(console, state, trials_that_fit(state.sweep, state.trials, most));
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines <= height || most <= kLeastTrials) return text;
    most = std::max(kLeastTrials, most - std::min(most - 1, (lines - height + 1) / 2));
  }
}

void draw(const Console& console, const SweepState& state) {
  const auto height = static_cast<std::size_t>(terminal_height(1));
  const std::string foot = "Ctrl-C leaves the sweep running";
  Console::print("\033[H\033[J" + page_that_fits(console, state, height > 2 ? height - 2 : 1) +
                 console.out()(Tone::kDim, foot) + "\n");
  std::fflush(stdout);
}

// Says of each trial once how it ended.
class EndedTrials {
 public:
  void tell(const Console& console, const SweepState& state) {
    for (const Json& trial : state.trials) {
      if (!has_ended(trial) || !told_.insert(text_field(trial, "run")).second) continue;
      std::fprintf(stderr, "%s\n", console.err()(Tone::kDim, trial_line(state.sweep, trial)).c_str());
    }
  }

 private:
  std::set<std::string> told_;
};

}  // namespace

Result<int> print_sweep(Console& console, const Json& sweep, std::int64_t top) {
  ROOST_TRY(SweepState state, read_once(console, sweep));
  const Json shown =
      top > 0 ? best_trials(state.sweep, state.trials, static_cast<std::size_t>(top)) : state.trials;
  if (console.json()) {
    state.trials = shown;
    return console.print_json(with_trials(state));
  }
  return Console::print(page(console, state, shown));
}

Result<int> watch_sweep(Console& console, const Json& sweep, InterruptWatch& watch) {
  const std::stop_token stop = watch.token();
  const bool live = is_terminal(1) && !console.json();
  EndedTrials ended;
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    auto state = read_patiently(console, sweep, stop);
    if (stop.stop_requested()) break;
    if (!state) return fail(state.error());
    if (has_ended(state->sweep)) {
      if (live) Console::print("\033[H\033[J");
      if (!live && !console.json()) ended.tell(console, *state);
      if (console.json()) {
        console.print_json(with_trials(*state));
      } else {
        Console::print(page(console, *state, state->trials));
      }
      return text_field(state->sweep, "status") == "Completed" ? 0 : 1;
    }
    if (live) draw(console, *state);
    if (!live && !console.json()) ended.tell(console, *state);
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, kEvery, [] { return false; });
  }
  const std::string id = text_field(sweep, "id");
  std::fprintf(stderr, "\nthe sweep goes on; see it with `roost sweep show %s`, end it with `roost sweep stop %s`\n",
               id.c_str(), id.c_str());
  return 128 + watch.signal();
}

}  // namespace roost

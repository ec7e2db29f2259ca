#include "cli/work/follow.h"

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "base/retry.h"
#include "base/text.h"
#include "cli/show/follow_view.h"
#include "cli/show/run_summary.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/work/run_reference.h"
#include "net/router.h"

namespace roost {
namespace {

using std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::minutes(5);
constexpr std::size_t kLongestReason = 4000;

class Follower {
 public:
  Follower(Console& console, std::string id, InterruptWatch& watch, FollowView::Shows shows)
      : console_(console),
        id_(std::move(id)),
        watch_(watch),
        view_(console.err(), console.json(), shows, console.out()) {}

  void start_at(const std::string& log, std::uint64_t offset) {
    log_ = log;
    offset_ = offset;
  }

  void show_ranks(const RankChoice& ranks, bool live) {
    ranks_ = ranks;
    live_ = live;
    view_.mark_ranks(ranks.count);
  }

  // True when the run ended, false when a signal made us leave it.
  Result<bool> follow() {
    Backoff backoff({std::chrono::milliseconds(100), std::chrono::milliseconds(1000)}, watch_.token());
    while (!ended_ && !stopped()) {
      if (lost_) {
        backoff.pause();
        console_.forget_client();
      } else {
        backoff.reset();
      }
      const Status streamed = stream();
      if (ended_ || stopped()) break;
      if (!streamed && !is_away(streamed.error())) return fail(streamed.error());
      ROOST_CHECK(note_loss());
    }
    return ended_;
  }

  void skip_build() { with_build_ = false; }
  const Json& run() const { return run_; }
  // The run as its summary shows it: a reason that the log of the build has just ended with is not told again.
  Json run_to_sum_up() const {
    Json run = run_;
    const std::string why = text_field(child(run, "error"), "message");
    if (!why.empty() && trim(build_tail_).ends_with(why)) run["error"]["message"] = "";
    return run;
  }
  void say(const std::string& text) { view_.say(text); }

 private:
  bool stopped() const { return watch_.token().stop_requested(); }

  Status stream() {
    ROOST_TRY(ApiClient * client, console_.client());
    const std::stop_callback interrupt(watch_.token(), [client] { client->interrupt(); });
    if (lost_ && attempt_ > 0) {
      // A further attempt has begun meanwhile: its log is another one.
      ROOST_TRY(const Json run, client->get("/runs/" + percent_encode(id_)));
      if (child(run, "attempt") != attempt_) forget_offsets();
    }
    std::string path = fmt::format("/runs/{}/follow?", percent_encode(id_));
    path += ranks_ ? ranks_->query() : fmt::format("offset={}", offset_);
    if (!live_) path += "&live=false";
    if (log_.empty() && with_build_) path += fmt::format("&build_offset={}", build_offset_);
    if (!log_.empty()) path += "&log=" + percent_encode(log_);
    return client->stream_lines(path, [this](std::string_view line) { return take(line); });
  }

  bool take(std::string_view line) {
    if (lost_) {
      lost_ = false;
      view_.found_server();
    }
    const auto event = parse_json(line, "the server's event");
    if (!event) return !stopped();
    if (const Json& attempt = child(*event, "attempt"); attempt.is_number_integer()) {
      attempt_ = attempt.get<std::int64_t>();
    }
    note_offset(*event);
    view_.event(line, *event);
    if (text_field(*event, "type") == "end") {
      run_ = child(*event, "run");
      ended_ = true;
    }
    return !ended_ && !stopped();
  }

  void note_offset(const Json& event) {
    const Json& offset = child(event, "offset");
    if (!offset.is_number_unsigned()) return;
    const Json& rank = child(event, "rank");
    if (text_field(event, "name") == kBuildLogName) {
      build_offset_ = offset.get<std::uint64_t>();
      build_tail_ += text_field(event, "text");
      if (build_tail_.size() > kLongestReason) build_tail_.erase(0, build_tail_.size() - kLongestReason);
    } else if (ranks_ && rank.is_number_integer()) {
      // Ranks that have said nothing yet in a further attempt begin at its start.
      if (attempt_ != ranks_attempt_) forget_offsets();
      ranks_attempt_ = attempt_;
      ranks_->offsets[rank.get<int>()] = offset.get<std::uint64_t>();
    } else {
      offset_ = offset.get<std::uint64_t>();
    }
  }

  void forget_offsets() {
    offset_ = 0;
    if (ranks_) ranks_->offsets.clear();
  }

  Status note_loss() {
    const auto now = steady_clock::now();
    if (!lost_) {
      lost_ = true;
      lost_since_ = now;
      view_.lost_server();
    }
    if (now - lost_since_ < kPatience) return {};
    return fail(
        ErrorCode::kUnavailable,
        fmt::format("the server did not come back within 5 minutes; the run {} may still go on. "
                    "When the server is up, `roost logs -f {}` follows it again",
                    id_, id_));
  }

  Console& console_;
  const std::string id_;
  InterruptWatch& watch_;
  FollowView view_;
  std::string log_;
  std::uint64_t offset_ = 0;
  std::uint64_t build_offset_ = 0;  // of the log of its environment's build, which comes first
  std::string build_tail_;          // what was shown of it last
  std::int64_t attempt_ = 0;
  std::optional<RankChoice> ranks_;
  std::int64_t ranks_attempt_ = 0;
  bool live_ = true;
  bool with_build_ = true;
  bool ended_ = false;
  bool lost_ = false;
  steady_clock::time_point lost_since_;
  Json run_;
};

// How it ended, on standard error; asks the server for the counts.
void print_summary(Console& console, const Json& run) {
  Json metrics;
  Json artifacts;
  if (const auto client = console.client()) {
    // What cannot be counted is simply not mentioned: the run's end matters more.
    if (const auto page = (*client)->get(run_path(run, "/metrics?limit=1000"))) {
      metrics = child(*page, "items");
    }
    if (const auto page = (*client)->get(run_path(run, "/artifacts?limit=1000"))) {
      artifacts = child(*page, "items");
    }
  }
  std::fflush(stdout);
  std::fputs(summary_text(run, metrics, artifacts, now_micros(), console.err()).c_str(), stderr);
}

}  // namespace

Result<int> follow_run(Console& console, const std::string& id, InterruptWatch& watch,
                       const std::optional<RankChoice>& ranks) {
  Follower follower(console, id, watch, FollowView::Shows::kEverything);
  if (ranks) follower.show_ranks(*ranks, true);
  ROOST_TRY(const bool ended, follower.follow());
  if (!ended) {
    follower.say(
        fmt::format("The run goes on. Follow it again with `roost logs -f {}`, stop it with "
                    "`roost cancel {}`.",
                    id, id));
    return 128 + watch.signal();
  }
  if (!console.json()) print_summary(console, follower.run_to_sum_up());
  return run_exit_code(follower.run());
}

Result<Json> follow_beside(Console& console, const std::string& id, InterruptWatch& watch) {
  Follower follower(console, id, watch, FollowView::Shows::kBeside);
  ROOST_TRY(const bool ended, follower.follow());
  if (ended) return follower.run();
  follower.say(fmt::format("The run goes on. Follow it again with `roost logs -f {}`, stop it with `roost cancel {}`.", id,
                           id));
  return Json();
}

Result<Json> wait_for_end(Console& console, const std::string& id, InterruptWatch& watch) {
  Follower follower(console, id, watch, FollowView::Shows::kNothing);
  ROOST_TRY(const bool ended, follower.follow());
  return ended ? follower.run() : Json();
}

Result<int> follow_log(Console& console, const std::string& id, const std::string& log,
                       std::uint64_t offset, InterruptWatch& watch) {
  Follower follower(console, id, watch, FollowView::Shows::kLogOnly);
  follower.start_at(log, offset);
  ROOST_TRY(const bool ended, follower.follow());
  return ended ? 0 : 128 + watch.signal();
}

Result<int> follow_ranks(Console& console, const std::string& id, const RankChoice& ranks, bool live,
                         InterruptWatch& watch) {
  Follower follower(console, id, watch, FollowView::Shows::kLogOnly);
  follower.show_ranks(ranks, live);
  follower.skip_build();
  ROOST_TRY(const bool ended, follower.follow());
  return ended ? 0 : 128 + watch.signal();
}

}  // namespace roost

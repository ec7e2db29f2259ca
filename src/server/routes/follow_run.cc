#include "server/routes/follow_run.h"

#include <fmt/format.h>

#include "base/text.h"
#include "observe/log_store.h"
#include "records/run_records.h"
#include "server/run_details.h"

namespace roost {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr Micros kPingEvery = 10 * kSecond;

class FollowRun final : public ResponseStream {
 public:
  FollowRun(App& app, std::string run, Principal who, std::unique_ptr<LogFeed> logs, FollowWhat what)
      : app_(app), run_(std::move(run)), who_(std::move(who)), logs_(std::move(logs)), build_offset_(what.build_offset),
        live_(what.live) {}

  void set_wake(std::function<void()> wake) override {
    subscription_ = app_.changes.hub().subscribe("run/" + run_, std::move(wake));
  }

  Step next(std::string& piece) override {
    if (ended_) return Step::kEnd;
    Run run;
    std::vector<RunEvent> events;
    const Status looked = app_.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(run, find_run(tx, run_));
      ROOST_TRY(events, run_events_after(tx, run.seq, last_event_));
      return {};
    });
    if (!looked) return Step::kEnd;
    if (attempt_ != run.attempt) {
      if (attempt_ != 0) logs_->start_again();
      attempt_ = run.attempt;
    }
    const bool over = is_terminal(run.status);
    if (build_offset_ && add_build_log(piece, run)) return Step::kData;
    const auto pieces = logs_->next(attempt_, over);
    if (!pieces) return Step::kEnd;
    for (const auto& event : events) {
      // The end is told after the last line.
      if (is_terminal(status_from_name(event.to).value_or(RunStatus::kRunning))) break;
      add_event(piece, event);
    }
    for (const auto& log : *pieces) add_log(piece, log);
    if (pieces->empty() && (over || !live_)) {
      for (const auto& event : events) {
        if (event.seq > last_event_) add_event(piece, event);
      }
      add(piece, {{"type", "end"}, {"run", run_json(run, variables_for(who_, run))}});
      ended_ = true;
    }
    return piece.empty() ? wait_or_ping(piece) : Step::kData;
  }

 private:
  Step wait_or_ping(std::string& piece) {
    const Micros now = app_.clock.now();
    if (now - last_sent_ < kPingEvery) return Step::kWait;
    add(piece, {{"type", "ping"}});
    return Step::kData;
  }

  // What the build of the environment printed, before anything of the run itself.
  bool add_build_log(std::string& piece, const Run& run) {
    const std::string name(kBuildLog);
    auto bytes = app_.logs->read(run_, 0, name, *build_offset_, kPiece);
    if (!bytes || bytes->empty()) {
      if (run.status != RunStatus::kPreparing) build_offset_.reset();
      return false;
    }
    std::size_t cut = 0;
    const std::string text = to_utf8(*bytes, &cut);
    *build_offset_ += bytes->size() - cut;
    if (text.empty()) return false;
    add(piece, {{"type", "log"}, {"name", name}, {"attempt", 0}, {"offset", *build_offset_}, {"text", text}});
    return true;
  }

  void add_event(std::string& piece, const RunEvent& event) {
    last_event_ = event.seq;
    add(piece, {{"type", "status"}, {"status", event.to}, {"at", format_time(event.at)},
                {"attempt", event.attempt}, {"reason", event.reason}});
  }

  void add_log(std::string& piece, const LogPiece& log) {
    Json line = {{"type", "log"}, {"name", log.name}, {"attempt", attempt_}, {"offset", log.offset},
                 {"text", log.text}};
    if (log.rank) line["rank"] = *log.rank;
    add(piece, line);
  }

  void add(std::string& piece, const Json& line) {
    piece += to_text(line);
    piece += '\n';
    last_sent_ = app_.clock.now();
  }

  App& app_;
  const std::string run_;
  const Principal who_;
  const std::unique_ptr<LogFeed> logs_;
  std::optional<std::uint64_t> build_offset_;  // none: not asked for, or all of it was sent
  const bool live_;
  std::int64_t attempt_ = 0;
  std::int64_t last_event_ = 0;
  Micros last_sent_ = 0;
  bool ended_ = false;
  ChangeHub::Subscription subscription_;
};

class FollowLog final : public ResponseStream {
 public:
  FollowLog(App& app, std::string run, std::int64_t attempt, std::string log, std::uint64_t offset)
      : app_(app), run_(std::move(run)), attempt_(attempt), log_(std::move(log)), offset_(offset) {}

  void set_wake(std::function<void()> wake) override {
    subscription_ = app_.changes.hub().subscribe("run/" + run_, std::move(wake));
  }

  Step next(std::string& piece) override {
    // First the state, then the bytes: what a run wrote before its end is then never missed.
    bool over = true;
    (void)app_.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(const Run run, find_run(tx, run_));
      over = is_terminal(run.status) || run.attempt != attempt_;
      return {};
    });
    auto bytes = app_.logs->read(run_, attempt_, log_, offset_, kPiece);
    if (!bytes) return Step::kEnd;
    if (bytes->empty()) return over ? Step::kEnd : Step::kWait;
    offset_ += bytes->size();
    piece = std::move(*bytes);
    return Step::kData;
  }

 private:
  App& app_;
  const std::string run_;
  const std::int64_t attempt_;
  const std::string log_;
  std::uint64_t offset_;
  ChangeHub::Subscription subscription_;
};

}  // namespace

std::unique_ptr<ResponseStream> follow_run(App& app, std::string run, Principal who,
                                           std::unique_ptr<LogFeed> logs, FollowWhat what) {
  return std::make_unique<FollowRun>(app, std::move(run), std::move(who), std::move(logs), what);
}

std::unique_ptr<ResponseStream> follow_log(App& app, std::string run, std::int64_t attempt,
                                           std::string log, std::uint64_t offset) {
  return std::make_unique<FollowLog>(app, std::move(run), attempt, std::move(log), offset);
}

}  // namespace roost

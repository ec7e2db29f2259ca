#include "server/live_topics.h"

#include <charconv>
#include <map>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/names.h"
#include "domain/rank_plan.h"
#include "observe/metric_store.h"
#include "records/alert_records.h"
#include "records/attempt_records.h"
#include "records/compute_records.h"
#include "records/live_records.h"
#include "records/run_records.h"
#include "records/run_table.h"
#include "records/workspace_records.h"
#include "server/run_details.h"

namespace roost {
namespace {

constexpr std::size_t kLogPiece = 256 * 1024;

// The rows of a workspace's table that changed.
class RunsTopic final : public LiveTopic {
 public:
  RunsTopic(App& app, std::string name, std::string workspace)
      : LiveTopic(std::move(name)), workspace_(std::move(workspace)), cursor_(app.changes.runs().now()) {}

  std::vector<std::string> keys() const override { return {"runs"}; }

  Status look(App& app, std::string& out) override {
    const auto runs = app.changes.runs().since(cursor_);
    if (!told_ || !runs) {
      told_ = true;
      add_event(out, "reset", Json::object());
      return {};
    }
    if (runs->empty()) return {};
    Json rows;
    ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(rows, run_rows(tx, workspace_, *runs));
      return {};
    }));
    if (!rows.empty()) add_event(out, "runs", {{"rows", std::move(rows)}});
    return {};
  }

 private:
  const std::string workspace_;
  std::uint64_t cursor_;
  bool told_ = false;
};

class RunTopic : public LiveTopic {
 public:
  RunTopic(std::string name, std::string run) : LiveTopic(std::move(name)), run_(std::move(run)) {}
  std::vector<std::string> keys() const override { return {"run/" + run_}; }

 protected:
  const std::string run_;
};

class WholeRunTopic final : public RunTopic {
 public:
  WholeRunTopic(std::string name, std::string run, Principal who)
      : RunTopic(std::move(name), std::move(run)), who_(std::move(who)) {}
  Status look(App& app, std::string& out) override {
    Json run;
    ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(const Run found, find_run(tx, run_));
      ROOST_TRY(run, whole_run_json(tx, found, who_, app.clock.now()));
      return {};
    }));
    // How long it has been in its state grows all the time; that alone is no news.
    Json lasting = run;
    lasting.erase("durations");
    std::string text = to_text(lasting);
    if (text == last_) return {};
    last_ = std::move(text);
    add_event(out, "run", {{"run", std::move(run)}});
    return {};
  }

 private:
  const Principal who_;
  std::string last_;
};

class MetricsTopic final : public RunTopic {
 public:
  using RunTopic::RunTopic;
  Status look(App& app, std::string& out) override {
    Json changed = Json::array();
    ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(const Run run, find_run(tx, run_));
      if (run.attempt != attempt_) {
        attempt_ = run.attempt;
        counts_.clear();
      }
      ROOST_TRY(const auto all, list_metrics(tx, run, run.attempt));
      for (const auto& metric : all) {
        auto& count = counts_[metric.name];
        if (count == metric.count) continue;
        count = metric.count;
        changed.push_back(summary_json(metric));
      }
      return {};
    }));
    if (!changed.empty()) add_event(out, "metrics", {{"items", std::move(changed)}});
    return {};
  }

 private:
  std::int64_t attempt_ = 0;
  std::map<std::string, std::int64_t> counts_;
};

class RanksTopic final : public RunTopic {
 public:
  using RunTopic::RunTopic;
  Status look(App& app, std::string& out) override {
    std::string state;
    ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(state, ranks_state(tx, run_));
      return {};
    }));
    if (told_ && state == last_) return {};
    told_ = true;
    last_ = std::move(state);
    add_event(out, "ranks", Json::object());
    return {};
  }

 private:
  bool told_ = false;
  std::string last_;
};

// Computes, their nodes and what waits for them.
class ComputesTopic final : public LiveTopic {
 public:
  ComputesTopic(std::string name, std::string workspace) : LiveTopic(std::move(name)), workspace_(std::move(workspace)) {}
  std::vector<std::string> keys() const override { return {"runs"}; }

  Status look(App& app, std::string& out) override {
    std::string state;
    ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(state, computes_state(tx, workspace_));
      return {};
    }));
    if (told_ && state == last_) return {};
    told_ = true;
    last_ = std::move(state);
    add_event(out, "computes", Json::object());
    return {};
  }

 private:
  const std::string workspace_;
  bool told_ = false;
  std::string last_;
};

// What open pages are asked to show, from when the page was opened.
class AlertsTopic final : public LiveTopic {
 public:
  AlertsTopic(std::string name, std::string workspace) : LiveTopic(std::move(name)), workspace_(std::move(workspace)) {}
  std::vector<std::string> keys() const override { return {"alerts"}; }

  Status look(App& app, std::string& out) override {
    std::vector<Alert> alerts;
    ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
      if (!after_) {
        ROOST_TRY(after_, newest_alert(tx));
        return {};
      }
      ROOST_TRY(alerts, desktop_alerts(tx, workspace_, *after_));
      return {};
    }));
    for (const auto& alert : alerts) {
      after_ = alert.id;
      add_event(out, "alert", {{"alert", alert_json(alert)}});
    }
    return {};
  }

 private:
  const std::string workspace_;
  std::optional<std::int64_t> after_;
};

class LogTopic final : public RunTopic {
 public:
  LogTopic(std::string name, std::string run, std::int64_t attempt, std::uint64_t offset, std::string log)
      : RunTopic(std::move(name), std::move(run)), attempt_(attempt), offset_(offset), log_(std::move(log)) {}

  Status look(App& app, std::string& out) override {
    ROOST_TRY(const std::string bytes, app.logs->read(run_, attempt_, log_, offset_, kLogPiece));
    more_ = bytes.size() == kLogPiece;
    if (bytes.empty()) return {};
    std::size_t cut = 0;
    const std::string text = to_utf8(bytes, &cut);
    const std::uint64_t next = offset_ + bytes.size() - cut;
    if (next == offset_) return {};
    add_event(out, "log", {{"offset", offset_}, {"next", next}, {"text", text}});
    offset_ = next;
    return {};
  }
  bool has_more() const override { return more_; }

 private:
  const std::int64_t attempt_;
  std::uint64_t offset_;
  const std::string log_;
  bool more_ = false;
};

// Something that is not there (any more): said once, so that the others on the connection go on.
class GoneTopic final : public LiveTopic {
 public:
  GoneTopic(std::string name, std::string message) : LiveTopic(std::move(name)), message_(std::move(message)) {}
  std::vector<std::string> keys() const override { return {}; }
  Status look(App&, std::string& out) override {
    if (!told_) add_event(out, "gone", {{"message", message_}});
    told_ = true;
    return {};
  }

 private:
  const std::string message_;
  bool told_ = false;
};

Result<std::unique_ptr<LiveTopic>> log_topic(App& app, const std::string& name, const std::string& rest) {
  // RUN/ATTEMPT/OFFSET/NAME, and a name has slashes of its own.
  const auto parts = split(rest, '/');
  const auto whole = [](const std::string& text, auto& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  };
  std::int64_t attempt = 0;
  std::uint64_t offset = 0;
  if (parts.size() < 4 || !whole(parts[1], attempt) || attempt < 0 || !whole(parts[2], offset)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the topic \"{}\" is not log/RUN/ATTEMPT/OFFSET/NAME", printable(name)));
  }
  const std::string log = rest.substr(parts[0].size() + parts[1].size() + parts[2].size() + 3);
  ROOST_CHECK(check_artifact_path(log));
  Run run;
  const Status found = app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(run, find_run(tx, parts[0]));
    return {};
  });
  if (!found) return std::make_unique<GoneTopic>(name, found.error().message);
  return std::make_unique<LogTopic>(name, run.id, attempt, offset, log_of_run(gang_of_spec(run.spec), log));
}

}  // namespace

void LiveTopic::add_event(std::string& out, std::string_view type, Json data) const {
  data["topic"] = name_;
  out += fmt::format("event: {}\ndata: {}\n\n", type, to_text(data));
}

Result<std::unique_ptr<LiveTopic>> live_topic(App& app, const Principal& who, const std::string& name) {
  const std::size_t slash = name.find('/');
  const std::string kind = name.substr(0, slash);
  const std::string rest = slash == std::string::npos ? "" : name.substr(slash + 1);
  const bool of_workspace = kind == "runs" || kind == "computes" || kind == "alerts";
  const bool of_run = kind == "run" || kind == "metrics" || kind == "ranks";
  if (rest.empty() || (!of_workspace && !of_run && kind != "log")) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not a topic; they are runs/WORKSPACE, run/RUN, metrics/RUN, ranks/RUN, "
                            "computes/WORKSPACE, alerts/WORKSPACE and log/RUN/ATTEMPT/OFFSET/NAME",
                            printable(name)));
  }
  if (kind == "log") return log_topic(app, name, rest);
  const Status there = app.db->read([&](Tx& tx) -> Status {
    if (of_workspace) {
      ROOST_CHECK(find_workspace(tx, rest));
    } else {
      ROOST_CHECK(find_run(tx, rest));
    }
    return {};
  });
  if (!there) return std::make_unique<GoneTopic>(name, there.error().message);
  if (kind == "runs") return std::make_unique<RunsTopic>(app, name, rest);
  if (kind == "computes") return std::make_unique<ComputesTopic>(name, rest);
  if (kind == "alerts") return std::make_unique<AlertsTopic>(name, rest);
  if (kind == "run") return std::make_unique<WholeRunTopic>(name, rest, who);
  if (kind == "metrics") return std::make_unique<MetricsTopic>(name, rest);
  return std::make_unique<RanksTopic>(name, rest);
}

}  // namespace roost

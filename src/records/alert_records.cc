#include "records/alert_records.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "records/run_records.h"

namespace roost {
namespace {

#define ROOST_ALERT_COLUMNS \
  "id, delivery, workspace, experiment, run, event, message, channel, at, state, tries, next_at, sent, error"

constexpr std::size_t kMostMessage = 2000;

AlertState state_from(std::string_view name) {
  if (name == "sent") return AlertState::kSent;
  return name == "failed" ? AlertState::kFailed : AlertState::kWaiting;
}

Result<std::vector<Alert>> read_alerts(Rows rows) {
  std::vector<Alert> all;
  while (rows.next()) {
    all.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5), rows.text(6),
                   rows.text(7), rows.integer(8), state_from(rows.bytes(9)), rows.integer(10), rows.integer(11),
                   rows.maybe_integer(12), rows.text(13)});
  }
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::vector<AlertRule>> read_rules(Rows rows) {
  std::vector<AlertRule> all;
  while (rows.next()) {
    all.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.maybe_integer(3), rows.text(4),
                   static_cast<AlertEvents>(rows.integer(5)), rows.integer(6), rows.text(7)});
  }
  ROOST_CHECK(rows.status());
  return all;
}

Channel read_channel(const Rows& rows) {
  Channel channel;
  channel.name = rows.text(0);
  channel.spec.kind = rows.text(1);
  channel.spec.settings = stored_json(rows.bytes(2));
  channel.created = rows.integer(3);
  channel.created_by = rows.text(4);
  return channel;
}

// What channels are told is for people: a few lines.
std::string shortened(const std::string& message) {
  std::string text = to_utf8(message);
  if (text.size() > kMostMessage) {
    text.resize(kMostMessage);
    text = to_utf8(text) + " ...";
  }
  return text;
}

Status insert_alert(Tx& tx, const Alert& alert, const std::string& once) {
  ROOST_CHECK(tx.run("INSERT OR IGNORE INTO alert (once, delivery, workspace, experiment, run, event, message, channel, at,"
                     " state, tries, next_at, sent, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     once, alert.delivery, alert.workspace, alert.experiment, alert.run, alert.event, alert.message,
                     alert.channel, alert.at, alert_state_name(alert.state), alert.tries, alert.next_at, alert.sent,
                     alert.error));
  return {};
}

}  // namespace

Status save_channel(Tx& tx, const Channel& channel) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO channel VALUES (?, ?, ?, ?, ?, ?)", channel.name, channel.spec.kind,
                     to_text(channel.spec.settings), to_text(channel.spec.secret), channel.created, channel.created_by));
  return {};
}

Result<Channel> find_channel(Tx& tx, std::string_view name) {
  Rows rows = tx.query("SELECT name, kind, settings_json, created, created_by, secret_json FROM channel WHERE name = ?", name);
  if (rows.next()) {
    Channel channel = read_channel(rows);
    channel.spec.secret = stored_json(rows.bytes(5));
    return channel;
  }
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, fmt::format("there is no channel \"{}\"; `roost alerts ls` lists those there are, and"
                                                " `roost alerts add` makes one",
                                                printable(name)));
}

Result<std::vector<Channel>> list_channels(Tx& tx) {
  std::vector<Channel> all;
  Rows rows = tx.query("SELECT name, kind, settings_json, created, created_by FROM channel ORDER BY name");
  while (rows.next()) all.push_back(read_channel(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Status delete_channel(Tx& tx, std::string_view name) {
  ROOST_CHECK(tx.run("DELETE FROM alert_rule WHERE channel = ?", name));
  ROOST_CHECK(tx.run("DELETE FROM channel WHERE name = ?", name));
  return {};
}

Json channel_json(const Channel& channel) {
  return {{"name", channel.name},
          {"kind", channel.spec.kind},
          {"settings", channel.spec.settings},
          {"created_at", format_time(channel.created)},
          {"created_by", channel.created_by}};
}

Status insert_alert_rule(Tx& tx, AlertRule& rule) {
  ROOST_CHECK(find_channel(tx, rule.channel));
  ROOST_CHECK(tx.run("INSERT INTO alert_rule (workspace, experiment, run, channel, events, created, created_by)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?)",
                     rule.workspace, rule.experiment, rule.run, rule.channel, static_cast<std::int64_t>(rule.events),
                     rule.created, rule.created_by));
  rule.id = tx.last_insert_id();
  return {};
}

Result<std::vector<AlertRule>> list_alert_rules(Tx& tx, std::string_view workspace) {
  return read_rules(tx.query("SELECT id, workspace, experiment, run, channel, events, created, created_by FROM alert_rule"
                             " WHERE workspace = ? AND run IS NULL ORDER BY id",
                             workspace));
}

Status delete_alert_rule(Tx& tx, std::string_view workspace, std::int64_t id) {
  ROOST_TRY(const std::int64_t gone, tx.run("DELETE FROM alert_rule WHERE workspace = ? AND id = ? AND run IS NULL", workspace, id));
  if (gone == 1) return {};
  return fail(ErrorCode::kNotFound, fmt::format("there is no rule {} in workspace {}; `roost alerts ls` lists them", id,
                                                printable(workspace)));
}

Json alert_rule_json(const AlertRule& rule) {
  return {{"id", rule.id},
          {"workspace", rule.workspace},
          {"experiment", rule.experiment.empty() ? Json() : Json(rule.experiment)},
          {"channel", rule.channel},
          {"events", alert_event_names(rule.events)},
          {"created_at", format_time(rule.created)},
          {"created_by", rule.created_by}};
}

std::string_view alert_state_name(AlertState state) {
  switch (state) {
    case AlertState::kWaiting: return "waiting";
    case AlertState::kSent: return "sent";
    case AlertState::kFailed: return "failed";
  }
  return "";
}

Json alert_json(const Alert& alert) {
  const auto maybe = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return {{"id", alert.delivery},
          {"workspace", maybe(alert.workspace)},
          {"experiment", maybe(alert.experiment)},
          {"run", maybe(alert.run)},
          {"event", alert.event},
          {"message", alert.message},
          {"channel", alert.channel},
          {"at", format_time(alert.at)},
          {"state", alert_state_name(alert.state)},
          {"tries", alert.tries},
          {"next_try_at", alert.state == AlertState::kWaiting && alert.tries > 0 ? Json(format_time(alert.next_at)) : Json()},
          {"sent_at", alert.sent ? Json(format_time(*alert.sent)) : Json()},
          {"error", maybe(alert.error)}};
}

Status raise_alert(Tx& tx, const Run& run, const std::vector<AlertEvent>& events, const std::string& message, Micros at) {
  AlertEvents wanted = 0;
  for (const AlertEvent event : events) wanted |= alert_bit(event);
  std::map<std::string, AlertEvents> told;
  {
    const bool of_workspace = !run.parent && run.type != kReplicaType;
    Rows rows = tx.query("SELECT channel, events FROM alert_rule INDEXED BY alert_rule_by_run WHERE run = ?1 AND events & ?4"
                         " UNION ALL SELECT channel, events FROM alert_rule INDEXED BY alert_rule_by_workspace"
                         " WHERE ?5 AND run IS NULL AND workspace = ?2 AND experiment IN ('', ?3) AND events & ?4",
                         run.seq, run.workspace, run.experiment, static_cast<std::int64_t>(wanted), of_workspace);
    while (rows.next()) told[rows.text(0)] |= static_cast<AlertEvents>(rows.integer(1)) & wanted;
    ROOST_CHECK(rows.status());
  }
  for (const auto& [channel, fits] : told) {
    const auto last = std::find_if(events.rbegin(), events.rend(), [&](AlertEvent e) { return (fits & alert_bit(e)) != 0; });
    const std::string event(alert_event_name(*last));
    // How a run ends is one thing, by whatever name it is told.
    const std::string thing = event == "failure" ? "end" : event;
    Alert alert{0, random_hex(12), run.workspace, run.experiment, run.id, event, shortened(message), channel, at};
    ROOST_CHECK(insert_alert(tx, alert, fmt::format("{}/{}/{}/{}", run.seq, run.attempt, thing, channel)));
  }
  return {};
}

Status raise_end(Tx& tx, const Run& run, const std::string& reason, Micros at) {
  std::vector<AlertEvent> events = {AlertEvent::kEnd};
  std::string message = fmt::format("{} is {}", run.display_name.empty() ? run.id : run.display_name, status_name(run.status));
  if (run.status == RunStatus::kFailed) {
    events.push_back(AlertEvent::kFailure);
    const std::string why = run.error.is_object() ? text_at(run.error, "message") : reason;
    if (!why.empty()) message += ": " + why;
  } else if (run.status == RunStatus::kCanceled && !reason.empty()) {
    message += ": " + reason;
  }
  return raise_alert(tx, run, events, message, at);
}

Status raise_for_all(Tx& tx, AlertEvent event, const std::string& message, Micros at) {
  std::vector<std::string> channels;
  {
    Rows rows = tx.query("SELECT DISTINCT channel FROM alert_rule WHERE run IS NULL AND events & ?",
                         static_cast<std::int64_t>(alert_bit(event)));
    while (rows.next()) channels.push_back(rows.text(0));
    ROOST_CHECK(rows.status());
  }
  for (const auto& channel : channels) {
    const std::string name(alert_event_name(event));
    Alert alert{0, random_hex(12), "", "", "", name, shortened(message), channel, at};
    ROOST_CHECK(insert_alert(tx, alert, fmt::format("{}/{}/{}", name, channel, at)));
  }
  return {};
}

Status insert_test(Tx& tx, Alert& alert) {
  ROOST_CHECK(insert_alert(tx, alert, "test/" + alert.delivery));
  alert.id = tx.last_insert_id();
  return {};
}

Result<std::vector<Alert>> due_alerts(Tx& tx, Micros now, std::int64_t limit) {
  return read_alerts(tx.query("SELECT " ROOST_ALERT_COLUMNS " FROM alert INDEXED BY alert_waiting WHERE state = 'waiting'"
                              " AND next_at <= ? ORDER BY next_at, id LIMIT ?",
                              now, limit));
}

Result<std::optional<Micros>> next_alert_due(Tx& tx) {
  Rows rows = tx.query("SELECT min(next_at) FROM alert INDEXED BY alert_waiting WHERE state = 'waiting'");
  std::optional<Micros> due;
  if (rows.next()) due = rows.maybe_integer(0);
  ROOST_CHECK(rows.status());
  return due;
}

Status save_alert(Tx& tx, const Alert& alert) {
  ROOST_CHECK(tx.run("UPDATE alert SET state = ?, tries = ?, next_at = ?, sent = ?, error = ? WHERE id = ?",
                     alert_state_name(alert.state), alert.tries, alert.next_at, alert.sent, alert.error, alert.id));
  return {};
}

Result<std::vector<Alert>> list_alerts(Tx& tx, std::string_view workspace, std::int64_t before, std::int64_t limit) {
  return read_alerts(tx.query("SELECT " ROOST_ALERT_COLUMNS " FROM alert WHERE workspace IN (?, '') AND id < ?"
                              " ORDER BY id DESC LIMIT ?",
                              workspace, before, limit));
}

Result<std::vector<Alert>> desktop_alerts(Tx& tx, std::string_view workspace, std::int64_t after) {
  return read_alerts(tx.query("SELECT " ROOST_ALERT_COLUMNS " FROM alert WHERE id > ? AND workspace IN (?, '') AND channel IN"
                              " (SELECT name FROM channel WHERE kind = 'desktop') ORDER BY id LIMIT 100",
                              after, workspace));
}

Result<std::int64_t> newest_alert(Tx& tx) {
  Rows rows = tx.query("SELECT coalesce(max(id), 0) FROM alert");
  const std::int64_t newest = rows.next() ? rows.integer(0) : 0;
  ROOST_CHECK(rows.status());
  return newest;
}

Result<std::int64_t> forget_alerts(Tx& tx, Micros before, std::int64_t keep, std::int64_t limit) {
  return tx.run("DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE state <> 'waiting' AND id < (SELECT max(id) FROM"
                " alert) AND (at < ? OR id <= (SELECT max(id) FROM alert) - ?) ORDER BY id LIMIT ?)",
                before, keep, limit);
}

Result<std::vector<Run>> runs_watched_for(Tx& tx, AlertEvent event) {
  std::vector<Run> watched;
  {
    Rows rows = tx.query("SELECT 1 FROM alert_rule WHERE events & ? LIMIT 1", static_cast<std::int64_t>(alert_bit(event)));
    const bool any = rows.next();
    ROOST_CHECK(rows.status());
    if (!any) return watched;
  }
  ROOST_TRY(watched, active_runs(tx));
  std::erase_if(watched, [](const Run& run) { return run.status != RunStatus::kRunning || has_no_node(run); });
  return watched;
}

}  // namespace roost

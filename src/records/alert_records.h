#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "domain/alert.h"
#include "domain/run.h"

namespace roost {

// Who is told of what happens to runs: channels, rules, and what is to be sent and was sent. All work inside a caller's
// transaction.

struct Channel {
  std::string name;
  ChannelSpec spec;  // its secret sealed (alerts/channel_secret.h); what list_channels gives has none
  Micros created = 0;
  std::string created_by;
};
// Makes the channel or puts it in place of the one of that name.
Status save_channel(Tx& tx, const Channel& channel);
Result<Channel> find_channel(Tx& tx, std::string_view name);
Result<std::vector<Channel>> list_channels(Tx& tx);
// With the rules that name it.
Status delete_channel(Tx& tx, std::string_view name);
// Never what is secret.
Json channel_json(const Channel& channel);

struct AlertRule {
  std::int64_t id = 0;
  std::string workspace;
  std::string experiment;  // "": all of the workspace
  std::optional<std::int64_t> run;  // row: only this one
  std::string channel;
  AlertEvents events = 0;
  Micros created = 0;
  std::string created_by;
};
// Refused if there is no such channel. Sets the id.
Status insert_alert_rule(Tx& tx, AlertRule& rule);
// Those of no single run.
Result<std::vector<AlertRule>> list_alert_rules(Tx& tx, std::string_view workspace);
Status delete_alert_rule(Tx& tx, std::string_view workspace, std::int64_t id);
Json alert_rule_json(const AlertRule& rule);

enum class AlertState { kWaiting, kSent, kFailed };
std::string_view alert_state_name(AlertState state);

struct Alert {
  std::int64_t id = 0;
  std::string delivery;  // what the receiver knows it by: the same each time it is tried
  std::string workspace;
  std::string experiment;
  std::string run;  // "" for what is about no run
  std::string event;
  std::string message;
  std::string channel;
  Micros at = 0;
  AlertState state = AlertState::kWaiting;
  std::int64_t tries = 0;
  Micros next_at = 0;  // at once
  std::optional<Micros> sent{};
  std::string error{};  // of the last try
};
Json alert_json(const Alert& alert);

// Something happened to the run: an alert for each channel that wants to hear of one of `events`, the last of which
// it is told as. In the transaction of what happened, so that none is lost and none is of what was undone; the same thing
// of the same attempt only once. Rules of a workspace are about its runs, not about children and replicas.
Status raise_alert(Tx& tx, const Run& run, const std::vector<AlertEvent>& events, const std::string& message, Micros at);
// How a run ended.
Status raise_end(Tx& tx, const Run& run, const std::string& reason, Micros at);
// About no run, to every channel that a rule of any workspace names for it.
Status raise_for_all(Tx& tx, AlertEvent event, const std::string& message, Micros at);
// One to a channel, as a test; it is there as tried once.
Status insert_test(Tx& tx, Alert& alert);

// Those that are due, oldest first.
Result<std::vector<Alert>> due_alerts(Tx& tx, Micros now, std::int64_t limit);
// When the next one is due; none if none waits.
Result<std::optional<Micros>> next_alert_due(Tx& tx);
Status save_alert(Tx& tx, const Alert& alert);
// Newest first; of a workspace and of the server itself.
Result<std::vector<Alert>> list_alerts(Tx& tx, std::string_view workspace, std::int64_t before, std::int64_t limit);
// Those for open pages, after `after`; and the newest id there is.
Result<std::vector<Alert>> desktop_alerts(Tx& tx, std::string_view workspace, std::int64_t after);
Result<std::int64_t> newest_alert(Tx& tx);
// Forgets what was sent or given up before `before`, a few at a time; how many.
Result<std::int64_t> forget_alerts(Tx& tx, Micros before, std::int64_t keep, std::int64_t limit);

// Runs that run now and that somebody wants to hear of if their GPUs are idle.
Result<std::vector<Run>> runs_watched_for(Tx& tx, AlertEvent event);

}  // namespace roost

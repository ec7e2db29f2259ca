#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

// Rules that remove what runs of long ago left behind; the runs stay. All work inside a caller's transaction.

enum class RunPart { kOutputs, kLogs, kSamples };
std::string_view run_part_name(RunPart part);

struct RetentionRule {
  std::string workspace;
  std::string name;
  RunPart what = RunPart::kOutputs;
  std::string experiment;   // "": of any
  std::string tag;          // "": any run; "key" or "key=value"
  std::int64_t age = 0;     // seconds since the run ended
  Micros created = 0;
  std::string created_by;
};
// `name` and `workspace` are not in the body.
Result<RetentionRule> parse_retention_rule(const Json& body);
Json retention_rule_json(const RetentionRule& rule);

Status save_retention_rule(Tx& tx, const RetentionRule& rule);
Result<RetentionRule> find_retention_rule(Tx& tx, std::string_view workspace, std::string_view name);
// Of a workspace, or ("") of all.
Result<std::vector<RetentionRule>> list_retention_rules(Tx& tx, std::string_view workspace);
Status delete_retention_rule(Tx& tx, const RetentionRule& rule);

// Runs that the rule is about now, oldest first: ended for long enough, with something of the part left, not
// registered as a model, not needed by a sweep that goes on.
Result<std::vector<Run>> runs_for_rule(Tx& tx, const RetentionRule& rule, Micros now, std::int64_t limit);
// Whether the rule is still there as it was, and about the run.
Result<bool> rule_holds(Tx& tx, const RetentionRule& rule, const Run& run, Micros now);

// What went, for the run's history.
struct RemovedRows {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
};
// Removes at most `limit` rows of the part. Logs have none.
Result<RemovedRows> remove_rows(Tx& tx, std::int64_t run, RunPart part, std::int64_t limit);
Result<RemovedRows> count_rows(Tx& tx, std::int64_t run, RunPart part);
// Once all is gone: from here on whoever asks for it is told so.
Status note_removed(Tx& tx, const Run& run, const RetentionRule& rule, const std::string& what, Micros now);

// kNotFound with the rule's name and when, if a rule removed that part of the run; else nothing is wrong.
Status check_not_removed(Tx& tx, const Run& run, RunPart part);

}  // namespace roost

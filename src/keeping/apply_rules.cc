#include "keeping/apply_rules.h"

#include <fmt/format.h>

#include "base/report_error.h"
#include "base/text.h"
#include "records/retention_records.h"

namespace roost {
namespace {

constexpr std::int64_t kRowsAtOnce = 500;
constexpr std::int64_t kRunsAtOnce = 100;

std::string what_went(RunPart part, const RemovedRows& removed) {
  const std::string bytes = human_bytes(static_cast<std::uint64_t>(removed.bytes));
  if (part == RunPart::kOutputs) return fmt::format("outputs ({} {}, {})", removed.rows, removed.rows == 1 ? "file" : "files", bytes);
  if (part == RunPart::kLogs) return fmt::format("logs ({})", bytes);
  return fmt::format("system samples ({})", bytes);
}

Status apply_to(const KeepingParts& parts, const RetentionRule& rule, const Run& run, const std::stop_token& stop) {
  const Micros now = parts.clock.now();
  RemovedRows all;
  for (bool more = true; more;) {
    if (stop.stop_requested()) return {};
    bool holds = false;
    ROOST_CHECK(parts.db.write([&](Tx& tx) -> Status {
      more = false;
      // Somebody may have registered it as a model, or changed the rule, since it was found.
      ROOST_TRY(holds, rule_holds(tx, rule, run, now));
      if (!holds) return {};
      ROOST_TRY(const RemovedRows some, remove_rows(tx, run.seq, rule.what, kRowsAtOnce));
      ROOST_TRY(const RemovedRows left, count_rows(tx, run.seq, rule.what));
      all.rows += some.rows;
      all.bytes += some.bytes;
      more = left.rows > 0;
      // With the last of them: else nobody would know where they went.
      if (!more && rule.what != RunPart::kLogs) return note_removed(tx, run, rule, what_went(rule.what, all), now);
      return {};
    }));
    if (!holds) return {};
  }
  if (rule.what == RunPart::kLogs) {
    ROOST_TRY(const std::uint64_t bytes, parts.remove_logs(run.id));
    all.bytes = static_cast<std::int64_t>(bytes);
    ROOST_CHECK(parts.db.write([&](Tx& tx) { return note_removed(tx, run, rule, what_went(rule.what, all), now); }));
  }
  parts.changes.run_changed(run.id);
  return {};
}

Status apply_rule(const KeepingParts& parts, const RetentionRule& rule, const std::stop_token& stop) {
  for (std::size_t found = kRunsAtOnce; found == kRunsAtOnce && !stop.stop_requested();) {
    std::vector<Run> runs;
    ROOST_CHECK(parts.db.read([&](Tx& tx) -> Status {
      ROOST_TRY(runs, runs_for_rule(tx, rule, parts.clock.now(), kRunsAtOnce));
      return {};
    }));
    found = runs.size();
    for (const auto& run : runs) ROOST_CHECK(apply_to(parts, rule, run, stop));
  }
  return {};
}

}  // namespace

void apply_retention_rules(const KeepingParts& parts, const std::stop_token& stop) {
  std::vector<RetentionRule> rules;
  report_error(parts.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(rules, list_retention_rules(tx, ""));
    return {};
  }), "reading the retention rules");
  for (const auto& rule : rules) {
    report_error(apply_rule(parts, rule, stop), "applying the retention rule " + rule.name);
  }
}

}  // namespace roost

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/clock.h"
#include "records/run_search.h"
#include "records/run_table.h"

namespace roost {
namespace {

constexpr std::size_t kMaxGroups = 500;

struct Group {
  std::optional<std::string> value;
  std::int64_t count = 0;
  std::array<std::int64_t, 16> statuses{};
  Micros newest = 0;

  void add(std::string_view status, Micros created) {
    ++count;
    ++statuses[static_cast<std::size_t>(status_from_name(status).value_or(RunStatus::kFailed))];
    newest = std::max(newest, created);
  }
  Json json() const {
    Json by_status = Json::object();
    for (const RunStatus status : all_statuses()) {
      const auto of_status = statuses[static_cast<std::size_t>(status)];
      if (of_status > 0) by_status[std::string(status_name(status))] = of_status;
    }
    return {{"value", or_null(value)}, {"count", count}, {"statuses", std::move(by_status)}, {"newest_at", format_time(newest)}};
  }
};

class Groups {
 public:
  Group& of(std::string_view value) {
    key_.assign(value);
    Group& group = by_value_[key_];
    if (!group.value) group.value = key_;
    return group;
  }
  Group& lacking() { return lacking_; }

  Json json() const {
    std::vector<const Group*> largest;
    for (const auto& [value, group] : by_value_) {
      if (group.count > 0) largest.push_back(&group);
    }
    if (lacking_.count > 0) largest.push_back(&lacking_);
    std::sort(largest.begin(), largest.end(), [](const Group* a, const Group* b) {
      return a->count != b->count ? a->count > b->count : a->value < b->value;
    });
    if (largest.size() > kMaxGroups) largest.resize(kMaxGroups);
    Json items = Json::array();
    for (const Group* group : largest) items.push_back(group->json());
    return Json{{"items", std::move(items)}};
  }

 private:
  std::unordered_map<std::string, Group> by_value_;
  Group lacking_;
  std::string key_;
};

// Groups by the row of a run, or of an experiment: for values that lie outside the run itself.
class GroupOfRow {
 public:
  void put(std::int64_t row, Group& group) {
    const auto at = static_cast<std::size_t>(row);
    if (at >= groups_.size()) groups_.resize(std::max(at + 1, groups_.size() * 2));
    groups_[at] = &group;
  }
  Group* find(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    return at < groups_.size() ? groups_[at] : nullptr;
  }

 private:
  std::vector<Group*> groups_;
};

Result<GroupOfRow> groups_by_label(Tx& tx, const RunColumn& by, Groups& groups) {
  GroupOfRow of_run;
  Rows rows = tx.query(by.kind == RunColumn::kTag
                           ? "SELECT run, value FROM run_tag WHERE key = ? AND value IS NOT NULL"
                           : "SELECT run, value FROM run_param INDEXED BY run_param_by_name WHERE name = ?",
                       by.name);
  while (rows.next()) of_run.put(rows.integer(0), groups.of(rows.bytes(1)));
  ROOST_CHECK(rows.status());
  return of_run;
}

Result<GroupOfRow> groups_by_experiment(Tx& tx, const std::string& workspace, Groups& groups) {
  GroupOfRow of_experiment;
  Rows rows = tx.query("SELECT id, name FROM experiment WHERE workspace = ?", workspace);
  while (rows.next()) of_experiment.put(rows.integer(0), groups.of(rows.bytes(1)));
  ROOST_CHECK(rows.status());
  return of_experiment;
}

const char* statement(RunColumn::Kind kind) {
  switch (kind) {
    case RunColumn::kStatus:
      return "SELECT seq, status, created, status FROM run INDEXED BY run_facts WHERE workspace = ?";
    case RunColumn::kCompute:
      return "SELECT seq, status, created, compute FROM run INDEXED BY run_facts WHERE workspace = ?";
    case RunColumn::kUser:
      return "SELECT seq, status, created, created_by FROM run INDEXED BY run_facts WHERE workspace = ?";
    case RunColumn::kExperiment:
      return "SELECT seq, status, created, experiment FROM run INDEXED BY run_facts WHERE workspace = ?";
    default:
      return "SELECT seq, status, created, seq FROM run INDEXED BY run_facts WHERE workspace = ?";
  }
}

}  // namespace

Result<Json> group_runs(Tx& tx, const std::string& workspace, const RunQuery& query, const RunColumn& by, Micros now) {
  const bool by_label = by.kind == RunColumn::kTag || by.kind == RunColumn::kParam;
  const bool by_text = by.kind == RunColumn::kStatus || by.kind == RunColumn::kCompute || by.kind == RunColumn::kUser;
  if (!by_label && !by_text && by.kind != RunColumn::kExperiment) {
    return fail(ErrorCode::kInvalidArgument,
                "runs are grouped by experiment, status, compute, user, params.NAME or tags.NAME");
  }
  ROOST_TRY(const FoundRuns found, search_runs(tx, workspace, query, now));
  Groups groups;
  GroupOfRow known;
  if (by_label) {
    ROOST_TRY(known, groups_by_label(tx, by, groups));
  } else if (!by_text) {
    ROOST_TRY(known, groups_by_experiment(tx, workspace, groups));
  }
  Rows rows = tx.query(statement(by.kind), workspace);
  while (rows.next()) {
    if (!found.runs.has(rows.integer(0))) continue;
    Group* group = &groups.lacking();
    if (by_text) {
      if (!rows.bytes(3).empty()) group = &groups.of(rows.bytes(3));
    } else if (Group* const at = known.find(rows.integer(3))) {
      group = at;
    }
    group->add(rows.bytes(1), rows.integer(2));
  }
  ROOST_CHECK(rows.status());
  return groups.json();
}

}  // namespace roost

#include "records/run_order.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"

namespace roost {
namespace {

// Takes rows in order and keeps those of one page.
class Page {
 public:
  Page(std::int64_t offset, std::int64_t limit) : skip_(offset), limit_(static_cast<std::size_t>(limit)) {}

  bool is_full() const { return rows_.size() >= limit_; }
  // False once the page is full.
  bool take(std::int64_t row) {
    if (is_full()) return false;
    if (skip_ > 0) {
      --skip_;
    } else {
      rows_.push_back(row);
    }
    return !is_full();
  }
  std::size_t end() const { return static_cast<std::size_t>(skip_) + limit_; }
  std::vector<std::int64_t> rows() && { return std::move(rows_); }

 private:
  std::int64_t skip_;
  std::size_t limit_;
  std::vector<std::int64_t> rows_;
};

// An index has the order already: it is walked until the page is full.
class IndexWalk {
 public:
  IndexWalk(Tx& tx, const FoundRuns& found, Page& page) : tx_(tx), found_(found), page_(page) {}

  // The statement gives rows, and attempts beside them if they matter.
  Status along(const char* sql, const std::string& name, bool attempts) {
    if (page_.is_full()) return {};
    Rows rows = tx_.query(sql, name);
    while (rows.next()) {
      const std::int64_t row = rows.integer(0);
      if (!found_.runs.has(row) || (attempts && !found_.is_newest(row, rows.integer(1)))) continue;
      seen_.add(row);
      if (!page_.take(row)) return {};
    }
    return rows.status();
  }

  void take_rest() {
    if (page_.is_full()) return;
    RunSet rest = found_.runs;
    rest.remove(seen_);
    rest.newest_first([this](std::int64_t row) { return page_.take(row); });
  }

 private:
  Tx& tx_;
  const FoundRuns& found_;
  Page& page_;
  RunSet seen_;
};

Status walk_index(Tx& tx, const FoundRuns& found, const RunOrder& order, Page& page) {
  IndexWalk walk(tx, found, page);
  const bool down = order.descending;
  const std::string& name = order.column.name;
  if (order.column.kind == RunColumn::kMetric) {
    ROOST_CHECK(walk.along(down ? "SELECT run, attempt FROM metric INDEXED BY metric_by_name WHERE name = ?"
                                  " AND last_number IS NOT NULL ORDER BY last_number DESC, run DESC"
                                : "SELECT run, attempt FROM metric INDEXED BY metric_by_name WHERE name = ?"
                                  " AND last_number IS NOT NULL ORDER BY last_number, run",
                           name, true));
  } else if (order.column.kind == RunColumn::kParam) {
    ROOST_CHECK(walk.along(down ? "SELECT run FROM run_param INDEXED BY run_param_by_name WHERE name = ?"
                                  " AND number IS NOT NULL ORDER BY number DESC, value DESC, run DESC"
                                : "SELECT run FROM run_param INDEXED BY run_param_by_name WHERE name = ?"
                                  " AND number IS NOT NULL ORDER BY number, value, run",
                           name, false));
    ROOST_CHECK(walk.along(down ? "SELECT run FROM run_param INDEXED BY run_param_by_name WHERE name = ?"
                                  " AND number IS NULL ORDER BY value DESC, run DESC"
                                : "SELECT run FROM run_param INDEXED BY run_param_by_name WHERE name = ?"
                                  " AND number IS NULL ORDER BY value, run",
                           name, false));
  } else {
    ROOST_CHECK(walk.along(down ? "SELECT run FROM run_tag WHERE key = ? ORDER BY value DESC, run DESC"
                                : "SELECT run FROM run_tag WHERE key = ? ORDER BY value, run",
                           name, false));
  }
  walk.take_rest();
  return {};
}

// Sorts what has a key as far as the page needs it; then come the others.
template <class Key>
void take_sorted(std::vector<std::pair<Key, std::int64_t>> keyed, const RunSet& lacking, bool descending, Page& page) {
  const auto end = keyed.begin() + static_cast<std::ptrdiff_t>(std::min(page.end(), keyed.size()));
  if (descending) {
    std::partial_sort(keyed.begin(), end, keyed.end(), [](const auto& a, const auto& b) { return a > b; });
  } else {
    std::partial_sort(keyed.begin(), end, keyed.end());
  }
  for (auto it = keyed.begin(); it != end && page.take(it->second); ++it) {
  }
  if (end == keyed.end()) lacking.newest_first([&](std::int64_t row) { return page.take(row); });
}

Status sort_by_number(Tx& tx, const FoundRuns& found, const RunOrder& order, Micros now, Page& page) {
  const char* sql = "SELECT seq, coalesce(ended, ?) - started FROM run INDEXED BY run_facts WHERE workspace = ?";
  if (order.column.kind == RunColumn::kStarted) {
    sql = "SELECT seq, started, ? FROM run INDEXED BY run_facts WHERE workspace = ?";
  } else if (order.column.kind == RunColumn::kEnded) {
    sql = "SELECT seq, ended, ? FROM run INDEXED BY run_facts WHERE workspace = ?";
  } else if (order.column.kind == RunColumn::kNumber) {
    sql = "SELECT seq, number, ? FROM run INDEXED BY run_facts WHERE workspace = ?";
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> keyed;
  RunSet lacking;
  Rows rows = tx.query(sql, now, found.workspace);
  while (rows.next()) {
    const std::int64_t row = rows.integer(0);
    if (!found.runs.has(row)) continue;
    if (const auto key = rows.maybe_integer(1)) {
      keyed.emplace_back(*key, row);
    } else {
      lacking.add(row);
    }
  }
  ROOST_CHECK(rows.status());
  take_sorted(std::move(keyed), lacking, order.descending, page);
  return {};
}

Status sort_by_text(Tx& tx, const FoundRuns& found, const RunOrder& order, Page& page) {
  const char* sql = "SELECT seq, display_name FROM run INDEXED BY run_by_workspace WHERE workspace = ?";
  if (order.column.kind == RunColumn::kCompute) {
    sql = "SELECT seq, compute FROM run INDEXED BY run_facts WHERE workspace = ?";
  } else if (order.column.kind == RunColumn::kUser) {
    sql = "SELECT seq, created_by FROM run INDEXED BY run_facts WHERE workspace = ?";
  }
  std::vector<std::pair<std::string, std::int64_t>> keyed;
  RunSet lacking;
  Rows rows = tx.query(sql, found.workspace);
  while (rows.next()) {
    const std::int64_t row = rows.integer(0);
    if (!found.runs.has(row)) continue;
    if (rows.bytes(1).empty()) {
      lacking.add(row);
    } else {
      fold_case(rows.bytes(1), keyed.emplace_back("", row).first);
    }
  }
  ROOST_CHECK(rows.status());
  take_sorted(std::move(keyed), lacking, order.descending, page);
  return {};
}

// Experiments by name, states in the order that runs go through them: few values, sorted once.
Status sort_by_rank(Tx& tx, const FoundRuns& found, const RunOrder& order, Page& page) {
  const bool by_status = order.column.kind == RunColumn::kStatus;
  std::map<std::string, std::int64_t, std::less<>> ranks;
  if (by_status) {
    for (const RunStatus status : all_statuses()) ranks.emplace(status_name(status), static_cast<std::int64_t>(status));
  } else {
    Rows rows = tx.query("SELECT CAST(id AS TEXT) FROM experiment WHERE workspace = ? ORDER BY name COLLATE NOCASE",
                         found.workspace);
    while (rows.next()) ranks.emplace(rows.text(0), static_cast<std::int64_t>(ranks.size()));
    ROOST_CHECK(rows.status());
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> keyed;
  Rows rows = tx.query(by_status ? "SELECT seq, status FROM run INDEXED BY run_facts WHERE workspace = ?"
                                 : "SELECT seq, experiment FROM run INDEXED BY run_facts WHERE workspace = ?",
                       found.workspace);
  while (rows.next()) {
    if (!found.runs.has(rows.integer(0))) continue;
    const auto rank = ranks.find(rows.bytes(1));
    keyed.emplace_back(rank == ranks.end() ? -1 : rank->second, rows.integer(0));
  }
  ROOST_CHECK(rows.status());
  take_sorted(std::move(keyed), {}, order.descending, page);
  return {};
}

}  // namespace

Result<std::vector<std::int64_t>> order_runs(Tx& tx, const FoundRuns& found, const RunOrder& order, std::int64_t offset,
                                             std::int64_t limit, Micros now) {
  Page page(offset, limit);
  switch (order.column.kind) {
    case RunColumn::kCreated: {
      // Rows are numbered in the order of creation.
      const auto take = [&](std::int64_t row) { return page.take(row); };
      order.descending ? found.runs.newest_first(take) : found.runs.oldest_first(take);
      break;
    }
    case RunColumn::kMetric:
    case RunColumn::kParam:
    case RunColumn::kTag:
      ROOST_CHECK(walk_index(tx, found, order, page));
      break;
    case RunColumn::kStarted:
    case RunColumn::kEnded:
    case RunColumn::kDuration:
    case RunColumn::kNumber:
      ROOST_CHECK(sort_by_number(tx, found, order, now, page));
      break;
    case RunColumn::kName:
    case RunColumn::kCompute:
    case RunColumn::kUser:
      ROOST_CHECK(sort_by_text(tx, found, order, page));
      break;
    case RunColumn::kExperiment:
    case RunColumn::kStatus:
      ROOST_CHECK(sort_by_rank(tx, found, order, page));
      break;
  }
  return std::move(page).rows();
}

}  // namespace roost

#include "records/wire_run_search.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <variant>

#include "mlflow/wire_status.h"
#include "records/run_records.h"
#include "records/run_search.h"
#include "records/wire_run_records.h"

namespace roost {
namespace {

// What a run is ordered by in one column; nothing if it has no such value.
using SortKey = std::variant<std::monostate, double, std::string>;

struct Candidate {
  std::int64_t row = 0;
  Micros started = 0;
  std::string id;
  std::vector<SortKey> keys;
};

// NaN after other numbers, what is missing after that.
int rank_of(const SortKey& key) {
  if (std::holds_alternative<std::monostate>(key)) return 2;
  const auto* number = std::get_if<double>(&key);
  return number != nullptr && std::isnan(*number) ? 1 : 0;
}

class Order {
 public:
  Order(Tx& tx, const FoundRuns& found, const std::vector<mlflow::OrderTerm>& terms)
      : tx_(tx), found_(found), terms_(terms) {}

  Result<std::vector<Candidate>> read() {
    Rows rows = tx_.query(
        "SELECT r.seq, coalesce(r.started, r.created), n.id FROM run r INDEXED BY run_facts JOIN run n"
        " ON n.seq = r.seq WHERE r.workspace = ?",
        found_.workspace);
    while (rows.next()) {
      const std::int64_t row = rows.integer(0);
      if (!found_.runs.has(row)) continue;
      places_.emplace(row, all_.size());
      all_.push_back({row, rows.integer(1), rows.text(2), std::vector<SortKey>(terms_.size())});
    }
    ROOST_CHECK(rows.status());
    for (std::size_t i = 0; i < terms_.size(); ++i) ROOST_CHECK(read_keys(terms_[i].key, i));
    return std::move(all_);
  }

  bool operator()(const Candidate& a, const Candidate& b) const {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const int x = rank_of(a.keys[i]);
      const int y = rank_of(b.keys[i]);
      if (x != y) return x < y;
      if (x == 0 && a.keys[i] != b.keys[i]) return (a.keys[i] < b.keys[i]) != terms_[i].descending;
    }
    if (a.started != b.started) return a.started > b.started;
    return a.id < b.id;
  }

 private:
  Status read_keys(const mlflow::FilterKey& key, std::size_t column) {
    switch (key.side) {
      case mlflow::FilterSide::kMetric:
        return read_metric(key.name, column);
      case mlflow::FilterSide::kParam:
        return read_texts(
            tx_.query("SELECT run, value FROM run_param INDEXED BY run_param_by_name WHERE name = ?", key.name),
            column);
      case mlflow::FilterSide::kTag:
        if (key.name == "mlflow.runName") return read_attribute("run_name", column);
        return read_texts(tx_.query("SELECT run, value FROM run_tag WHERE key = ?", key.name), column);
      case mlflow::FilterSide::kAttribute:
      case mlflow::FilterSide::kDataset:
        break;
    }
    return read_attribute(key.name, column);
  }

  Status read_metric(const std::string& name, std::size_t column) {
    Rows rows = tx_.query("SELECT run, attempt, last_number, last_json FROM metric WHERE name = ?", name);
    while (rows.next()) {
      if (!found_.is_newest(rows.integer(0), rows.integer(1))) continue;
      if (!rows.is_null(2)) {
        put(rows.integer(0), column, rows.real(2));
      } else if (rows.bytes(3) == "\"NaN\"") {
        put(rows.integer(0), column, std::nan(""));
      }
    }
    return rows.status();
  }

  Status read_attribute(const std::string& name, std::size_t column) {
    if (name == "run_id" || name == "start_time") {
      for (auto& run : all_)
        run.keys[column] =
            name == "run_id" ? SortKey(wire_run_id(run.id, run.row)) : SortKey(static_cast<double>(run.started));
      return {};
    }
    if (name == "end_time") {
      Rows rows = tx_.query("SELECT seq, ended FROM run INDEXED BY run_facts WHERE workspace = ? AND ended IS NOT NULL",
                            found_.workspace);
      while (rows.next()) put(rows.integer(0), column, static_cast<double>(rows.integer(1)));
      return rows.status();
    }
    if (name == "status") {
      Rows rows = tx_.query("SELECT seq, status FROM run INDEXED BY run_facts WHERE workspace = ?", found_.workspace);
      while (rows.next()) {
        const auto status = status_from_name(rows.bytes(1)).value_or(RunStatus::kFailed);
        put(rows.integer(0), column, std::string(mlflow::wire_status_name(mlflow::wire_status(status))));
      }
      return rows.status();
    }
    if (name == "user_id") {
      return read_texts(
          tx_.query("SELECT seq, created_by FROM run INDEXED BY run_facts WHERE workspace = ?", found_.workspace),
          column);
    }
    if (name == "run_name") {
      return read_texts(tx_.query("SELECT seq, display_name FROM run INDEXED BY run_by_workspace WHERE workspace = ?",
                                  found_.workspace),
                        column);
    }
    for (auto& run : all_) {
      ROOST_TRY(const mlflow::WireRun wire, wire_run_info(tx_, run.row));
      run.keys[column] = wire.artifact_uri;
    }
    return {};
  }

  Status read_texts(Rows rows, std::size_t column) {
    while (rows.next()) put(rows.integer(0), column, rows.text(1));
    return rows.status();
  }

  void put(std::int64_t row, std::size_t column, SortKey key) {
    const auto place = places_.find(row);
    if (place != places_.end()) all_[place->second].keys[column] = std::move(key);
  }

  Tx& tx_;
  const FoundRuns& found_;
  const std::vector<mlflow::OrderTerm>& terms_;
  std::vector<Candidate> all_;
  std::unordered_map<std::int64_t, std::size_t> places_;
};

Result<RunSet> runs_of(Tx& tx, const std::vector<std::int64_t>& experiments) {
  RunSet set;
  for (const std::int64_t experiment : experiments) {
    Rows rows = tx.query("SELECT seq FROM run INDEXED BY run_by_experiment WHERE experiment = ?", experiment);
    while (rows.next()) set.add(rows.integer(0));
    ROOST_CHECK(rows.status());
  }
  return set;
}

}  // namespace

Result<WirePage> search_wire_runs(Tx& tx, const WireSearch& search, Micros now) {
  RunQuery query = mlflow::run_query(search.filter);
  query.bin = search.bin;
  ROOST_TRY(FoundRuns found, search_runs(tx, search.workspace, query, now));
  ROOST_TRY(const RunSet wanted, runs_of(tx, search.experiments));
  found.runs.keep(wanted);
  if (search.family_of) {
    ROOST_TRY(const RunSet family, family_rows(tx, *search.family_of));
    found.runs.keep(family);
  }
  Order order(tx, found, search.order);
  ROOST_TRY(std::vector<Candidate> all, order.read());
  const auto count = static_cast<std::int64_t>(all.size());
  const std::int64_t end = std::min(count, search.offset + search.limit);
  std::partial_sort(all.begin(), all.begin() + end, all.end(), std::cref(order));
  WirePage page;
  for (std::int64_t i = search.offset; i < end; ++i) page.runs.push_back(all[static_cast<std::size_t>(i)].row);
  page.has_more = end < count;
  return page;
}

}  // namespace roost

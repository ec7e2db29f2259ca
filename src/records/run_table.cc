#include "records/run_table.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "records/param_records.h"
#include "records/run_order.h"
#include "records/run_search.h"

namespace roost {
namespace {

Json time_or_null(const Rows& rows, int column) {
  return rows.is_null(column) ? Json() : Json(format_time(rows.integer(column)));
}

// The first line of the message: the last lines of an error can be long.
Json error_line(std::string_view stored) {
  const Json error = stored_json(stored);
  if (!error.is_object() || !error.contains("message") || !error["message"].is_string()) return {};
  const auto& message = error["message"].get_ref<const std::string&>();
  return message.substr(0, message.find('\n'));
}

#define ROOST_METRIC_CELL "SELECT name, last_number, last_json, odd_step FROM metric WHERE run = ? AND attempt = ?"

// The last number of a metric, and where it stopped being one. NaN has no number in the database, but its text is there.
void put_metric(Json& row, const Rows& rows) {
  const std::string name = rows.text(0);
  if (!rows.is_null(1)) {
    row["metrics"][name] = number_json(rows.real(1));
  } else if (rows.bytes(2) == "\"NaN\"") {
    row["metrics"][name] = "NaN";
  }
  if (!rows.is_null(3)) row["odd"][name] = rows.integer(3);
}

Status put_metrics(Tx& tx, std::int64_t run, std::int64_t attempt, const RowColumns& columns, Json& row) {
  row["metrics"] = Json::object();
  row["odd"] = Json::object();
  if (columns.all_metrics) {
    Rows rows = tx.query(ROOST_METRIC_CELL, run, attempt);
    while (rows.next()) put_metric(row, rows);
    return rows.status();
  }
  for (const auto& name : columns.metrics) {
    Rows rows = tx.query(ROOST_METRIC_CELL " AND name = ?", run, attempt, name);
    if (rows.next()) put_metric(row, rows);
    ROOST_CHECK(rows.status());
  }
  return {};
}

Result<Json> params_of(Tx& tx, std::int64_t run, const RowColumns& columns) {
  if (columns.all_params) return params_of_run(tx, run);
  Json params = Json::object();
  for (const auto& name : columns.params) {
    Rows rows = tx.query("SELECT value FROM run_param WHERE run = ? AND name = ?", run, name);
    if (rows.next()) params[name] = rows.text(0);
    ROOST_CHECK(rows.status());
  }
  return params;
}

Result<std::int64_t> count_children(Tx& tx, const std::string& id) {
  // Two walks along indexes: to look whether each child is in the bin would open its row.
  Rows rows = tx.query("SELECT (SELECT count(*) FROM run INDEXED BY run_by_parent WHERE parent = ?1)"
                       " - (SELECT count(*) FROM run INDEXED BY run_in_bin_by_parent WHERE parent = ?1"
                       " AND deleted IS NOT NULL)",
                       id);
  const std::int64_t count = rows.next() ? rows.integer(0) : 0;
  ROOST_CHECK(rows.status());
  return count;
}

Status add_row(Tx& tx, std::int64_t run, const RowColumns& columns, Json& items) {
  Json row;
  std::int64_t attempt = 0;
  {
    Rows rows = tx.query(
        "SELECT r.id, r.number, r.display_name, e.name, r.status, r.type, r.parent, r.compute, r.created_by, r.created,"
        " r.started, r.ended, r.attempt, r.tags_json, r.error_json, r.archived, r.deleted"
        " FROM run r JOIN experiment e ON e.id = r.experiment WHERE r.seq = ?",
        run);
    if (!rows.next()) return rows.status();
    attempt = rows.integer(12);
    const bool ran = !rows.is_null(10) && !rows.is_null(11);
    row = {{"id", rows.text(0)},
           {"number", rows.integer(1)},
           {"display_name", rows.text(2)},
           {"experiment", rows.text(3)},
           {"status", rows.text(4)},
           {"type", rows.text(5)},
           {"parent", rows.is_null(6) ? Json() : Json(rows.text(6))},
           {"compute", rows.text(7)},
           {"created_by", rows.text(8)},
           {"created_at", format_time(rows.integer(9))},
           {"started_at", time_or_null(rows, 10)},
           {"ended_at", time_or_null(rows, 11)},
           {"duration_seconds", ran ? Json(static_cast<double>(rows.integer(11) - rows.integer(10)) / kSecond) : Json()},
           {"tags", stored_json(rows.bytes(13))},
           {"error", rows.is_null(14) ? Json() : error_line(rows.bytes(14))},
           {"archived", rows.integer(15) != 0},
           {"deleted_at", time_or_null(rows, 16)}};
  }
  row["tags"].erase("mlflow.note.content");  // a page of text, which no table has room for
  ROOST_TRY(row["children"], count_children(tx, row["id"].get_ref<const std::string&>()));
  ROOST_CHECK(put_metrics(tx, run, attempt, columns, row));
  ROOST_TRY(row["params"], params_of(tx, run, columns));
  items.push_back(std::move(row));
  return {};
}

}  // namespace

Result<RowColumns> parse_row_columns(const std::vector<std::string>& texts) {
  RowColumns columns;
  for (const auto& text : texts) {
    ROOST_TRY(RunColumn column, parse_run_column(text));
    if (column.kind == RunColumn::kMetric && column.name == "*") {
      columns.all_metrics = true;
    } else if (column.kind == RunColumn::kMetric) {
      columns.metrics.push_back(std::move(column.name));
    } else if (column.kind == RunColumn::kParam && column.name == "*") {
      columns.all_params = true;
    } else if (column.kind == RunColumn::kParam) {
      columns.params.push_back(std::move(column.name));
    } else {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("rows have \"{}\" anyway; ask for metrics.NAME or params.NAME", printable(text)));
    }
  }
  return columns;
}

Result<Json> query_runs(Tx& tx, const RunTableRequest& request, Micros now) {
  ROOST_TRY(const FoundRuns found, search_runs(tx, request.workspace, request.query, now));
  ROOST_TRY(const auto rows, order_runs(tx, found, request.order, request.offset, request.limit, now));
  Json items = Json::array();
  for (const std::int64_t row : rows) ROOST_CHECK(add_row(tx, row, request.columns, items));
  return Json{{"items", std::move(items)}, {"total", found.runs.count()}};
}

Result<Json> list_run_columns(Tx& tx, const std::string& workspace) {
  Json columns = Json::object();
  for (const char* kind : {"metrics", "params", "tags"}) {
    Json names = Json::array();
    Rows rows = tx.query("SELECT name FROM run_column WHERE workspace = ? AND kind = ? LIMIT 1000", workspace, kind);
    while (rows.next()) names.push_back(rows.text(0));
    ROOST_CHECK(rows.status());
    columns[kind] = std::move(names);
  }
  return columns;
}

Result<Json> run_rows(Tx& tx, const std::string& workspace, const std::vector<std::string>& ids,
                      const RowColumns& columns) {
  Json items = Json::array();
  for (const auto& id : ids) {
    std::int64_t run = 0;
    {
      Rows rows = tx.query("SELECT seq FROM run WHERE id = ? AND workspace = ?", id, workspace);
      if (rows.next()) run = rows.integer(0);
      ROOST_CHECK(rows.status());
    }
    if (run != 0) ROOST_CHECK(add_row(tx, run, columns, items));
  }
  return items;
}

}  // namespace roost

#include "records/param_records.h"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::int64_t kMostParams = 10'000;

std::optional<double> number_of(const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

Status log_param(Tx& tx, const Run& run, const std::string& name, const std::string& value) {
  {
    Rows rows = tx.query("SELECT value FROM run_param WHERE run = ? AND name = ? AND logged = 1", run.seq, name);
    if (rows.next()) {
      if (rows.bytes(0) == value) return {};
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format("Changing param values is not allowed. Param with key='{}' was already logged with value='{}' "
                      "for run ID='{}'. Attempted logging new value '{}'.",
                      printable(name), printable(rows.text(0)), run.id, printable(value)));
    }
    ROOST_CHECK(rows.status());
  }
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO run_param (run, name, value, number, logged) VALUES (?, ?, ?, ?, 1)",
                     run.seq, name, value, number_of(value)));
  return know_column(tx, run.workspace, "params", name);
}

}  // namespace

Result<Params> list_params(Tx& tx, std::int64_t run) {
  Params all;
  Rows rows = tx.query("SELECT name, value FROM run_param WHERE run = ? ORDER BY name", run);
  while (rows.next()) all.emplace_back(rows.text(0), rows.text(1));
  ROOST_CHECK(rows.status());
  return all;
}

Status log_params(Tx& tx, const Run& run, const Params& params) {
  if (params.empty()) return {};
  for (const auto& [name, value] : params) ROOST_CHECK(log_param(tx, run, name, value));
  Rows rows = tx.query("SELECT count(*) FROM run_param WHERE run = ?", run.seq);
  const bool is_full = rows.next() && rows.integer(0) > kMostParams;
  ROOST_CHECK(rows.status());
  if (is_full) return fail(ErrorCode::kInvalidArgument, fmt::format("a run has at most {} parameters", kMostParams));
  return {};
}

}  // namespace roost

#include "records/param_records.h"

#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/run_params.h"
#include "mlflow/label_names.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::int64_t kMostParams = 10'000;

struct KeptParam {
  std::string value;
  bool is_logged = false;
};

Result<std::optional<KeptParam>> find_param(Tx& tx, std::int64_t run, std::string_view name) {
  std::optional<KeptParam> kept;
  Rows rows = tx.query("SELECT value, logged FROM run_param WHERE run = ? AND name = ?", run, name);
  if (rows.next()) kept = KeptParam{std::string(rows.bytes(0)), rows.integer(1) != 0};
  ROOST_CHECK(rows.status());
  return kept;
}

Status refuse_change(const Run& run, std::string_view name, const KeptParam& kept, std::string_view value) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("Changing param values is not allowed. Param with key='{}' was already logged with value='{}' "
                          "for run ID='{}'. Attempted logging new value '{}'.",
                          printable(name), printable(kept.value), run.id, printable(value)));
}

// `count` is how many the run has, once it was asked for.
Status put_param(Tx& tx, const Run& run, std::string_view name, std::string_view value, bool is_logged,
                 std::optional<std::int64_t>& count) {
  ROOST_TRY(const auto kept, find_param(tx, run.seq, name));
  if (kept && kept->is_logged) return kept->value == value ? Status() : refuse_change(run, name, *kept, value);
  if (!kept) {
    if (!count) {
      Rows rows = tx.query("SELECT count(*) FROM run_param WHERE run = ?", run.seq);
      count = rows.next() ? rows.integer(0) : 0;
      ROOST_CHECK(rows.status());
    }
    if (*count >= kMostParams) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("a run has at most {} parameters", kMostParams));
    }
    ++*count;
  }
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO run_param (run, name, value, number, logged) VALUES (?, ?, ?, ?, ?)", run.seq,
                     name, value, param_number(value), std::int64_t{is_logged}));
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

Result<Json> params_of_run(Tx& tx, std::int64_t run) {
  Json params = Json::object();
  Rows rows = tx.query("SELECT name, value FROM run_param WHERE run = ? ORDER BY name", run);
  while (rows.next()) params[rows.text(0)] = rows.text(1);
  ROOST_CHECK(rows.status());
  return params;
}

Status set_param(Tx& tx, const Run& run, std::string_view name, std::string_view value) {
  if (name.empty() || !is_utf8(name) || !is_utf8(value) || mlflow::characters(name) > mlflow::kNameLimit) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the parameter \"{}\" needs a name of 1 to {} characters, and both must be UTF-8",
                            printable(name), mlflow::kNameLimit));
  }
  std::optional<std::int64_t> count;
  return put_param(tx, run, name, mlflow::cut(std::string(value), mlflow::kParamLimit), false, count);
}

Status log_params(Tx& tx, const Run& run, const Params& params) {
  std::optional<std::int64_t> count;
  for (const auto& [name, value] : params) {
    ROOST_CHECK(put_param(tx, run, name, mlflow::cut(value, mlflow::kParamLimit), true, count));
  }
  return {};
}

}  // namespace roost

#include "records/set_param.h"

#include <fmt/format.h>

#include "base/text.h"
#include "domain/run_params.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::int64_t kMaxParams = 1000;

// At most so many bytes, and no half character.
std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

Status check_room(Tx& tx, const Run& run, std::string_view name) {
  Rows rows = tx.query("SELECT count(*), coalesce(sum(name = ?), 0) FROM run_param WHERE run = ?", name, run.seq);
  const bool is_full = rows.next() && rows.integer(0) >= kMaxParams && rows.integer(1) == 0;
  ROOST_CHECK(rows.status());
  if (!is_full) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("a run has at most {} parameters", kMaxParams));
}

}  // namespace

Status set_param(Tx& tx, const Run& run, std::string_view name, std::string_view value) {
  if (name.empty() || name.size() > kMaxParamName || !is_utf8(name) || !is_utf8(value)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the parameter \"{}\" needs a name of 1 to {} bytes, and both must be UTF-8",
                            printable(cut(name, 100)), kMaxParamName));
  }
  ROOST_CHECK(check_room(tx, run, name));
  const std::string_view kept = cut(value, kMaxParamValue);
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO run_param (run, name, value, number) VALUES (?, ?, ?, ?)", run.seq, name, kept, param_number(kept)));
  return know_column(tx, run.workspace, "params", name);
}

Result<Json> params_of_run(Tx& tx, std::int64_t run) {
  Json params = Json::object();
  Rows rows = tx.query("SELECT name, value FROM run_param WHERE run = ? ORDER BY name", run);
  while (rows.next()) params[rows.text(0)] = rows.text(1);
  ROOST_CHECK(rows.status());
  return params;
}

}  // namespace roost

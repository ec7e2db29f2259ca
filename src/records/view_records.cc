#include "records/view_records.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::int64_t kMaxViews = 1000;

View read_view(const Rows& rows) { return {rows.text(0), rows.text(1), rows.text(2), rows.integer(3)}; }

}  // namespace

Json view_json(const View& view) {
  return {{"name", view.name}, {"state", view.state}, {"created_by", view.created_by}, {"created_at", format_time(view.created)}};
}

Result<std::vector<View>> list_views(Tx& tx, const std::string& workspace) {
  std::vector<View> views;
  Rows rows = tx.query("SELECT name, state, created_by, created FROM view WHERE workspace = ? ORDER BY name", workspace);
  while (rows.next()) views.push_back(read_view(rows));
  ROOST_CHECK(rows.status());
  return views;
}

Result<View> find_view(Tx& tx, const std::string& workspace, const std::string& name) {
  Rows rows = tx.query("SELECT name, state, created_by, created FROM view WHERE workspace = ? AND name = ?", workspace, name);
  if (rows.next()) return read_view(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no view \"{}\" in the workspace {}", printable(name), printable(workspace)));
}

Status save_view(Tx& tx, const std::string& workspace, const View& view) {
  {
    Rows rows = tx.query("SELECT count(*) FROM view WHERE workspace = ? AND name <> ?", workspace, view.name);
    const bool full = rows.next() && rows.integer(0) >= kMaxViews;
    ROOST_CHECK(rows.status());
    if (full) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the workspace has {} views already; delete one", kMaxViews));
    }
  }
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO view (workspace, name, state, created_by, created) VALUES (?, ?, ?, ?, ?)",
                     workspace, view.name, view.state, view.created_by, view.created));
  return {};
}

Status delete_view(Tx& tx, const std::string& workspace, const std::string& name) {
  ROOST_CHECK(tx.run("DELETE FROM view WHERE workspace = ? AND name = ?", workspace, name));
  return {};
}

}  // namespace roost

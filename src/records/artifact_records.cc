#include "records/artifact_records.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

Artifact read_artifact(const Rows& rows) {
  return {rows.text(0), rows.text(1), static_cast<std::uint64_t>(rows.integer(2)), rows.integer(3)};
}

}  // namespace

Status put_artifact(Tx& tx, std::int64_t run, const OutputFile& file, Micros now) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO artifact VALUES (?, ?, ?, ?, ?)", run, file.path,
                     file.digest, static_cast<std::int64_t>(file.size), now));
  return {};
}

Status remove_artifact(Tx& tx, std::int64_t run, const std::string& path) {
  ROOST_CHECK(tx.run("DELETE FROM artifact WHERE run = ? AND path = ?", run, path));
  return {};
}

Result<std::vector<Artifact>> list_artifacts(Tx& tx, std::int64_t run, std::string_view prefix,
                                             std::string_view after, std::int64_t limit) {
  std::vector<Artifact> all;
  Rows rows = tx.query(
      "SELECT path, digest, size, at FROM artifact WHERE run = ? AND path > ? AND instr(path, ?) = 1"
      " ORDER BY path LIMIT ?",
      run, after, prefix, limit);
  while (rows.next()) all.push_back(read_artifact(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Result<Artifact> find_artifact(Tx& tx, const Run& run, std::string_view path) {
  Rows rows = tx.query("SELECT path, digest, size, at FROM artifact WHERE run = ? AND path = ?",
                       run.seq, path);
  if (rows.next()) return read_artifact(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("run {} has no file \"{}\"; 'roost artifacts ls {}' lists those it has",
                          run.id, printable(path), run.id));
}

Status copy_artifacts(Tx& tx, std::int64_t from, std::int64_t to, std::string_view prefix, Micros now) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO artifact (run, path, digest, size, at) SELECT ?, path, digest, size, ?"
                     " FROM artifact WHERE run = ? AND instr(path, ?) = 1",
                     to, now, from, prefix));
  return {};
}

Status record_outputs(Tx& tx, const Run& run, const FinishReport& report, Micros since, Micros now) {
  for (const auto& path : report.gone) ROOST_CHECK(remove_artifact(tx, run.seq, path));
  for (const auto& output : report.outputs) {
    if (report.node_rank > 0) {
      const auto other = find_artifact(tx, run, output.path);
      if (other && other->at >= since) continue;
    }
    ROOST_CHECK(put_artifact(tx, run.seq, output, now));
  }
  return {};
}

}  // namespace roost

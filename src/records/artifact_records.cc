#include "records/artifact_records.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::int64_t kFolderPage = 1000;
constexpr const char* kAfterSlash = "0";  // the character that comes after '/'
constexpr const char* kAfterAll = "\xFF";  // no text begins with it

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

Result<std::vector<FolderEntry>> list_folder(Tx& tx, std::int64_t run, std::string_view folder) {
  const std::string prefix = folder.empty() ? "" : std::string(folder) + "/";
  const std::string end = folder.empty() ? kAfterAll : std::string(folder) + kAfterSlash;
  std::vector<FolderEntry> entries;
  std::string from = prefix;
  for (;;) {
    Rows rows = tx.query("SELECT path, size FROM artifact WHERE run = ? AND path >= ? AND path < ? ORDER BY path LIMIT ?", run,
                         from, end, kFolderPage);
    std::int64_t count = 0;
    for (; rows.next(); ++count) {
      const std::string path = rows.text(0);
      const std::string_view rest = std::string_view(path).substr(prefix.size());
      const std::size_t slash = rest.find('/');
      const std::string_view name = rest.substr(0, slash);
      from = slash == std::string_view::npos ? path + '\0' : prefix + std::string(name) + kAfterSlash;
      // What else lies in a folder that was met is passed over.
      if (slash != std::string_view::npos && !entries.empty() && entries.back().is_folder && entries.back().name == name) continue;
      entries.push_back({std::string(name), slash != std::string_view::npos,
                         slash == std::string_view::npos ? static_cast<std::uint64_t>(rows.integer(1)) : 0});
    }
    ROOST_CHECK(rows.status());
    if (count < kFolderPage) break;
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return entries;
}

Result<bool> is_folder(Tx& tx, std::int64_t run, std::string_view path) {
  Rows rows = tx.query("SELECT 1 FROM artifact WHERE run = ? AND path >= ? AND path < ? LIMIT 1", run, std::string(path) + "/",
                       std::string(path) + kAfterSlash);
  const bool found = rows.next();
  ROOST_CHECK(rows.status());
  return found;
}

Status remove_artifacts(Tx& tx, std::int64_t run, const std::string& path) {
  ROOST_CHECK(tx.run("DELETE FROM artifact WHERE run = ? AND (path = ? OR (path >= ? AND path < ?))", run, path, path + "/",
                     path + kAfterSlash));
  return {};
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

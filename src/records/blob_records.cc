#include "records/blob_records.h"

#include <fmt/format.h>

namespace roost {
namespace {

constexpr const char* kUnused =
    " created <= ? AND NOT EXISTS (SELECT 1 FROM run WHERE run.snapshot = snapshot.digest) AND NOT EXISTS"
    " (SELECT 1 FROM run_input WHERE run_input.content = snapshot.digest) AND NOT EXISTS (SELECT 1 FROM model"
    " WHERE model.content = snapshot.digest) AND NOT EXISTS (SELECT 1 FROM endpoint_revision WHERE"
    " instr(endpoint_revision.spec_json, snapshot.digest) > 0)";

Status each_text(Rows rows, const std::function<void(const std::string&)>& found) {
  while (rows.next()) found(rows.text(0));
  return rows.status();
}

}  // namespace

Status each_named_file(Tx& tx, const std::function<void(const std::string& digest)>& found) {
  ROOST_CHECK(each_text(tx.query("SELECT digest FROM artifact UNION ALL SELECT digest FROM datastore_file"
                                " UNION ALL SELECT digest FROM logged_model_file"),
                       found));
  // Outputs of nodes that have reported, while others of the same attempt have not.
  return each_text(tx.query("SELECT json_extract(file.value, '$.digest') FROM attempt JOIN attempt_part part"
                            " ON part.run = attempt.run AND part.attempt = attempt.attempt,"
                            " json_each(iif(part.report_json = '', '{}', part.report_json), '$.outputs') file"
                            " WHERE attempt.open = 1"),
                   found);
}

Result<std::vector<std::string>> manifest_digests(Tx& tx) {
  std::vector<std::string> all;
  ROOST_CHECK(each_text(tx.query("SELECT digest FROM snapshot"), [&](const std::string& digest) { all.push_back(digest); }));
  return all;
}

Result<std::vector<std::string>> unused_manifests(Tx& tx, Micros oldest) {
  std::vector<std::string> all;
  ROOST_CHECK(each_text(tx.query(std::string("SELECT digest FROM snapshot WHERE") + kUnused, oldest),
                        [&](const std::string& digest) { all.push_back(digest); }));
  return all;
}

Status drop_unused_manifest(Tx& tx, const std::string& digest, Micros oldest) {
  ROOST_CHECK(tx.run(std::string("DELETE FROM snapshot WHERE digest = ? AND") + kUnused, digest, oldest));
  return {};
}

Result<std::string> user_of_blob(Tx& tx, const std::string& digest) {
  Rows rows = tx.query("SELECT run.id, artifact.path FROM artifact JOIN run ON run.seq = artifact.run"
                       " WHERE artifact.digest = ? LIMIT 1",
                       digest);
  std::string user;
  if (rows.next()) user = fmt::format(" ({} of run {})", rows.text(1), rows.text(0));
  ROOST_CHECK(rows.status());
  return user;
}

}  // namespace roost

#include "records/manifest_records.h"

namespace roost {

std::optional<StoredManifest> find_manifest(Tx& tx, const std::string& digest) {
  Rows rows = tx.query("SELECT files, size, created FROM snapshot WHERE digest = ?", digest);
  if (!rows.next()) return std::nullopt;
  return StoredManifest{rows.integer(0), rows.integer(1), rows.integer(2)};
}

Status store_manifest(Tx& tx, const std::string& digest, const Manifest& manifest, Micros now) {
  ROOST_CHECK(tx.run("INSERT OR IGNORE INTO snapshot VALUES (?, ?, ?, ?)", digest,
                     static_cast<std::int64_t>(count_files(manifest)),
                     static_cast<std::int64_t>(manifest.size), now));
  return {};
}

}  // namespace roost

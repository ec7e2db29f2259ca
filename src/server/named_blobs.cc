#include "server/named_blobs.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "domain/manifest.h"

namespace roost {
namespace {

constexpr std::size_t kStep = 100;
constexpr const char* kUnused =
    " created <= ? AND NOT EXISTS (SELECT 1 FROM run WHERE run.snapshot = snapshot.digest) AND NOT EXISTS"
    " (SELECT 1 FROM run_input WHERE run_input.content = snapshot.digest) AND NOT EXISTS (SELECT 1 FROM model"
    " WHERE model.content = snapshot.digest)";

// Whatever looks like a digest in what is left of a manifest.
void add_digests_in(std::string_view text, DigestSet& named) {
  std::size_t length = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char at = i < text.size() ? text[i] : '\0';
    if ((at >= '0' && at <= '9') || (at >= 'a' && at <= 'f')) {
      ++length;
      continue;
    }
    if (length == 64) named.add(text.substr(i - 64, 64));
    length = 0;
  }
}

}  // namespace

Status find_named_blobs(App& app, DigestSet& named, const std::function<void(std::string)>& tell) {
  std::vector<std::string> snapshots;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    Rows files = tx.query("SELECT digest FROM artifact UNION ALL SELECT digest FROM datastore_file");
    while (files.next()) named.add(files.text(0));
    ROOST_CHECK(files.status());
    // Outputs of nodes that have reported, while others of the same attempt have not.
    Rows held = tx.query("SELECT json_extract(file.value, '$.digest') FROM attempt JOIN attempt_part part"
                         " ON part.run = attempt.run AND part.attempt = attempt.attempt,"
                         " json_each(iif(part.report_json = '', '{}', part.report_json), '$.outputs') file"
                         " WHERE attempt.open = 1");
    while (held.next()) named.add(held.text(0));
    ROOST_CHECK(held.status());
    Rows rows = tx.query("SELECT digest FROM snapshot");
    while (rows.next()) snapshots.push_back(rows.text(0));
    return rows.status();
  }));
  for (const auto& digest : snapshots) {
    named.add(digest);
    const auto text = app.blobs->read(digest);
    if (!text && text.error().code != ErrorCode::kNotFound) return fail(text.error());
    const auto manifest = text ? parse_manifest(*text) : Result<Manifest>(fail(text.error()));
    if (manifest) {
      for (const auto& entry : manifest->entries) {
        if (entry.is_file()) named.add(entry.digest);
      }
      continue;
    }
    tell(fmt::format("the snapshot {} cannot be read: {}", digest, manifest.error().message));
    add_digests_in(text ? *text : app.blobs->read_damaged(digest).value_or(""), named);
  }
  named.seal();
  return {};
}

Status drop_unused_snapshots(App& app, Micros grace) {
  const Micros lease = std::chrono::microseconds(app.blobs->lease()).count();
  const Micros oldest = app.clock.now() - std::max(grace, lease);
  std::vector<std::string> unused;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    Rows rows = tx.query(std::string("SELECT digest FROM snapshot WHERE") + kUnused, oldest);
    while (rows.next()) unused.push_back(rows.text(0));
    return rows.status();
  }));
  for (std::size_t start = 0; start < unused.size(); start += kStep) {
    ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
      for (std::size_t i = start; i < std::min(unused.size(), start + kStep); ++i) {
        if (app.blobs->is_leased(unused[i])) continue;
        ROOST_CHECK(tx.run(std::string("DELETE FROM snapshot WHERE digest = ? AND") + kUnused, unused[i], oldest));
      }
      return {};
    }));
  }
  return {};
}

}  // namespace roost

#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/manifest.h"
#include "records/manifest_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

// A snapshot exists once its manifest and every blob the manifest names are stored and synced.
Result<Response> create(App& app, Request& request) {
  ROOST_TRY(const Manifest manifest, parse_manifest(request.body));
  const std::string digest = sha256_hex(request.body);
  std::set<std::string> missing;
  for (int tries = 0; tries < 2; ++tries) {
    ROOST_CHECK(app.blobs->put(digest, request.body));
    ROOST_CHECK(app.blobs->sync());
    const auto hold = app.blobs->hold();
    missing.clear();
    if (!app.blobs->has(digest)) continue;  // collected since; store it again
    for (const auto& entry : manifest.entries) {
      if (!entry.is_file() || missing.contains(entry.digest)) continue;
      if (!app.blobs->has(entry.digest)) {
        missing.insert(entry.digest);
        continue;
      }
      ROOST_TRY(const std::uint64_t size, app.blobs->size(entry.digest));
      if (size != entry.size) {
        return fail(ErrorCode::kDataMismatch,
                    fmt::format("the manifest says {} has {} bytes, but blob {} has {}", entry.path,
                                entry.size, entry.digest, size));
      }
    }
    if (missing.empty()) {
      ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
        return store_manifest(tx, digest, manifest, app.clock.now());
      }));
    }
    break;
  }
  return json_response({{"digest", digest}, {"created", missing.empty()}, {"missing", missing}});
}

Result<Response> get(App& app, Request& request) {
  const std::string& digest = request.parameters["digest"];
  Json answer;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    const auto stored = find_manifest(tx, digest);
    if (!stored) {
      return fail(ErrorCode::kNotFound, fmt::format("there is no snapshot \"{}\"", printable(digest)));
    }
    answer = {{"digest", digest}, {"files", stored->files}, {"size", stored->size},
              {"created_at", format_time(stored->created)}};
    return {};
  }));
  ROOST_TRY(const std::string text, app.blobs->read(digest));
  ROOST_TRY(const Manifest manifest, parse_manifest(text));
  answer["entries"] = entries_json(manifest);
  return json_response(answer);
}

}  // namespace

void add_snapshot_routes(Router& router, App& app) {
  add_operation(router, app, "POST", "/api/v1/snapshots", "create_snapshot", Need::kContributorOrRun,
                [&app](Request& request, const Principal&) { return create(app, request); },
                {512ULL << 20, false});
  add_operation(router, app, "GET", "/api/v1/snapshots/{digest}", "get_snapshot", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) { return get(app, request); });
}

}  // namespace roost

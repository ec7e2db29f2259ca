#include <set>
#include <utility>

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
  std::vector<std::string> named = {digest};
  for (const auto& entry : manifest.entries) {
    if (entry.is_file()) named.push_back(entry.digest);
  }
  const auto hold = app.blobs->hold();
  ROOST_CHECK(app.blobs->put(digest, request.body));
  ROOST_CHECK(app.blobs->sync(named));
  ROOST_CHECK(app.blobs->size(digest));
  for (const auto& entry : manifest.entries) {
    if (!entry.is_file() || missing.contains(entry.digest)) continue;
    if (!app.blobs->has(entry.digest)) {
      missing.insert(entry.digest);
      continue;
    }
    ROOST_TRY(const std::uint64_t size, app.blobs->size(entry.digest));
    if (size != entry.size && !app.blobs->verify(entry.digest)) {
      missing.insert(entry.digest);
    } else if (size != entry.size) {
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
  return json_response({{"digest", digest}, {"created", missing.empty()}, {"missing", missing}});
}

// A snapshot of any number of files in pieces.
class SnapshotEntries final : public ResponseStream {
 public:
  // `facts` is what is said before the entries.
  SnapshotEntries(const Json& facts, Manifest manifest) : head_(to_text(facts)), manifest_(std::move(manifest)) {
    head_.pop_back();
    head_ += ",\"entries\":[";
  }

  Step next(std::string& piece) override {
    if (ended_) return Step::kEnd;
    piece = std::exchange(head_, std::string());
    const bool is_first = at_ == 0;
    Manifest some;
    while (at_ < manifest_.entries.size() && some.entries.size() < kSome) {
      some.entries.push_back(std::move(manifest_.entries[at_++]));
    }
    std::string entries = to_text(entries_json(some));
    entries = entries.substr(1, entries.size() - 2);
    if (!is_first && !entries.empty()) piece += ',';
    piece += entries;
    ended_ = at_ >= manifest_.entries.size();
    if (ended_) piece += "]}";
    return Step::kData;
  }

 private:
  static constexpr std::size_t kSome = 1000;
  std::string head_;
  Manifest manifest_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

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
  ROOST_TRY(Manifest manifest, parse_manifest(text));
  Response response;
  response.stream = std::make_unique<SnapshotEntries>(answer, std::move(manifest));
  return response;
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

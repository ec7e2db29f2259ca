#include <fmt/format.h>

#include "base/digest.h"
#include "base/frames.h"
#include "base/log.h"
#include "domain/manifest.h"
#include "server/routes/blob_bytes.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr std::size_t kMaxFrame = 32 << 20;
constexpr std::size_t kMaxDigests = 100'000;

Result<std::vector<std::string>> digests_from(const Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the request");
  const auto digests = fields.strings("digests");
  ROOST_CHECK(fields.done());
  if (digests.size() > kMaxDigests) {
    return fail(ErrorCode::kTooLarge, fmt::format("ask for at most {} digests at once", kMaxDigests));
  }
  for (const auto& digest : digests) {
    if (!is_digest(digest)) {
      return fail(ErrorCode::kInvalidArgument, "a digest must be 64 lower-case hex digits");
    }
  }
  return digests;
}

Result<Response> put_many(App& app, Request& request) {
  FrameReader reader(kMaxFrame);
  std::int64_t stored = 0;
  for (;;) {
    ROOST_TRY(const std::string piece, request.body_stream->read());
    if (piece.empty()) break;
    ROOST_CHECK(reader.feed(piece, [&](Frame frame) -> Status {
      const Json& digest = frame.header.contains("digest") ? frame.header["digest"] : Json();
      if (!digest.is_string() || !is_digest(digest.get_ref<const std::string&>())) {
        return fail(ErrorCode::kInvalidArgument, "a frame of blobs needs \"digest\", 64 hex digits");
      }
      ROOST_CHECK(app.blobs->put(digest.get<std::string>(), frame.payload));
      ++stored;
      return {};
    }));
  }
  ROOST_CHECK(reader.finish());
  return json_response({{"stored", stored}});
}

// Many small blobs as frames, one after the other.
class ManyBlobs final : public ResponseStream {
 public:
  ManyBlobs(App& app, std::vector<std::string> digests) : app_(app), digests_(std::move(digests)) {}

  Step next(std::string& piece) override {
    while (next_ < digests_.size() && piece.size() < (512U << 10)) {
      const auto bytes = app_.blobs->read(digests_[next_]);
      if (!bytes) return Step::kEnd;  // the reader notices that one is missing
      append_frame(piece, {{"digest", digests_[next_]}}, *bytes);
      ++next_;
    }
    return piece.empty() ? Step::kEnd : Step::kData;
  }

 private:
  App& app_;
  const std::vector<std::string> digests_;
  std::size_t next_ = 0;
};

Result<Response> fetch_many(App& app, Request& request) {
  ROOST_TRY(auto digests, digests_from(request));
  for (const auto& digest : digests) {
    ROOST_TRY(const std::uint64_t size, app.blobs->size(digest));
    if (size > kMaxFrame) {
      return fail(ErrorCode::kTooLarge, fmt::format("blob {} is large; get it alone", digest));
    }
  }
  Response response;
  response.content_type = kFramesType;
  response.stream = std::make_unique<ManyBlobs>(app, std::move(digests));
  return response;
}

// Everything that snapshots, artifacts and datastores name.
Result<std::set<std::string>> wanted_blobs(App& app) {
  std::set<std::string> wanted;
  std::vector<std::string> snapshots;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    Rows files = tx.query("SELECT digest FROM artifact UNION SELECT digest FROM datastore_file");
    while (files.next()) wanted.insert(files.text(0));
    ROOST_CHECK(files.status());
    Rows rows = tx.query("SELECT digest FROM snapshot");
    while (rows.next()) snapshots.push_back(rows.text(0));
    return rows.status();
  }));
  for (const auto& digest : snapshots) {
    wanted.insert(digest);
    ROOST_TRY(const std::string text, app.blobs->read(digest));
    ROOST_TRY(const Manifest manifest, parse_manifest(text));
    for (const auto& entry : manifest.entries) {
      if (entry.is_file()) wanted.insert(entry.digest);
    }
  }
  return wanted;
}

// Manifests that no run, input or model names and that are older than the grace go first, then blobs that nothing
// names. A client that submits one of them meanwhile is told to upload it again.
Status drop_unused_snapshots(App& app, Micros grace) {
  const Micros oldest = app.clock.now() - grace;
  return app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("DELETE FROM snapshot WHERE created <= ? AND NOT EXISTS (SELECT 1 FROM run WHERE"
                       " run.snapshot = snapshot.digest) AND NOT EXISTS (SELECT 1 FROM run_input WHERE"
                       " run_input.content = snapshot.digest) AND NOT EXISTS (SELECT 1 FROM model WHERE"
                       " model.content = snapshot.digest)",
                       oldest));
    return {};
  });
}

Result<Response> collect(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the request");
  const auto grace = fields.integer("grace_seconds", 86'400, 0, 315'360'000);
  ROOST_CHECK(fields.done());
  ROOST_TRY(const auto report, app.blobs->collect(grace * kSecond, [&]() -> Result<std::set<std::string>> {
    ROOST_CHECK(drop_unused_snapshots(app, grace * kSecond));
    return wanted_blobs(app);
  }));
  log_info("collected {} blobs, {} bytes; {} kept", report.removed, report.bytes, report.kept);
  return json_response({{"removed", report.removed}, {"bytes", report.bytes}, {"kept", report.kept}});
}

}  // namespace

void add_blob_routes(Router& router, App& app) {
  add_operation(router, app, "POST", "/api/v1/blobs/missing", "find_missing_blobs",
                Need::kContributorOrRun, [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const auto digests, digests_from(request));
                  Json missing = Json::array();
                  for (const auto& digest : digests) {
                    if (!app.blobs->has(digest)) missing.push_back(digest);
                  }
                  return json_response({{"missing", std::move(missing)}});
                },
                {16 << 20, false});
  add_operation(router, app, "POST", "/api/v1/blobs", "put_blobs", Need::kContributorOrRun,
                [&app](Request& request, const Principal&) { return put_many(app, request); },
                {4ULL << 30, true});
  add_operation(router, app, "POST", "/api/v1/blobs/fetch", "fetch_blobs", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) { return fetch_many(app, request); },
                {16 << 20, false});
  add_operation(router, app, "POST", "/api/v1/blobs/collect", "collect_blobs", Need::kOwner,
                [&app](Request& request, const Principal&) { return collect(app, request); });
  add_operation(router, app, "GET", "/api/v1/blobs/{digest}", "get_blob", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) {
                  return blob_response(*app.blobs, request.parameters["digest"], request);
                });
  add_operation(router, app, "PUT", "/api/v1/blobs/{digest}", "put_blob", Need::kContributorOrRun,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const auto offset, integer_query(request, "offset", 0, 0, INT64_MAX));
                  ROOST_TRY(const std::uint64_t size,
                            receive_blob(*app.blobs, request.parameters["digest"],
                                         static_cast<std::uint64_t>(offset), *request.body_stream));
                  return json_response({{"digest", request.parameters["digest"]}, {"size", size}}, 201);
                },
                {UINT64_MAX, true});
  add_operation(router, app, "GET", "/api/v1/blobs/{digest}/upload", "get_blob_upload",
                Need::kContributorOrRun, [&app](Request& request, const Principal&) -> Result<Response> {
                  if (!is_digest(request.parameters["digest"])) {
                    return fail(ErrorCode::kInvalidArgument, "a digest must be 64 lower-case hex digits");
                  }
                  return json_response({{"received", app.blobs->received(request.parameters["digest"])}});
                });
}

}  // namespace roost

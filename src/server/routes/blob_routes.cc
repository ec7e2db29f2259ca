#include <chrono>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/frames.h"
#include "server/garbage_job.h"
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

// Many small blobs as frames, one after the other. Breaks the connection when one cannot be had: an end would
// look like the end.
class ManyBlobs final : public ResponseStream {
 public:
  ManyBlobs(App& app, std::vector<std::string> digests) : app_(app), digests_(std::move(digests)) {}

  // While there is still time to say what is wrong.
  Status begin() { return add(begun_); }

  Step next(std::string& piece) override {
    piece = std::exchange(begun_, "");
    if (piece.empty()) {
      if (const Status added = add(piece); !added) throw std::runtime_error(added.error().message);
    }
    return piece.empty() ? Step::kEnd : Step::kData;
  }

 private:
  Status add(std::string& piece) {
    while (next_ < digests_.size() && piece.size() < (512U << 10)) {
      ROOST_TRY(const std::string bytes, app_.blobs->read(digests_[next_]));
      append_frame(piece, {{"digest", digests_[next_]}}, bytes);
      ++next_;
    }
    return {};
  }

  App& app_;
  const std::vector<std::string> digests_;
  std::size_t next_ = 0;
  std::string begun_;
};

Result<Response> fetch_many(App& app, Request& request) {
  ROOST_TRY(auto digests, digests_from(request));
  for (const auto& digest : digests) {
    ROOST_TRY(const std::uint64_t size, app.blobs->size(digest));
    if (size > kMaxFrame) {
      return fail(ErrorCode::kTooLarge, fmt::format("blob {} is large; get it alone", digest));
    }
  }
  auto blobs = std::make_unique<ManyBlobs>(app, std::move(digests));
  ROOST_CHECK(blobs->begin());
  Response response;
  response.content_type = kFramesType;
  response.stream = std::move(blobs);
  return response;
}

// Tells how far uploads of a blob are: at once, or when somebody else's has ended, has gone silent, or has
// taken too long. Costs no thread meanwhile.
class UploadNews final : public ResponseStream {
 public:
  UploadNews(const BlobStore& blobs, const Clock& clock, std::string digest, Micros patience)
      : blobs_(blobs), clock_(clock), digest_(std::move(digest)), until_(clock.steady() + patience) {
    max_wait_ms = 50;
  }

  Step next(std::string& piece) override {
    if (is_told_) return Step::kEnd;
    const auto state = blobs_.upload_state(digest_);
    if (state.is_active && clock_.steady() < until_) return Step::kWait;
    is_told_ = true;
    piece = to_text({{"stored", state.is_stored}, {"active", state.is_active}, {"received", state.received}});
    return Step::kData;
  }

 private:
  const BlobStore& blobs_;
  const Clock& clock_;
  const std::string digest_;
  const Micros until_;
  bool is_told_ = false;
};

Result<Response> upload_news(App& app, Request& request) {
  if (!is_digest(request.parameters["digest"])) {
    return fail(ErrorCode::kInvalidArgument, "a digest must be 64 lower-case hex digits");
  }
  ROOST_TRY(const auto patience, integer_query(request, "wait_seconds", 0, 0, 20));
  Response response;
  response.stream =
      std::make_unique<UploadNews>(*app.blobs, app.clock, request.parameters["digest"], patience * kSecond);
  return response;
}

Result<Response> collect(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the request");
  const auto grace = fields.integer("grace_seconds", GarbageJob::kGraceSeconds, 0, 315'360'000);
  const bool verify = fields.boolean("verify", false);
  ROOST_CHECK(fields.done());
  return json_response(app.garbage->start(grace, verify), 202);
}

Result<Response> collection(App& app) {
  const Json state = app.garbage->state();
  if (state.is_null()) return fail(ErrorCode::kNotFound, "nothing was collected since the server was started");
  return json_response(state);
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
  add_operation(router, app, "GET", "/api/v1/blobs/collect", "get_collection", Need::kOwner,
                [&app](Request&, const Principal&) { return collection(app); });
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
                Need::kContributorOrRun,
                [&app](Request& request, const Principal&) { return upload_news(app, request); });
}

}  // namespace roost

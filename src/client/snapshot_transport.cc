#include "client/snapshot_transport.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/frames.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::size_t kMaxFrame = 64 << 20;

Error unexpected_answer(const char* operation) {
  return {
      ErrorCode::kInternal,
      fmt::format("the server's answer to {} is not as it should be; is it a Roost server of this "
                  "version?",
                  operation)};
}

std::string blob_path(const std::string& digest) { return "/blobs/" + percent_encode(digest); }

}  // namespace

Result<SnapshotTransport::Created> HttpSnapshotTransport::create_snapshot(std::string_view text) {
  ROOST_TRY(const Json answer, client_.send_bytes("POST", "/snapshots", "text/plain", text));
  const auto created = answer.is_object() ? answer.find("created") : answer.end();
  const auto missing = answer.is_object() ? answer.find("missing") : answer.end();
  if (created == answer.end() || !created->is_boolean() || missing == answer.end() ||
      !missing->is_array()) {
    return fail(unexpected_answer("create_snapshot"));
  }
  Created result;
  result.created = created->get<bool>();
  for (const Json& digest : *missing) {
    if (!digest.is_string()) return fail(unexpected_answer("create_snapshot"));
    result.missing.push_back(digest.get<std::string>());
  }
  return result;
}

Result<Manifest> HttpSnapshotTransport::get_snapshot(const std::string& digest) {
  ROOST_TRY(const Json answer, client_.get("/snapshots/" + percent_encode(digest)));
  if (!answer.is_object() || !answer.contains("entries")) {
    return fail(unexpected_answer("get_snapshot"));
  }
  return manifest_from_entries(answer["entries"]);
}

Status HttpSnapshotTransport::put_blobs(std::string_view frames) {
  ROOST_CHECK(client_.send_bytes("POST", "/blobs", kFramesType, frames));
  return {};
}

Result<std::set<std::string>> HttpSnapshotTransport::missing_blobs(const std::vector<std::string>& digests) {
  ROOST_TRY(const Json answer, client_.post("/blobs/missing", {{"digests", digests}}));
  const auto missing = strings_at(answer, "missing");
  return std::set<std::string>(missing.begin(), missing.end());
}

Result<SnapshotTransport::UploadState> HttpSnapshotTransport::blob_upload_state(const std::string& digest) {
  ROOST_TRY(const Json answer, client_.get(blob_path(digest) + "/upload?wait_seconds=10"));
  JsonFields fields(answer, "the answer");
  UploadState state;
  state.is_stored = fields.boolean("stored", false);
  state.is_active = fields.boolean("active", false);
  const auto received = answer.is_object() ? answer.find("received") : answer.end();
  if (received == answer.end() || !received->is_number_unsigned()) {
    return fail(unexpected_answer("get_blob_upload"));
  }
  state.received = received->get<std::uint64_t>();
  return state;
}

Status HttpSnapshotTransport::put_blob(const std::string& digest, std::uint64_t offset,
                                       std::uint64_t total_size, const PieceReader& read) {
  std::optional<Error> read_error;
  ClientRequest request;
  request.method = "PUT";
  request.target = fmt::format("{}?offset={}", blob_path(digest), offset);
  request.headers["Content-Type"] = "application/octet-stream";
  request.body_length = total_size - offset;
  request.body_source = [&]() -> Result<std::string> {
    auto piece = read();
    if (!piece) read_error = piece.error();
    return piece;
  };
  const auto response = client_.send(std::move(request));
  // Ours says why the upload ended; the connection's only that it did.
  if (read_error) return fail(*read_error);
  if (!response) return fail(response.error());
  return {};
}

Status HttpSnapshotTransport::fetch_blobs(const std::vector<std::string>& digests,
                                          const BlobSink& each) {
  const std::string body = to_text({{"digests", digests}});
  FrameReader reader(kMaxFrame);
  Status taken;
  std::size_t count = 0;
  ClientRequest request;
  request.method = "POST";
  request.target = "/blobs/fetch";
  request.headers["Content-Type"] = "application/json";
  request.body = body;
  request.on_data = [&](std::string_view bytes) {
    taken = reader.feed(bytes, [&](Frame frame) -> Status {
      const auto digest = frame.header.find("digest");
      if (digest == frame.header.end() || !digest->is_string()) {
        return fail(unexpected_answer("fetch_blobs"));
      }
      ++count;
      return each(digest->get<std::string>(), frame.payload);
    });
    return taken.has_value();
  };
  const auto response = client_.send(std::move(request));
  if (!taken) return taken;
  if (!response) return fail(response.error());
  if (!reader.finish() || count < digests.size()) {
    return fail(ErrorCode::kUnavailable, "the server ended its answer to fetch_blobs too early");
  }
  return {};
}

Status HttpSnapshotTransport::get_blob(const std::string& digest, std::uint64_t offset,
                                       const PieceSink& each) {
  Status taken;
  ClientRequest request;
  request.target = blob_path(digest);
  if (offset > 0) request.headers["Range"] = fmt::format("bytes={}-", offset);
  request.on_data = [&](std::string_view bytes) {
    taken = each(bytes);
    return taken.has_value();
  };
  const auto response = client_.send(std::move(request));
  if (!taken) return taken;
  if (!response) return fail(response.error());
  if (offset > 0 && response->status != 206) return fail(unexpected_answer("get_blob"));
  return {};
}

TransportFactory http_transports(ServerAddress address) {
  return [address]() -> Result<std::unique_ptr<SnapshotTransport>> {
    return std::make_unique<HttpSnapshotTransport>(address);
  };
}

}  // namespace roost

#include "client/snapshot_transport.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "base/digest.h"
#include "base/frames.h"
#include "net/http_server.h"

namespace roost {
namespace {

Response answer(const Json& body, int status = 200) {
  Response response;
  response.status = status;
  response.body = to_text(body);
  return response;
}

// The blob part of the API over a map, so that what travels can be looked at.
class SnapshotTransportTest : public testing::Test {
 protected:
  void SetUp() override {
    Router router;
    const auto add = [&](const char* method, const char* pattern, Handler handler) {
      router.add({method,
                  pattern,
                  pattern,
                  {64 << 20, false},
                  [this, handler = std::move(handler)](Request& request) {
                    const std::lock_guard lock(mutex_);
                    return handler(request);
                  }});
    };
    add("POST", "/api/v1/snapshots", [this](Request& request) {
      manifest_ = request.body;
      return answer(
          {{"digest", sha256_hex(request.body)}, {"created", false}, {"missing", {digest_}}});
    });
    add("GET", "/api/v1/snapshots/{digest}", [this](Request&) {
      return answer({{"entries", entries_json(parse_manifest(manifest_).value())}});
    });
    add("POST", "/api/v1/blobs", [this](Request& request) {
      FrameReader reader(1 << 20);
      (void)reader.feed(request.body, [&](Frame frame) -> Status {
        blobs_[frame.header["digest"]] = frame.payload;
        return {};
      });
      return answer({{"stored", blobs_.size()}});
    });
    add("POST", "/api/v1/blobs/missing", [this](Request& request) {
      Json missing = Json::array();
      for (const auto& digest : strings_at(Json::parse(request.body), "digests")) {
        if (!blobs_.contains(digest)) missing.push_back(digest);
      }
      return answer({{"missing", missing}});
    });
    add("PUT", "/api/v1/blobs/{digest}", [this](Request& request) {
      const auto offset = std::stoul(*request.query_value("offset"));
      std::string& blob = blobs_[request.parameters["digest"]];
      blob.resize(offset);
      blob += request.body;
      return answer({{"size", blob.size()}}, 201);
    });
    add("GET", "/api/v1/blobs/{digest}/upload", [](Request&) { return answer({{"stored", false}, {"active", true}, {"received", 3}}); });
    add("GET", "/api/v1/blobs/{digest}", [this](Request& request) {
      const std::string range = request.header("range");
      Response response;
      response.content_type = "application/octet-stream";
      response.body = blobs_[request.parameters["digest"]];
      if (range == "bytes=2-") {
        response.status = 206;
        response.body = response.body.substr(2);
      }
      return response;
    });
    add("POST", "/api/v1/blobs/fetch", [this](Request& request) {
      Response response;
      response.content_type = kFramesType;
      const Json body = Json::parse(request.body);
      for (const Json& digest : body["digests"]) {
        const auto blob = blobs_.find(digest.get<std::string>());
        if (blob != blobs_.end()) append_frame(response.body, {{"digest", digest}}, blob->second);
      }
      return response;
    });
    auto listening = HttpServer::listen({}, std::move(router));
    ASSERT_TRUE(listening) << listening.error().message;
    server_ = std::move(*listening);
    server_->start();
    transport_ =
        http_transports({"http://127.0.0.1:" + std::to_string(server_->port()), "t", ""})().value();
  }

  std::string blob(const std::string& digest) {
    const std::lock_guard lock(mutex_);
    return blobs_[digest];
  }

  const std::string digest_ = sha256_hex("hello");
  std::mutex mutex_;  // the server's threads fill what follows
  std::string manifest_;
  std::map<std::string, std::string> blobs_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<SnapshotTransport> transport_;
};

TEST_F(SnapshotTransportTest, ManifestGoesAndComesBack) {
  const std::string text = "[\"a.py\",\"100644\",5,\"" + digest_ + "\"]\n";
  const auto created = transport_->create_snapshot(text);
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_FALSE(created->created);
  EXPECT_EQ(created->missing, std::vector<std::string>{digest_});
  const auto manifest = transport_->get_snapshot(sha256_hex(text));
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest_text(*manifest), text);
}

TEST_F(SnapshotTransportTest, BlobsByFramesAndByPieces) {
  std::string frames;
  append_frame(frames, {{"digest", digest_}}, "hello");
  ASSERT_TRUE(transport_->put_blobs(frames));
  EXPECT_EQ(blob(digest_), "hello");
  const auto state = transport_->blob_upload_state(digest_);
  EXPECT_EQ(state->received, 3U);
  EXPECT_TRUE(state->is_active && !state->is_stored);

  std::vector<std::string> pieces = {"l", "o!", ""};
  std::size_t at = 0;
  ASSERT_TRUE(
      transport_->put_blob(digest_, 3, 6, [&]() -> Result<std::string> { return pieces[at++]; }));
  EXPECT_EQ(blob(digest_), "hello!");

  std::string got;
  const auto take = [&](std::string_view piece) -> Status {
    got += piece;
    return {};
  };
  ASSERT_TRUE(transport_->get_blob(digest_, 0, take));
  EXPECT_EQ(got, "hello!");
  got.clear();
  ASSERT_TRUE(transport_->get_blob(digest_, 2, take));
  EXPECT_EQ(got, "llo!");

  std::map<std::string, std::string> fetched;
  ASSERT_TRUE(transport_->fetch_blobs(
      {digest_}, [&](const std::string& digest, std::string_view bytes) -> Status {
        fetched[digest] = bytes;
        return {};
      }));
  EXPECT_EQ(fetched[digest_], "hello!");
}

TEST_F(SnapshotTransportTest, AConnectionThatIsThereServesAsWell) {
  ApiClient api({"http://127.0.0.1:" + std::to_string(server_->port()), "t", ""});
  HttpSnapshotTransport transport(api);
  EXPECT_EQ(transport.missing_blobs({digest_}).value(), std::set<std::string>{digest_});
  std::string frames;
  append_frame(frames, {{"digest", digest_}}, "hello");
  ASSERT_TRUE(transport.put_blobs(frames));
  EXPECT_TRUE(transport.missing_blobs({digest_}).value().empty());
}

TEST_F(SnapshotTransportTest, ErrorsOfReaderAndSinkComeBack) {
  const auto uploaded = transport_->put_blob(digest_, 0, 10, []() -> Result<std::string> {
    return fail(ErrorCode::kFailedPrecondition, "train.py changed");
  });
  ASSERT_FALSE(uploaded);
  EXPECT_EQ(uploaded.error().message, "train.py changed");
  std::string frames;
  append_frame(frames, {{"digest", digest_}}, "hello");
  ASSERT_TRUE(transport_->put_blobs(frames));
  const auto refuse = [](std::string_view) -> Status {
    return fail(ErrorCode::kResourceExhausted, "disk full");
  };
  EXPECT_EQ(transport_->get_blob(digest_, 0, refuse).error().message, "disk full");
  const auto none = [](const std::string&, std::string_view) -> Status { return {}; };
  EXPECT_EQ(transport_->fetch_blobs({digest_, sha256_hex("absent")}, none).error().code,
            ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace roost

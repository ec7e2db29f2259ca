#pragma once

#include <gtest/gtest.h>
#include <sys/inotify.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/files.h"
#include "base/frames.h"
#include "base/fake_clock.h"
#include "domain/manifest.h"
#include "net/http_server.h"
#include "runner/attempt.h"

namespace roost {

// A node with a data folder of its own, a clock that a test turns, and a small server that keeps blobs and streams,
// remembers what an attempt told it, and answers otherwise where it is told to.
class AttemptTest : public testing::Test {
 protected:
  struct Call {
    std::string what;
    Json body;
  };

  void SetUp() override {
    Router router;
    const auto add = [&](const char* method, const char* pattern, const Handler& handler) {
      router.add({method, pattern, pattern, {64 << 20, false}, [this, handler](Request& request) {
        const std::lock_guard lock(mutex_);
        return handler(request);
      }});
    };
    add("POST", "/api/v1/attempts/{run}/{attempt}/{what}", [this](Request& request) { return take_call(request); });
    add("POST", "/api/v1/blobs/missing", [this](Request& request) {
      Json missing = Json::array();
      for (const auto& digest : strings_at(Json::parse(request.body), "digests")) {
        if (!blobs_.contains(digest)) missing.push_back(digest);
      }
      return answer({{"missing", missing}});
    });
    add("POST", "/api/v1/blobs", [this](Request& request) {
      if (auto told = told_answer("blobs")) return std::move(*told);
      FrameReader reader(1 << 24);
      (void)reader.feed(request.body, [&](Frame frame) -> Status {
        blobs_[text_at(frame.header, "digest")] = frame.payload;
        return {};
      });
      return answer(Json::object());
    });
    add("GET", "/api/v1/blobs/{digest}", [this](Request& request) {
      Response response;
      response.content_type = "application/octet-stream";
      response.body = blobs_[request.parameters["digest"]];
      return response;
    });
    add("POST", "/api/v1/blobs/fetch", [this](Request& request) {
      Response response;
      response.content_type = kFramesType;
      for (const auto& digest : strings_at(Json::parse(request.body), "digests")) {
        append_frame(response.body, {{"digest", digest}}, blobs_[digest]);
      }
      return response;
    });
    HttpServerOptions options;
    options.extra_head = "Roost-Data: ours\r\n";
    server_ = HttpServer::listen(options, std::move(router)).value();
    server_->start();
    url_ = "http://127.0.0.1:" + std::to_string(server_->port());
    settings_.node = "here";
    settings_.folder = root_ / "nodes" / "here";
    settings_.cache = root_ / "nodes" / "cache";
    settings_.sdk = root_ / "nodes" / "cache" / "sdk";
    settings_.server_file = (root_ / "server.json").string();
    settings_.data_id = "ours";
    for (const auto& folder : {settings_.folder, settings_.cache, settings_.sdk}) ASSERT_TRUE(make_folders(folder));
    ASSERT_TRUE(write_file_atomic(settings_.server_file, to_text({{"url", url_}, {"token_file", "owner.token"}})));
    settings_.spare = std::make_unique<SpareFolder>(settings_.folder / "spare");
    settings_.output_watch.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    settings_.mpi_watch.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  }
  void TearDown() override {
    server_->stop();
    (void)remove_tree(root_);
  }

  // An order of one process, with more in it or something else.
  static Json order(const Json& more = Json::object()) {
    Json order = {{"run", "r"}, {"attempt", 1}, {"node_rank", 0}, {"token", "t"}, {"user", "somebody"}, {"command", "true"}};
    if (!more.is_null()) order.update(more);
    return order;
  }
  static Json gang(int nodes, int per_node) { return gang_json({Gang::Kind::kPyTorch, nodes, per_node, true, 0, "gloo"}); }

  // The next answers to `what` are these errors, and then as always.
  void tell(const std::string& what, std::deque<ErrorCode> errors) {
    const std::lock_guard lock(mutex_);
    answers_[what] = std::move(errors);
  }
  std::vector<Json> calls(const std::string& what) {
    const std::lock_guard lock(mutex_);
    std::vector<Json> found;
    for (const auto& call : calls_) {
      if (call.what == what) found.push_back(call.body);
    }
    return found;
  }
  // Those but for streams, in their order.
  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const auto& call : calls_) {
      if (call.what != "streams") found.push_back(call.what);
    }
    return found;
  }
  void await(const std::string& what) {
    std::unique_lock lock(mutex_);
    called_.wait(lock, [&] {
      return std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) { return call.what == what; });
    });
  }
  std::string stream(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return streams_[name];
  }
  // A blob that the server has.
  std::string blob(const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    const std::string digest = sha256_hex(bytes);
    blobs_[digest] = bytes;
    return digest;
  }
  bool has_blob(const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    return blobs_.contains(sha256_hex(bytes));
  }
  // A snapshot that the server has, of these files: path -> text; "->x" is a link to x.
  std::string snapshot(const std::map<std::string, std::string>& files) {
    Manifest manifest;
    for (const auto& [path, text] : files) {
      if (text.starts_with("->")) {
        manifest.entries.push_back({path, EntryKind::kSymlink, 0, "", text.substr(2)});
      } else {
        manifest.entries.push_back({path, EntryKind::kFile, text.size(), blob(text), ""});
      }
    }
    return blob(manifest_text(manifest));
  }
  static void write(const std::filesystem::path& file, const std::string& text) {
    ASSERT_TRUE(make_folders(file.parent_path()));
    std::ofstream(file) << text;
  }

  // With a space, as many data folders have one.
  const std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / ("an attempt-" + random_hex(4));
  NodeSettings settings_;
  FakeClock clock_;
  std::string url_;
  bool is_full_ = false;  // the server takes no streams

 private:
  static Response answer(const Json& body) {
    Response response;
    response.body = to_text(body);
    return response;
  }
  std::optional<Response> told_answer(const std::string& what) {
    const auto told = answers_.find(what);
    if (told == answers_.end() || told->second.empty()) return std::nullopt;
    const ErrorCode code = told->second.front();
    told->second.pop_front();
    Response response = answer({{"error", {{"code", error_code_name(code)}, {"message", "so it was told"}}}});
    response.status = http_status(code);
    return response;
  }
  Response take_call(Request& request) {
    const std::string what = request.parameters["what"];
    calls_.push_back({what, what == "streams" ? Json() : Json::parse(request.body)});
    called_.notify_all();
    if (auto told = told_answer(what)) return std::move(*told);
    if (what == "outputs") return answer({{"sets", Json::array()}});
    if (what != "streams") return answer(Json::object());
    Json lengths = Json::object();
    Json failed = Json::object();
    FrameReader reader(1 << 24);
    (void)reader.feed(request.body, [&](Frame frame) -> Status {
      std::string& stream = streams_[text_at(frame.header, "stream")];
      if (is_full_ && !frame.payload.empty()) {
        failed[text_at(frame.header, "stream")] = "no room";
      } else if (size_at(frame.header, "offset") == stream.size()) {
        stream += frame.payload;
      }
      lengths[text_at(frame.header, "stream")] = stream.size();
      return {};
    });
    return answer({{"streams", lengths}, {"failed", failed}, {"full", is_full_}});
  }

  std::unique_ptr<HttpServer> server_;
  std::mutex mutex_;
  std::condition_variable called_;
  std::vector<Call> calls_;
  std::map<std::string, std::deque<ErrorCode>> answers_;
  std::map<std::string, std::string> blobs_;
  std::map<std::string, std::string> streams_;
};

}  // namespace roost

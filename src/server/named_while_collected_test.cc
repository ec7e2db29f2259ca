// Every operation that records the name of a blob, beside garbage collections that come when they do most harm. What is
// answered as stored is there; what is gone is an error.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/digest.h"
#include "blobs/blob_store.h"
#include "domain/manifest.h"
#include "finalize/check_report.h"
#include "finalize/keep_sets.h"
#include "observe/log_store.h"
#include "records/artifact_records.h"
#include "records/attempt_records.h"
#include "records/manifest_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "server/default_compute.h"
#include "server/garbage_job.h"
#include "server/named_blobs.h"
#include "server/rooms.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

class OnePiece final : public BodyReader {
 public:
  explicit OnePiece(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::string> read() override { return std::exchange(bytes_, ""); }

 private:
  std::string bytes_;
};

enum class When {
  kBefore,  // whole collections, each right before the operation holds off the next
  kAround,  // one that has looked at what is named before the operation and removes the rest after it
};

class NamedWhileCollected : public testing::TestWithParam<When> {
 protected:
  using Run = roost::Run;  // testing::Test has a function of that name

  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("roost-named-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
    app_.config.data = folder_;
    app_.db = std::move(Database::open(folder_ / "roost.db").value());
    app_.blobs = std::move(BlobStore::open(folder_ / "blobs", app_.clock, real_files(), std::chrono::seconds(0)).value());
    app_.logs = std::make_unique<LogStore>(folder_ / "logs");
    app_.access = std::make_unique<Access>(*app_.db, app_.clock, "secret");
    ASSERT_TRUE(app_.access->ensure_owner_token(folder_ / "owner.token"));
    token_ = read_file(folder_ / "owner.token").value();
    while (token_.ends_with('\n')) token_.pop_back();
    app_.build_settings.python = "/bin/sh";
    app_.environments = std::move(EnvironmentCache::open(folder_ / "environments").value());
    build_rooms(app_);
    router_ = all_routes(app_);
    ASSERT_TRUE(app_.db->write([&](Tx& tx) -> Status {
      ROOST_CHECK(insert_workspace(tx, "default", 1));
      return insert_default_compute(tx, "default", {}, 1);
    }));
    run_ = call("POST", kWorkspace + "/runs", to_text({{"experiment", "birds"}, {"interactive", true}})).second;
    ASSERT_TRUE(run_.contains("id")) << run_;
  }
  void TearDown() override {
    app_.blobs->call_before_holds({});
    app_.builds.reset();
    ASSERT_TRUE(remove_tree(folder_));
  }

  using Answer = std::pair<int, Json>;
  Answer call(const std::string& method, const std::string& path, const std::string& body) {
    const Router::Match match = router_.find(method, "/api/v1" + path);
    EXPECT_TRUE(match.route) << path;
    OnePiece piece(body);
    Request request;
    request.method = method;
    request.path = "/api/v1" + path;
    request.parameters = match.parameters;
    request.headers["authorization"] = "Bearer " + token_;
    request.body = body;
    request.body_stream = &piece;
    const Response response = match.route->handler(request);
    return {response.status, stored_json(response.body)};
  }
  // The same with collections beside it.
  Answer call_beside(const std::string& method, const std::string& path, const std::string& body) {
    return beside([&] { return call(method, path, body); });
  }
  template <typename Work>
  std::invoke_result_t<Work> beside(const Work& work) {
    if (GetParam() == When::kBefore) {
      app_.blobs->call_before_holds([this] { collect(); });
      auto answer = work();
      app_.blobs->call_before_holds({});
      EXPECT_GT(collected_, 0) << "the operation holds nothing off";
      return answer;
    }
    const GarbageParts parts{*app_.db, *app_.blobs, app_.clock, folder_};
    EXPECT_TRUE(app_.blobs->sync());
    app_.blobs->begin_sweep();
    DigestSet named;
    EXPECT_TRUE(find_named_blobs(parts, named, [](const std::string& problem) { ADD_FAILURE() << problem; }));
    auto answer = work();
    const auto is_named = [&](const std::string& digest) { return named.has(digest); };
    app_.blobs->sweep_unsynced(0, is_named);
    for (int shard = 0; shard < BlobStore::kShards; ++shard) app_.blobs->sweep_shard(shard, 0, is_named);
    app_.blobs->end_sweep();
    collect();
    return answer;
  }
  void collect() {
    app_.garbage->start(0, false);
    while (text_at(app_.garbage->state(), "status") == "running") ::usleep(100);
    EXPECT_EQ(text_at(app_.garbage->state(), "status"), "done");
    EXPECT_EQ(array_at(app_.garbage->state(), "problems").size(), 0U) << app_.garbage->state();
    ++collected_;
  }

  std::string run_id() const { return text_at(run_, "id"); }
  std::string put(const std::string& bytes) { return app_.blobs->put(bytes).value(); }
  Manifest manifest_of(const std::string& path, const std::string& bytes) {
    Manifest manifest;
    ManifestEntry entry;
    entry.path = path;
    entry.digest = sha256_hex(bytes);
    entry.size = bytes.size();
    manifest.size = entry.size;
    manifest.entries.push_back(entry);
    return manifest;
  }
  // On the server whole, and named by nothing.
  std::string upload_snapshot() {
    put("print(1)");
    const auto [status, answer] = call("POST", "/snapshots", manifest_text(manifest_of("train.py", "print(1)")));
    EXPECT_TRUE(answer["created"].get<bool>()) << status << answer;
    return text_at(answer, "digest");
  }
  void open_attempt() {
    ASSERT_TRUE(app_.db->write([&](Tx& tx) -> Status {
      ROOST_TRY(const Run run, find_run(tx, run_id()));
      return insert_attempt(tx, {run.seq, 1, "n1", true, 1, {}, {}}, {"n1"}, "token", 1);
    }));
  }
  // What the answer promised is there after any number of collections; nothing was promised by an error.
  void expect_there(const std::vector<std::string>& digests) {
    collect();
    for (const auto& digest : digests) EXPECT_TRUE(app_.blobs->read(digest)) << digest;
  }

  const std::string kWorkspace = "/workspaces/default";
  std::filesystem::path folder_;
  App app_;
  Router router_;
  std::string token_;
  Json run_;
  int collected_ = 0;
};

TEST_P(NamedWhileCollected, AnArtifact) {
  const auto [status, answer] = call_beside("PUT", "/runs/" + run_id() + "/artifacts/outputs/a", "bytes");
  ASSERT_EQ(status, 201) << answer;
  expect_there({sha256_hex("bytes")});
}

TEST_P(NamedWhileCollected, AModelOfOutputs) {
  ASSERT_EQ(call("PUT", "/runs/" + run_id() + "/artifacts/outputs/net/a", "bytes").first, 201);
  const auto [status, answer] = call_beside("POST", kWorkspace + "/models",
                                            to_text({{"name", "net"}, {"run", run_id()}, {"path", "outputs/net"}}));
  ASSERT_EQ(status, 201) << answer;
  expect_there({text_at(answer, "content"), sha256_hex("bytes")});
  EXPECT_EQ(call("GET", "/snapshots/" + text_at(answer, "content"), "").first, 200);
}

TEST_P(NamedWhileCollected, ASnapshotWhoseFilesAreNamedElsewhere) {
  ASSERT_EQ(call("PUT", "/runs/" + run_id() + "/artifacts/outputs/a", "bytes").first, 201);
  const std::string text = manifest_text(manifest_of("a", "bytes"));
  const auto [status, answer] = beside([&] {
    auto made = call("POST", "/snapshots", text);
    // No run names it yet; a model does before the next collection.
    app_.blobs->call_before_holds({});
    EXPECT_EQ(call("POST", kWorkspace + "/models", to_text({{"name", "net"}, {"content", sha256_hex(text)}})).first, 201);
    return made;
  });
  ASSERT_TRUE(answer["created"].get<bool>()) << status << answer;
  expect_there({sha256_hex(text), sha256_hex("bytes")});
}

TEST_P(NamedWhileCollected, ASnapshotWhoseFilesWereOnlyUploaded) {
  put("bytes");
  const auto [status, answer] = call_beside("POST", "/snapshots", manifest_text(manifest_of("a", "bytes")));
  ASSERT_EQ(status, 200) << answer;
  const bool is_created = GetParam() == When::kAround;
  EXPECT_EQ(answer["created"].get<bool>(), is_created);
  EXPECT_EQ(answer["missing"].size(), is_created ? 0U : 1U) << "who is told so uploads it again";
}

TEST_P(NamedWhileCollected, AModelOfUploadedContent) {
  const std::string content = upload_snapshot();
  const auto [status, answer] =
      call_beside("POST", kWorkspace + "/models", to_text({{"name", "net"}, {"content", content}}));
  if (GetParam() == When::kBefore) {
    EXPECT_EQ(status, 409) << answer;
    return;
  }
  ASSERT_EQ(status, 201) << answer;
  expect_there({content, sha256_hex("print(1)")});
}

TEST_P(NamedWhileCollected, ARun) {
  const std::string content = upload_snapshot();
  const auto [status, answer] = call_beside(
      "POST", kWorkspace + "/runs", to_text({{"experiment", "birds"}, {"script", "train.py"}, {"snapshot", content}}));
  if (GetParam() == When::kBefore) {
    EXPECT_EQ(status, 409) << answer;
    return;
  }
  ASSERT_EQ(status, 201) << answer;
  expect_there({content, sha256_hex("print(1)")});
}

TEST_P(NamedWhileCollected, AnInputOfARun) {
  const std::string content = upload_snapshot();
  const auto [status, answer] =
      call_beside("POST", kWorkspace + "/runs",
                  to_text({{"experiment", "birds"}, {"command", "true"},
                           {"inputs", {{{"name", "code"}, {"content", content}}}}}));
  if (GetParam() == When::kBefore) {
    EXPECT_EQ(status, 409) << answer;
    return;
  }
  ASSERT_EQ(status, 201) << answer;
  expect_there({content, sha256_hex("print(1)")});
}

TEST_P(NamedWhileCollected, ASweep) {
  const std::string content = upload_snapshot();
  const Json body = {{"run", {{"experiment", "birds"}, {"script", "train.py"}, {"snapshot", content}}},
                     {"space", {{{"name", "lr"}, {"expression", "uniform"}, {"values", {0.1, 0.9}}}}},
                     {"sampling", {{"type", "random"}, {"seed", 7}}},
                     {"metric", {{"name", "accuracy"}, {"goal", "maximize"}}},
                     {"max_total_runs", 4}};
  const auto [status, answer] = call_beside("POST", kWorkspace + "/sweeps", to_text(body));
  if (GetParam() == When::kBefore) {
    EXPECT_EQ(status, 409) << answer;
    return;
  }
  ASSERT_EQ(status, 201) << answer;
  expect_there({content, sha256_hex("print(1)")});
}

TEST_P(NamedWhileCollected, AFileOfADatastore) {
  ASSERT_LT(call("POST", kWorkspace + "/datastores", to_text({{"name", "store"}})).first, 300);
  const std::string digest = put("bytes");
  const auto [status, answer] =
      call_beside("POST", kWorkspace + "/datastores/store/files",
                  to_text({{"files", {{{"path", "a"}, {"digest", digest}, {"size", 5}}}}}));
  if (GetParam() == When::kBefore) {
    EXPECT_EQ(status, 409) << answer;
    return;
  }
  ASSERT_EQ(status, 200) << answer;
  expect_there({digest});
}

TEST_P(NamedWhileCollected, AReportedOutput) {
  open_attempt();
  const std::string digest = put("bytes");
  FinishReport report;
  report.outcome = "exited";
  report.outputs.push_back({"outputs/a", digest, 5});
  const Status done = beside([&]() -> Status {
    ROOST_TRY(const auto hold, check_report(*app_.finalize, {run_id(), 1}, report));
    return app_.db->write([&](Tx& tx) -> Status {
      ROOST_TRY(const Run run, find_run(tx, run_id()));
      return record_outputs(tx, run, report, 1, 2);
    });
  });
  if (GetParam() == When::kBefore) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kFailedPrecondition) << "the runner sends it again";
    return;
  }
  ASSERT_TRUE(done) << done.error().message;
  expect_there({digest});
}

TEST_P(NamedWhileCollected, AKeptOutput) {
  open_attempt();
  const std::string digest = put("bytes");
  KeepReport report;
  report.ended = true;
  FolderReport outputs;
  outputs.folder = "outputs";
  outputs.settled = true;
  outputs.rest = 3600 * kSecond;
  outputs.files.push_back({"outputs/a", digest, 5});
  report.folders.push_back(outputs);
  const auto kept = beside([&] { return keep_sets(*app_.finalize, {run_id(), 1}, report); });
  if (GetParam() == When::kBefore) {
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, ErrorCode::kFailedPrecondition);
    return;
  }
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_EQ(*kept, std::vector<std::string>{"outputs"});
  expect_there({digest});
}

INSTANTIATE_TEST_SUITE_P(Collections, NamedWhileCollected, testing::Values(When::kBefore, When::kAround),
                         [](const auto& info) { return info.param == When::kBefore ? "Before" : "Around"; });

}  // namespace
}  // namespace roost

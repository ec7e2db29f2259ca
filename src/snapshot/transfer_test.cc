#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "snapshot/fake_snapshot_transport.h"
#include "snapshot/restore.h"
#include "snapshot/test_tree.h"
#include "snapshot/upload.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

std::string random_bytes(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = random();
    out.replace(i, std::min<std::size_t>(8, size - i), reinterpret_cast<const char*>(&word),
                std::min<std::size_t>(8, size - i));
  }
  return out;
}

void fill(const TestTree& tree) {
  tree.write("train.py", "print('hi')");
  tree.write("same.py", "print('hi')");
  tree.write("nothing", "");
  tree.write("bin/run", "#!/bin/sh");
  tree.executable("bin/run");
  tree.folder("out/put");
  tree.symlink("bin/latest", "run");
  tree.symlink("dangling", "no/where");
  tree.write("large.bin", random_bytes(1'500'000, 1));
  tree.write("copy/large.bin", random_bytes(1'500'000, 1));
  tree.write("other.bin", random_bytes(kSmallBlob, 2));
  for (unsigned i = 0; i < 60; ++i)
    tree.write("many/" + std::to_string(i), random_bytes(200'000, 10 + i));
}

TransferOptions quick(int lanes = 4) {
  TransferOptions options;
  options.lanes = lanes;
  options.retry_delay = std::chrono::milliseconds(1);
  return options;
}

class Transfer : public testing::Test {
 protected:
  ScannedTree scanned() {
    auto out = scan_tree(tree.path());
    EXPECT_TRUE(out) << out.error().message;
    return std::move(*out);
  }
  Result<UploadedSnapshot> upload(const ScannedTree& snapshot,
                                  const TransferOptions& options = quick()) {
    return upload_snapshot(snapshot, server.factory(), options);
  }

  TestTree tree;
  FakeSnapshotServer server;
};

TEST_F(Transfer, SendsWhatIsMissingAndRestoresTheSameTree) {
  fill(tree);
  const ScannedTree snapshot = scanned();
  for (const int lanes : {1, 4}) {
    server.blobs.clear();
    server.snapshots.clear();
    server.put_blobs_calls = 0;
    TransferProgress last;
    TransferOptions options = quick(lanes);
    options.progress = [&](const TransferProgress& now) {
      EXPECT_LE(now.bytes_done, now.bytes_total);
      EXPECT_GE(now.bytes_done, last.bytes_done);
      last = now;
    };
    const auto sent = upload(snapshot, options);
    ASSERT_TRUE(sent) << sent.error().message;
    EXPECT_TRUE(sent->created);
    EXPECT_EQ(sent->blobs, 65U);
    EXPECT_EQ(last.bytes_done, sent->bytes);
    EXPECT_EQ(last.bytes_total, sent->bytes);
    EXPECT_EQ(last.files_done, 65U);
    EXPECT_EQ(server.put_blobs_calls, 2);
    EXPECT_LE(server.largest_body, kBatchBytes);
    EXPECT_TRUE(server.snapshots.contains(snapshot.digest));

    const auto again = upload(snapshot);
    ASSERT_TRUE(again);
    EXPECT_FALSE(again->created);
    EXPECT_EQ(again->blobs, 0U);
    EXPECT_EQ(server.put_blobs_calls, 2);

    FakeSnapshotTransport transport(server);
    const auto manifest = fetch_manifest(transport, snapshot.digest);
    ASSERT_TRUE(manifest);
    TestTree place;
    last = {};
    const auto restored =
        restore_snapshot(*manifest, place.path("new/tree"), server.factory(), options);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(last.files_done, 65U);
    const auto rescanned = scan_tree(place.path("new/tree"));
    EXPECT_EQ(rescanned->digest, snapshot.digest);
    EXPECT_EQ(place.content().size(), tree.content().size() + 2);
    struct stat info{};
    ASSERT_EQ(::stat(place.path("new/tree/bin/run").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0755U);
    ASSERT_EQ(::stat(place.path("new/tree/train.py").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0644U);
  }
}

TEST_F(Transfer, AnEmptyTreeIsASnapshotToo) {
  const ScannedTree snapshot = scanned();
  ASSERT_TRUE(upload(snapshot));
  ASSERT_TRUE(restore_snapshot(snapshot.manifest, tree.path("x"), server.factory()));
  EXPECT_TRUE(fs::is_empty(tree.path("x")));
}

TEST_F(Transfer, ABrokenConnectionIsMendedInOneCall) {
  fill(tree);
  const ScannedTree snapshot = scanned();
  for (const std::int64_t bytes : {0, 100'000, 900'000, 5'000'000, 12'000'000}) {
    FakeSnapshotServer fresh;
    fresh.break_after_bytes = bytes;
    fresh.fail_requests = 2;
    const auto sent = upload_snapshot(snapshot, fresh.factory(), quick());
    ASSERT_TRUE(sent) << sent.error().message;
    EXPECT_EQ(fresh.breaks, 1);
    fresh.break_after_bytes = bytes;
    fresh.fail_requests = 2;
    TestTree place;
    const auto restored =
        restore_snapshot(snapshot.manifest, place.path("t"), fresh.factory(), quick());
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(fresh.breaks, 2);
    EXPECT_EQ(scan_tree(place.path("t"))->digest, snapshot.digest);
  }
}

TEST_F(Transfer, ALaterUploadGoesOnWhereTheFirstBroke) {
  tree.write("large.bin", random_bytes(4'000'000, 5));
  const ScannedTree snapshot = scanned();
  TransferOptions once = quick();
  once.tries = 1;
  server.break_after_bytes = 3'000'000;
  const auto broken = upload(snapshot, once);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(server.snapshots.empty());
  const std::uint64_t before = server.bytes_received;
  EXPECT_GT(before, 2'500'000U);
  ASSERT_TRUE(upload(snapshot, once));
  EXPECT_EQ(server.bytes_received, 4'000'000U) << "nothing twice";
}

TEST_F(Transfer, BytesKeptFromSomethingElseAreSentAfresh) {
  tree.write("large.bin", random_bytes(1'000'000, 5));
  const ScannedTree snapshot = scanned();
  server.uploads[snapshot.manifest.entries[0].digest] = std::string(300'000, 'x');
  ASSERT_TRUE(upload(snapshot));
  EXPECT_EQ(server.put_blob_calls, 2);
}

TEST_F(Transfer, AFileThatSomebodyElseIsSendingIsNotSentTwice) {
  server.others_blob = random_bytes(1'000'000, 5);
  server.others_send = 2;
  tree.write("large.bin", server.others_blob);
  const ScannedTree snapshot = scanned();
  ASSERT_TRUE(upload(snapshot));
  EXPECT_EQ(server.put_blob_calls, 0);
}

TEST_F(Transfer, SomebodyElseWhoIsSlowIsNotWaitedForLong) {
  server.others_blob = random_bytes(1'000'000, 5);
  server.others_send = 1000;
  tree.write("large.bin", server.others_blob);
  const ScannedTree snapshot = scanned();
  ASSERT_TRUE(upload(snapshot));
  EXPECT_EQ(server.put_blob_calls, 1);
}

TEST_F(Transfer, AFileThatChangedIsNamed) {
  for (const std::string name : {"small.py", "large.bin"}) {
    for (const char* how : {"same size", "longer", "gone"}) {
      const TestTree source;
      const std::size_t size = name == "large.bin" ? 1'000'000 : 100;
      source.write("d/" + name, std::string(size, 'a'));
      source.write("other", "o");
      const auto snapshot = scan_tree(source.path());
      if (how == std::string("same size")) source.write("d/" + name, std::string(size, 'b'));
      if (how == std::string("longer")) source.write("d/" + name, std::string(size + 1, 'a'));
      if (how == std::string("gone")) fs::remove(source.path("d/" + name));
      FakeSnapshotServer fresh;
      const auto sent = upload_snapshot(*snapshot, fresh.factory(), quick());
      ASSERT_FALSE(sent) << name << how;
      EXPECT_EQ(sent.error().code, ErrorCode::kFailedPrecondition);
      EXPECT_NE(sent.error().message.find("d/" + name + " changed"), std::string::npos)
          << sent.error().message;
      EXPECT_TRUE(fresh.snapshots.empty());
    }
  }
}

TEST_F(Transfer, RestoreRefusesAPlaceThatIsTaken) {
  tree.write("f", "1");
  const ScannedTree snapshot = scanned();
  ASSERT_TRUE(upload(snapshot));
  TestTree place;
  place.write("taken/x", "");
  place.write("file", "");
  place.folder("empty");
  for (const char* taken : {"taken", "file"}) {
    const auto restored = restore_snapshot(snapshot.manifest, place.path(taken), server.factory());
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::kAlreadyExists);
  }
  ASSERT_TRUE(restore_snapshot(snapshot.manifest, place.path("empty/"), server.factory()));
  EXPECT_EQ(place.content(), (std::map<std::string, std::string>{{"taken", "folder"},
                                                                 {"taken/x", "- "},
                                                                 {"file", "- "},
                                                                 {"empty", "folder"},
                                                                 {"empty/f", "- 1"}}));
}

TEST_F(Transfer, AFailedRestoreLeavesNothing) {
  fill(tree);
  const ScannedTree snapshot = scanned();
  ASSERT_TRUE(upload(snapshot));
  TestTree place;
  place.folder("empty");
  const auto before = place.content();
  TransferOptions once = quick();
  once.tries = 1;
  for (const char* where : {"new", "empty", "deep/er"}) {
    server.break_after_bytes = 6'000'000;
    const auto broken =
        restore_snapshot(snapshot.manifest, place.path(where), server.factory(), once);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, ErrorCode::kUnavailable);
    server.damage_answers = true;
    server.break_after_bytes = -1;
    const auto damaged =
        restore_snapshot(snapshot.manifest, place.path(where), server.factory(), once);
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().code, ErrorCode::kDataMismatch);
    server.damage_answers = false;
    fs::remove(place.path("deep"));  // a parent that was asked for may stay
    EXPECT_EQ(place.content(), before) << where;
  }
  FakeSnapshotServer empty;
  const auto missing =
      restore_snapshot(snapshot.manifest, place.path("new"), empty.factory(), once);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(place.content(), before);
}

TEST_F(Transfer, RestoreWritesNothingOutsideWhateverTheManifestSays) {
  const std::string digest = sha256_hex("evil");
  server.blobs[digest] = "evil";
  TestTree place;
  place.write("victim/f", "good");
  const auto attempt = [&](std::vector<ManifestEntry> entries) {
    Manifest manifest;
    for (auto& entry : entries) manifest.size += entry.size;
    manifest.entries = std::move(entries);
    return restore_snapshot(manifest, place.path("t"), server.factory());
  };
  EXPECT_FALSE(attempt({{"../victim/f", EntryKind::kFile, 4, digest, ""}}));
  EXPECT_FALSE(attempt({{"/tmp/evil-roost", EntryKind::kFile, 4, digest, ""}}));
  EXPECT_FALSE(attempt(
      {{"l", EntryKind::kSymlink, 0, "", "../victim"}, {"l/f", EntryKind::kFile, 4, digest, ""}}));
  EXPECT_FALSE(attempt({{"l", EntryKind::kSymlink, 0, "", "../victim"}}));
  EXPECT_EQ(place.content(),
            (std::map<std::string, std::string>{{"victim", "folder"}, {"victim/f", "- good"}}));
}

TEST_F(Transfer, CanBeStopped) {
  fill(tree);
  const ScannedTree snapshot = scanned();
  std::stop_source stop;
  TransferOptions options = quick();
  options.stop = stop.get_token();
  options.progress = [&](const TransferProgress& now) {
    if (now.bytes_done > 0) stop.request_stop();
  };
  const auto stopped = upload(snapshot, options);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "the transfer was stopped");
}

TEST_F(Transfer, RefusesAManifestThatIsNotTheOneAskedFor) {
  tree.write("f", "1");
  const ScannedTree snapshot = scanned();
  server.snapshots[sha256_hex("x")] = manifest_text(snapshot.manifest);
  FakeSnapshotTransport transport(server);
  EXPECT_EQ(fetch_manifest(transport, sha256_hex("x")).error().code, ErrorCode::kDataMismatch);
}

TEST(BlobLanes, BatchesKeepTheirLimits) {
  std::vector<BlobWork> blobs;
  std::mt19937 random(1);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < 20'000; ++i) {
    const std::uint64_t size = random() % (i % 50 == 0 ? 3'000'000 : 3'000);
    blobs.push_back({std::to_string(i), size, i});
    total += size;
  }
  std::size_t count = 0;
  for (const auto& batch : make_batches(blobs)) {
    std::uint64_t bytes = 0;
    for (const auto& blob : batch) bytes += blob.size;
    if (batch.size() > 1) {
      EXPECT_LE(bytes, kBatchBytes);
      EXPECT_LT(batch.front().size, kSmallBlob);
    }
    count += batch.size();
    total -= bytes;
  }
  EXPECT_EQ(count, 20'000U);
  EXPECT_EQ(total, 0U);
  EXPECT_TRUE(make_batches({}).empty());
}

}  // namespace
}  // namespace roost

#include "blobs/blob_store.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <thread>

namespace roost {
namespace {

class BlobStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("blobs-" + random_hex(4));
    reopen();
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }
  void reopen(std::chrono::seconds lease = BlobStore::kLease) {
    store_.reset();
    auto opened = BlobStore::open(folder_, clock_, real_files(), lease);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }

  BlobStore::Swept sweep(Micros grace, const std::set<std::string>& wanted) {
    BlobStore::Swept all;
    for (int shard = 0; shard < BlobStore::kShards; ++shard) {
      const auto swept =
          store_->sweep_shard(shard, grace, [&](const std::string& digest) { return wanted.contains(digest); });
      all.removed += swept.removed;
      all.kept += swept.kept;
      all.bytes += swept.bytes;
    }
    return all;
  }
  void make_old(const std::string& digest) {
    std::filesystem::last_write_time(store_->path(digest).value(),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  void damage(const std::string& digest, const std::string& bytes) {
    const auto file = store_->path(digest).value();
    std::filesystem::permissions(file, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    std::ofstream(file, std::ios::trunc) << bytes;
  }
  bool is_empty(const char* part) const { return std::filesystem::is_empty(folder_ / part); }

  SystemClock clock_;
  std::filesystem::path folder_;
  std::unique_ptr<BlobStore> store_;
};

TEST_F(BlobStoreTest, WhatCannotBeSyncedCanStillBeRemoved) {
  reopen(std::chrono::seconds(0));
  const auto garbage = store_->put("garbage").value();
  const auto named = store_->put("named").value();
  make_old(garbage);
  make_old(named);
  store_->begin_sweep();
  const auto swept = store_->sweep_unsynced(0, [&](const std::string& digest) { return digest == named; });
  store_->end_sweep();
  EXPECT_EQ(swept.removed, 1);
  EXPECT_EQ(swept.kept, 1);
  EXPECT_FALSE(store_->has(garbage));
  ASSERT_TRUE(store_->sync()) << "nobody misses it";
  EXPECT_EQ(store_->read(named).value(), "named");
}

TEST_F(BlobStoreTest, GivesBackWhatWasPutBeforeAndAfterSync) {
  const auto digest = store_->put("hello").value();
  EXPECT_EQ(store_->read(digest).value(), "hello");
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(store_->read(digest).value(), "hello");
  EXPECT_EQ(store_->size(digest).value(), 5U);
  reopen();
  EXPECT_TRUE(store_->has(digest));
}

TEST_F(BlobStoreTest, RefusesBytesOfAnotherDigestAndBadNames) {
  EXPECT_EQ(store_->put(sha256_hex("a"), "b").error().code, ErrorCode::kDataMismatch);
  EXPECT_FALSE(store_->has(sha256_hex("a")));
  EXPECT_EQ(store_->path("../../etc/passwd").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(BlobStoreTest, AnUploadCutOffGoesOnWhereItStopped) {
  const std::string bytes(100'000, 'x');
  const auto digest = sha256_hex(bytes);
  {
    auto upload = store_->begin_upload(digest, 0);
    ASSERT_TRUE(upload);
    ASSERT_TRUE(upload->append(std::string_view(bytes).substr(0, 60'000)));
    EXPECT_TRUE(store_->upload_state(digest).is_active);
  }
  EXPECT_FALSE(store_->has(digest));
  EXPECT_FALSE(store_->upload_state(digest).is_active);
  EXPECT_EQ(store_->upload_state(digest).received, 60'000U);
  reopen();
  EXPECT_EQ(store_->begin_upload(digest, 60'001).error().code, ErrorCode::kFailedPrecondition);
  auto upload = store_->begin_upload(digest, 60'000);
  ASSERT_TRUE(upload);
  EXPECT_EQ(upload->received(), 60'000U);
  ASSERT_TRUE(upload->append(std::string_view(bytes).substr(60'000)));
  ASSERT_TRUE(upload->finish());
  EXPECT_EQ(store_->read(digest).value(), bytes);
  EXPECT_TRUE(is_empty("partial"));
}

TEST_F(BlobStoreTest, TheFileOfAnUploadCanBeWrittenByItsOwnerAlone) {
  auto upload = store_->begin_upload(sha256_hex("secret"), 0);
  ASSERT_TRUE(upload->append("secret"));
  const auto entry = *std::filesystem::directory_iterator(folder_ / "partial");
  EXPECT_EQ(static_cast<unsigned>(entry.status().permissions()), 0600U);
  ASSERT_TRUE(upload->finish());
  const auto stored = store_->path(sha256_hex("secret")).value();
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(stored).permissions()), 0444U);
}

TEST_F(BlobStoreTest, UploadsOfTheSameBytesAllSucceed) {
  const std::string bytes(100'000, 'x');
  const auto digest = sha256_hex(bytes);
  auto first = store_->begin_upload(digest, 0);
  ASSERT_TRUE(first->append(std::string_view(bytes).substr(0, 60'000)));
  auto second = store_->begin_upload(digest, 0);
  ASSERT_TRUE(second->append(std::string_view(bytes).substr(0, 10)));
  auto third = store_->begin_upload(digest, 60'000);
  ASSERT_TRUE(third) << "what the first has received is good for others";
  ASSERT_TRUE(third->append(std::string_view(bytes).substr(60'000)));
  EXPECT_FALSE(first->is_overtaken());
  ASSERT_TRUE(third->finish());
  EXPECT_TRUE(first->is_overtaken());
  EXPECT_TRUE(store_->upload_state(digest).is_stored);
  ASSERT_TRUE(store_->sync());
  ASSERT_TRUE(first->append(std::string_view(bytes).substr(60'000)));
  ASSERT_TRUE(first->finish());
  ASSERT_TRUE(second->append(std::string_view(bytes).substr(10)));
  ASSERT_TRUE(second->finish());
  ASSERT_TRUE(store_->sync());
  EXPECT_EQ(store_->read(digest).value(), bytes);
  EXPECT_TRUE(is_empty("partial"));
  EXPECT_TRUE(is_empty("new"));
}

TEST_F(BlobStoreTest, OnlyTheLongestUploadThatBrokeOffIsKept) {
  const auto digest = sha256_hex("x");
  for (const std::size_t size : {10U, 30U, 20U}) {
    ASSERT_TRUE(store_->begin_upload(digest, 0)->append(std::string(size, 'x')));
  }
  EXPECT_EQ(store_->upload_state(digest).received, 30U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "partial"), {}), 1);
}

TEST_F(BlobStoreTest, AnUploadOfOtherBytesLeavesNothing) {
  const auto digest = sha256_hex("right");
  auto upload = store_->begin_upload(digest, 0);
  ASSERT_TRUE(upload);
  ASSERT_TRUE(upload->append("wrong"));
  EXPECT_EQ(upload->finish().error().code, ErrorCode::kDataMismatch);
  EXPECT_FALSE(store_->has(digest));
  EXPECT_EQ(store_->upload_state(digest).received, 0U);
}

TEST_F(BlobStoreTest, WhatAnUploadUnderWayHasReceivedIsOfferedOnlyUntilItProvesWrong) {
  const auto digest = sha256_hex("right");
  auto liar = store_->begin_upload(digest, 0);
  ASSERT_TRUE(liar->append("w"));
  auto honest = store_->begin_upload(digest, 1);
  ASSERT_TRUE(honest->append("ight"));
  EXPECT_EQ(honest->finish().error().code, ErrorCode::kDataMismatch);
  EXPECT_EQ(store_->upload_state(digest).received, 0U);
  EXPECT_FALSE(store_->upload_state(digest).is_active);
  auto again = store_->begin_upload(digest, 0);
  ASSERT_TRUE(again->append("right"));
  ASSERT_TRUE(again->finish());
}

TEST_F(BlobStoreTest, EqualBytesPutByManyAtOnceDoNotStopSync) {
  for (int round = 0; round < 20; ++round) {
    const std::string bytes = "round " + std::to_string(round);
    const auto digest = sha256_hex(bytes);
    std::vector<std::jthread> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back([&] {
        ASSERT_TRUE(store_->put(digest, bytes));
        const auto synced = store_->sync({digest});
        ASSERT_TRUE(synced) << synced.error().message;
        ASSERT_TRUE(store_->has(digest));
      });
    }
  }
  ASSERT_TRUE(store_->sync());
  EXPECT_TRUE(is_empty("new"));
}

TEST_F(BlobStoreTest, AFileThatSomebodyTookFromNewStopsNobody) {
  const auto lost = store_->put("lost").value();
  const auto kept = store_->put("kept").value();
  std::filesystem::remove(folder_ / "new" / lost);
  ASSERT_TRUE(store_->sync());
  EXPECT_FALSE(store_->has(lost));
  EXPECT_EQ(store_->read(kept).value(), "kept");
}

TEST_F(BlobStoreTest, WhatPowerLossCutOffIsDroppedAtTheNextStart) {
  const auto good = store_->put("good").value();
  const auto torn = sha256_hex("torn");
  std::ofstream(folder_ / "new" / torn) << "to";
  reopen();
  EXPECT_TRUE(store_->has(good));
  EXPECT_FALSE(store_->has(torn));
}

TEST_F(BlobStoreTest, ASweepKeepsTheWantedTheYoungAndTheLeased) {
  const auto wanted = store_->put("wanted").value();
  const auto young = store_->put("young").value();
  const auto leased = store_->put("leased").value();
  const auto other = store_->put("other").value();
  reopen();  // which forgets leases, but not the time of a file
  for (const auto& digest : {wanted, leased, other}) make_old(digest);
  ASSERT_TRUE(store_->size(leased));
  store_->begin_sweep();
  const auto swept = sweep(0, {wanted});
  store_->end_sweep();
  EXPECT_EQ(swept.removed, 1);
  EXPECT_EQ(swept.kept, 3);
  EXPECT_EQ(swept.bytes, 5U);
  EXPECT_FALSE(store_->has(other));
  for (const auto& digest : {wanted, leased, young}) EXPECT_TRUE(store_->has(digest));
}

TEST_F(BlobStoreTest, WhatIsAskedForDuringASweepStays) {
  reopen(std::chrono::seconds(0));
  const auto asked = store_->put("asked").value();
  const auto other = store_->put("other").value();
  ASSERT_TRUE(store_->sync());
  store_->begin_sweep();
  EXPECT_TRUE(store_->has(asked));
  EXPECT_EQ(sweep(0, {}).removed, 1);
  store_->end_sweep();
  EXPECT_TRUE(store_->has(asked));
  EXPECT_FALSE(store_->has(other));
}

// One checks under a hold that its blobs are there and then records that it wants them: however sweeps
// fall between, what it recorded is never removed.
TEST_F(BlobStoreTest, ASweepNeverTakesWhatIsBeingNamed) {
  reopen(std::chrono::seconds(0));
  std::mutex mutex;
  std::set<std::string> named;
  std::atomic<bool> done = false;
  std::thread sweeper([&] {
    while (!done) {
      store_->begin_sweep();
      std::set<std::string> wanted;
      {
        const std::lock_guard lock(mutex);
        wanted = named;
      }
      sweep(0, wanted);
      store_->end_sweep();
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::string bytes = "blob " + std::to_string(i);
    const auto digest = sha256_hex(bytes);
    for (;;) {
      ASSERT_TRUE(store_->put(digest, bytes));
      ASSERT_TRUE(store_->sync({digest}));
      const auto hold = store_->hold();
      if (!store_->has(digest)) continue;
      const std::lock_guard lock(mutex);
      named.insert(digest);
      break;
    }
  }
  done = true;
  sweeper.join();
  for (const auto& digest : named) EXPECT_TRUE(store_->has(digest));
}

TEST_F(BlobStoreTest, ASweepBeginsOnceTheHoldsFromBeforeHaveEnded) {
  auto before = std::make_unique<BlobStore::Hold>(*store_);
  std::atomic<bool> began = false;
  std::thread sweeper([&] {
    store_->begin_sweep();
    began = true;
  });
  while (store_->hold().is_before_sweep()) std::this_thread::yield();
  const auto later = store_->hold();
  EXPECT_FALSE(began);
  before.reset();
  sweeper.join();
  EXPECT_TRUE(began);
}

TEST_F(BlobStoreTest, ADamagedBlobIsNoticedPutAsideAndRepaired) {
  for (const char* how : {"changed", "cut off"}) {
    const std::string bytes = std::string("bytes that are ") + how;
    const auto digest = store_->put(bytes).value();
    ASSERT_TRUE(store_->sync());
    damage(digest, how == std::string("changed") ? "bytes that were " + std::string(how) : "by");
    EXPECT_EQ(store_->read(digest).error().code, ErrorCode::kNotFound);
    EXPECT_NE(store_->read(digest).error().message.find("damaged"), std::string::npos);
    EXPECT_FALSE(store_->has(digest));
    ASSERT_TRUE(store_->put(digest, bytes));
    ASSERT_TRUE(store_->sync());
    EXPECT_EQ(store_->read(digest).value(), bytes);
  }
}

TEST_F(BlobStoreTest, WhoeverOffersTheBytesOfADamagedBlobRepairsIt) {
  const std::string bytes = "these bytes";
  const auto digest = sha256_hex(bytes);
  const auto offers = std::to_array<std::function<void()>>({
      [&] { ASSERT_TRUE(store_->put(digest, bytes)); },
      [&] {
        auto upload = store_->begin_upload(digest, 0);
        ASSERT_TRUE(upload->append(bytes));
        EXPECT_FALSE(upload->is_overtaken());
        ASSERT_TRUE(upload->finish());
      },
      [&] {
        std::ofstream(folder_ / "temporary" / "file") << bytes;
        ASSERT_TRUE(store_->adopt(digest, folder_ / "temporary" / "file"));
      },
      [&] {
        EXPECT_FALSE(store_->has(digest)) << "asked first, as clients do";
        ASSERT_TRUE(store_->put(digest, bytes));
      },
  });
  for (const bool is_restarted : {false, true}) {
    for (const auto& offer : offers) {
      ASSERT_TRUE(store_->put(digest, bytes));
      ASSERT_TRUE(store_->sync());
      if (is_restarted) reopen();
      damage(digest, "other bytes");
      offer();
      ASSERT_TRUE(store_->sync());
      EXPECT_EQ(store_->read(digest).value(), bytes);
    }
  }
}

}  // namespace
}  // namespace roost

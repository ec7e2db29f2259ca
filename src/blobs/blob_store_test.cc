#include "blobs/blob_store.h"

#include <gtest/gtest.h>

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
  void reopen() {
    store_.reset();
    auto opened = BlobStore::open(folder_, clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }

  SystemClock clock_;
  std::filesystem::path folder_;
  std::unique_ptr<BlobStore> store_;
};

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
    auto upload = store_->begin_upload(digest);
    ASSERT_TRUE(upload);
    EXPECT_FALSE(store_->begin_upload(digest)) << "two uploads of one blob at once";
    ASSERT_TRUE(upload->append(std::string_view(bytes).substr(0, 60'000)));
  }
  EXPECT_FALSE(store_->has(digest));
  EXPECT_EQ(store_->received(digest), 60'000U);
  reopen();
  auto upload = store_->begin_upload(digest);
  ASSERT_TRUE(upload);
  EXPECT_EQ(upload->received(), 60'000U);
  ASSERT_TRUE(upload->append(std::string_view(bytes).substr(60'000)));
  ASSERT_TRUE(upload->finish());
  EXPECT_EQ(store_->read(digest).value(), bytes);
}

TEST_F(BlobStoreTest, AnUploadOfOtherBytesLeavesNothing) {
  const auto digest = sha256_hex("right");
  auto upload = store_->begin_upload(digest);
  ASSERT_TRUE(upload);
  ASSERT_TRUE(upload->append("wrong"));
  EXPECT_EQ(upload->finish().error().code, ErrorCode::kDataMismatch);
  EXPECT_FALSE(store_->has(digest));
  EXPECT_EQ(store_->received(digest), 0U);
}

TEST_F(BlobStoreTest, WhatPowerLossCutOffIsDroppedAtTheNextStart) {
  const auto good = store_->put("good").value();
  const auto torn = sha256_hex("torn");
  std::ofstream(folder_ / "new" / torn) << "to";
  reopen();
  EXPECT_TRUE(store_->has(good));
  EXPECT_FALSE(store_->has(torn));
}

TEST_F(BlobStoreTest, CollectionKeepsTheWantedAndTheYoung) {
  const auto wanted = store_->put("wanted").value();
  const auto other = store_->put("other").value();
  const auto list = [&]() -> Result<std::set<std::string>> { return std::set{wanted}; };
  EXPECT_EQ(store_->collect(3600 * kSecond, list)->removed, 0);
  const auto report = store_->collect(-kSecond, list);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->removed, 1);
  EXPECT_TRUE(store_->has(wanted));
  EXPECT_FALSE(store_->has(other));
}

// An uploader checks under a hold that all its blobs are there and then records that it wants them:
// however collections fall between, what it recorded is never removed.
TEST_F(BlobStoreTest, CollectionNeverRacesAnUpload) {
  std::mutex mutex;
  std::set<std::string> wanted;
  std::atomic<bool> done = false;
  std::thread collector([&] {
    while (!done) {
      ASSERT_TRUE(store_->collect(-kSecond, [&]() -> Result<std::set<std::string>> {
        const std::lock_guard lock(mutex);
        return wanted;
      }));
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::string bytes = "blob " + std::to_string(i);
    const auto digest = sha256_hex(bytes);
    for (;;) {
      ASSERT_TRUE(store_->put(digest, bytes));
      const auto hold = store_->hold();
      if (!store_->has(digest)) continue;
      const std::lock_guard lock(mutex);
      wanted.insert(digest);
      break;
    }
  }
  done = true;
  collector.join();
  for (const auto& digest : wanted) EXPECT_TRUE(store_->has(digest));
}

}  // namespace
}  // namespace roost

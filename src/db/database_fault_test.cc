#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/activity.h"
#include "base/digest.h"
#include "base/files.h"
#include "db/database.h"
#include "db/faulty_disk.h"

namespace roost {
namespace {

using std::chrono::nanoseconds;

class DatabaseFaultTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("db-fault-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
    open("roost.db");
  }
  void TearDown() override {
    db_.reset();
    ASSERT_TRUE(remove_tree(folder_));
  }
  void open(const std::string& name) {
    db_.reset();
    auto opened = Database::open(folder_ / name);
    ASSERT_TRUE(opened) << opened.error().message;
    db_ = std::move(*opened);
  }
  static Status insert(Tx& tx, std::string_view name) {
    ROOST_CHECK(tx.run("INSERT INTO workspace VALUES (?, ?, ?)", name, "id", 1));
    return {};
  }
  Status add(std::string_view name) {
    return db_->write([&](Tx& tx) { return insert(tx, name); });
  }
  std::int64_t count() {
    std::int64_t n = -1;
    const Status read = db_->read([&](Tx& tx) -> Status {
      Rows rows = tx.query("SELECT count(*) FROM workspace");
      if (rows.next()) n = rows.integer(0);
      return rows.status();
    });
    EXPECT_TRUE(read) << read.error().message;
    return n;
  }

  FaultyDisk disk_;
  std::filesystem::path folder_;
  std::unique_ptr<Database> db_;
};

TEST_F(DatabaseFaultTest, WorkThatThrowsIsUndoneAloneAndTheNextWriteGoesOn) {
  const auto throwing = [&](auto&& what) {
    return db_->write([&](Tx& tx) -> Status {
      ROOST_CHECK(insert(tx, "lost"));
      throw what;
    });
  };
  for (const Status& refused : {throwing(std::runtime_error("a wrong type")), throwing(std::bad_alloc()), throwing(7)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInternal);
  }
  EXPECT_TRUE(add("kept"));
  EXPECT_EQ(count(), 1);
}

TEST_F(DatabaseFaultTest, WorkThatThrowsCostsThoseWhoShareItsCommitNothing) {
  std::vector<std::thread> writers;
  std::atomic<int> stored = 0;
  for (int t = 0; t < 8; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const Status done = db_->write([&](Tx& tx) -> Status {
          ROOST_CHECK(insert(tx, std::to_string(t) + "/" + std::to_string(i)));
          if (i % 5 == 0) throw std::runtime_error("no");
          return {};
        });
        EXPECT_EQ(done.has_value(), i % 5 != 0);
        if (done) ++stored;
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(stored, 320);
  EXPECT_EQ(count(), 320);
}

TEST_F(DatabaseFaultTest, AReaderThatThrowsLeavesNothingBehind) {
  ASSERT_TRUE(add("a"));
  for (int i = 0; i < 50; ++i) {
    const Status refused = db_->read([](Tx& tx) -> Status {
      Rows rows = tx.query("SELECT name FROM workspace");
      rows.next();
      throw std::runtime_error("a wrong type");
    });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInternal);
  }
  // A view that were still held would not see this.
  ASSERT_TRUE(add("b"));
  EXPECT_EQ(count(), 2);
}

TEST_F(DatabaseFaultTest, RowsThatOutliveTheirWorkEndWithAnError) {
  ASSERT_TRUE(add("a"));
  std::optional<Rows> kept;
  ASSERT_TRUE(db_->read([&](Tx& tx) -> Status {
    kept.emplace(tx.query("SELECT name FROM workspace"));
    EXPECT_TRUE(kept->next());
    return {};
  }));
  ASSERT_TRUE(add("b"));
  EXPECT_EQ(count(), 2);
  EXPECT_FALSE(kept->next());
  EXPECT_FALSE(kept->status());
}

TEST_F(DatabaseFaultTest, WorkThatIgnoresAFullDiskStoresNothing) {
  disk_.fail_from(1, FaultyDisk::Fault::kFull);
  const Status done = db_->write([&](Tx& tx) -> Status {
    // More than the cache holds, so that the disk is met inside the transaction.
    const std::string large(1 << 20, 'x');
    for (int i = 0; i < 32; ++i) (void)insert(tx, large + std::to_string(i));
    (void)insert(tx, "after");
    return {};
  });
  EXPECT_FALSE(done);
  disk_.heal();
  EXPECT_EQ(count(), 0);
  EXPECT_TRUE(add("a"));
}

// Each write is refused whole or kept whole, wherever the disk fails, and works again after that.
TEST_F(DatabaseFaultTest, WhereverTheDiskFailsNothingIsHalfAndTheNextWriteWorks) {
  for (const auto fault : {FaultyDisk::Fault::kFull, FaultyDisk::Fault::kBroken}) {
    bool struck = true;
    for (int nth = 1; struck; ++nth) {
      ASSERT_LT(nth, 500) << "the disk never failed";
      const std::string name = std::to_string(nth) + (fault == FaultyDisk::Fault::kFull ? "full" : "broken") + ".db";
      open(name);
      std::int64_t kept = 0;
      disk_.fail_from(nth, fault);
      for (int i = 0; i < 5; ++i) {
        const Status done = db_->write([&](Tx& tx) -> Status {
          ROOST_CHECK(insert(tx, std::to_string(i) + "/1"));
          return insert(tx, std::to_string(i) + "/2");
        });
        if (done) {
          kept += 2;
        } else {
          EXPECT_EQ(done.error().code, fault == FaultyDisk::Fault::kFull ? ErrorCode::kResourceExhausted
                                                                         : ErrorCode::kInternal)
              << done.error().message;
        }
      }
      struck = disk_.struck();
      disk_.heal();
      EXPECT_EQ(count(), kept) << name;
      EXPECT_TRUE(add("after")) << name;
      open(name);
      EXPECT_EQ(count(), kept + 1) << name;
    }
  }
}

TEST_F(DatabaseFaultTest, AWriteThatDoesNotMoveIsNamed) {
  EXPECT_FALSE(db_->stalled(nanoseconds(0)));
  std::latch inside(1);
  std::latch go_on(1);
  auto slow = std::async(std::launch::async, [&] {
    const Activity activity("register_model (request 7)");
    return db_->write([&](Tx& tx) -> Status {
      inside.count_down();
      go_on.wait();
      return insert(tx, "slow");
    });
  });
  inside.wait();
  auto behind = std::async(std::launch::async, [&] { return add("behind"); });
  const auto stalled = db_->stalled(nanoseconds(1));
  ASSERT_TRUE(stalled);
  EXPECT_EQ(stalled->activity, "register_model (request 7)");
  EXPECT_FALSE(db_->stalled(std::chrono::hours(1)));
  go_on.count_down();
  EXPECT_TRUE(slow.get());
  EXPECT_TRUE(behind.get());
  EXPECT_FALSE(db_->stalled(nanoseconds(0)));
}

}  // namespace
}  // namespace roost

#include "db/database.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/digest.h"
#include "base/files.h"
#include "base/inside_write.h"

namespace roost {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("db-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
    reopen();
  }
  void TearDown() override {
    db_.reset();
    ASSERT_TRUE(remove_tree(folder_));
  }
  void reopen() {
    db_.reset();
    auto opened = Database::open(folder_ / "roost.db");
    ASSERT_TRUE(opened) << opened.error().message;
    db_ = std::move(*opened);
  }
  std::int64_t count() {
    std::int64_t n = -1;
    EXPECT_TRUE(db_->read([&](Tx& tx) -> Status {
      Rows rows = tx.query("SELECT count(*) FROM workspace");
      if (rows.next()) n = rows.integer(0);
      return rows.status();
    }));
    return n;
  }
  Status add(std::string_view name) {
    return db_->write([&](Tx& tx) -> Status {
      ROOST_CHECK(tx.run("INSERT INTO workspace VALUES (?, ?, ?)", name, "id", 1));
      return {};
    });
  }

  std::filesystem::path folder_;
  std::unique_ptr<Database> db_;
};

TEST_F(DatabaseTest, KeepsWhatWasWrittenAcrossReopen) {
  ASSERT_TRUE(add("a"));
  reopen();
  EXPECT_EQ(count(), 1);
}

TEST_F(DatabaseTest, FailedWorkIsUndoneAloneWhileOthersCommit) {
  std::atomic<int> stored = 0;
  std::vector<std::thread> writers;
  for (int t = 0; t < 8; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string name = std::to_string(t) + "/" + std::to_string(i);
        const Status done = db_->write([&](Tx& tx) -> Status {
          ROOST_CHECK(tx.run("INSERT INTO workspace VALUES (?, ?, ?)", name, "id", 1));
          if (i % 5 == 0) return fail(ErrorCode::kInvalidArgument, "no");
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

TEST_F(DatabaseTest, ConstraintErrorsComeBackAndReadersCannotWrite) {
  ASSERT_TRUE(add("a"));
  EXPECT_FALSE(add("a"));
  EXPECT_FALSE(db_->read([](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("DELETE FROM workspace"));
    return {};
  }));
  EXPECT_EQ(count(), 1);
}

#ifdef NDEBUG  // else it aborts
TEST_F(DatabaseTest, FileWorkInsideAWriteIsCaughtAndInsideAReadIsNot) {
  const auto before = caught_inside_write();
  const auto look = [&](Tx&) -> Status { return read_file("/proc/self/cmdline") ? Status() : fail(ErrorCode::kInternal, ""); };
  ASSERT_TRUE(db_->read(look));
  EXPECT_EQ(caught_inside_write(), before);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(db_->write(look));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("reads a file inside a write of the database"), std::string::npos);
  EXPECT_EQ(caught_inside_write(), before + 1);
  ASSERT_TRUE(add("a"));
  EXPECT_EQ(caught_inside_write(), before + 1);
}
#endif

TEST_F(DatabaseTest, ADamagedOneIsRefused) {
  ASSERT_TRUE(db_->write([](Tx& tx) -> Status {
    for (int i = 0; i < 2000; ++i) {
      ROOST_CHECK(tx.run("INSERT INTO workspace VALUES (?, ?, ?)", std::string(100, 'x') + std::to_string(i), "id", 1));
    }
    return {};
  }));
  db_.reset();
  auto bytes = read_file(folder_ / "roost.db");
  ASSERT_TRUE(bytes);
  // Not the first pages, which every start reads anyway.
  bytes->replace(bytes->size() / 2, 8192, std::string(8192, '\x5a'));
  ASSERT_TRUE(write_file_atomic(folder_ / "roost.db", *bytes));
  const auto opened = Database::open(folder_ / "roost.db");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kFailedPrecondition) << opened.error().message;
  EXPECT_NE(opened.error().message.find("is damaged"), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace roost

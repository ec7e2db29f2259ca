#include "db/statement_cache.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "db/connection.h"

namespace roost {
namespace {

class StatementCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("statements-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
    auto opened = Connection::open(folder_ / "x.db", true);
    ASSERT_TRUE(opened) << opened.error().message;
    connection_ = std::move(*opened);
  }
  void TearDown() override {
    connection_.reset();
    ASSERT_TRUE(remove_tree(folder_));
  }
  // How many statements SQLite holds for the connection.
  std::size_t count() const {
    std::size_t count = 0;
    sqlite3_stmt* at = nullptr;
    while ((at = sqlite3_next_stmt(connection_->handle(), at))) ++count;
    return count;
  }

  std::filesystem::path folder_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(StatementCacheTest, ThereIsNoEndOfTextsButOneOfStatements) {
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(connection_->prepare(fmt::format("SELECT {}", i)));
    ASSERT_TRUE(connection_->prepare("SELECT 'often'"));
  }
  EXPECT_LE(count(), StatementCache::kMost);
}

TEST_F(StatementCacheTest, WhatIsUsedOftenStays) {
  sqlite3_stmt* const often = connection_->prepare("SELECT 'often'")->get();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(connection_->prepare(fmt::format("SELECT {}", i)));
    ASSERT_EQ(connection_->prepare("SELECT 'often'")->get(), often);
  }
}

TEST_F(StatementCacheTest, AStatementInUseIsNeitherDroppedNorGivenTwice) {
  const auto outer = connection_->prepare("SELECT 7");
  ASSERT_TRUE(outer);
  {
    const auto inner = connection_->prepare("SELECT 7");
    ASSERT_TRUE(inner);
    EXPECT_NE(inner->get(), outer->get()) << "also before its first row was read";
  }
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(connection_->prepare(fmt::format("SELECT -{}", i)));
  EXPECT_EQ(sqlite3_step(outer->get()), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(outer->get(), 0), 7);
}

TEST_F(StatementCacheTest, ATextThatIsRefusedLeavesNothing) {
  const std::size_t before = count();
  EXPECT_FALSE(connection_->prepare("SELEKT 1"));
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace roost

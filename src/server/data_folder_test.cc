#include "server/data_folder.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/files.h"

namespace roost {
namespace {

class DataFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    data_ = std::filesystem::path(testing::TempDir()) / ("data-" + random_hex(4));
    for (const char* folder : {"blobs/ab", "blobs/new", "logs"}) ASSERT_TRUE(make_folders(data_ / folder));
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(data_)); }
  void put(const std::string& name, std::string_view text = "x") {
    ASSERT_TRUE(make_folders((data_ / name).parent_path()));
    ASSERT_TRUE(write_file_atomic(data_ / name, text));
  }
  std::filesystem::path data_;
};

TEST_F(DataFolderTest, AnEmptyOneIsTakenAndOneWithItsDatabase) {
  EXPECT_TRUE(check_data_folder(data_ / "missing"));
  EXPECT_TRUE(check_data_folder(data_));
  put("blobs/ab/cd");
  put("roost.db");
  EXPECT_TRUE(check_data_folder(data_));
}

TEST_F(DataFolderTest, FilesWithoutADatabaseAreRefused) {
  put("logs/x/run/1/log.txt");
  const auto refused = check_data_folder(data_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("roost.db is missing"), std::string::npos);
  put("roost.db", "");
  EXPECT_FALSE(check_data_folder(data_)) << "an empty file is no database";
  put("roost.db-wal");
  EXPECT_TRUE(check_data_folder(data_)) << "all of it may be in the log";
}

TEST_F(DataFolderTest, ItIsKeptOutOfSnapshotsUnlessOthersKeepFilesThere) {
  put("roost.db-wal");
  keep_out_of_snapshots(data_);
  for (const char* name : {".amlignore", ".gitignore"}) {
    EXPECT_NE(read_file(data_ / name).value_or("").find("\n*\n"), std::string::npos) << name;
  }
  put(".gitignore", "mine\n");
  keep_out_of_snapshots(data_);
  EXPECT_EQ(read_file(data_ / ".gitignore").value_or(""), "mine\n");

  const auto home = data_ / "logs/home";
  ASSERT_TRUE(make_folders(home / "Documents"));
  keep_out_of_snapshots(home);
  EXPECT_FALSE(std::filesystem::exists(home / ".gitignore"));
}

}  // namespace
}  // namespace roost

#include "base/tree_beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/digest.h"
#include "base/open_beneath.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

class Beneath : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folders(folder_ / "root" / "a" / "b"));
    std::ofstream(folder_ / "root" / "a" / "b" / "file") << "inside";
    std::ofstream(folder_ / "secret") << "outside";
    root_ = Fd(::open((folder_ / "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("beneath-" + random_hex(4));
  Fd root_;
};

TEST_F(Beneath, NoLinkLeadsOut) {
  fs::create_symlink("../secret", folder_ / "root" / "link");
  fs::create_directory_symlink("..", folder_ / "root" / "up");
  fs::create_directory_symlink("a", folder_ / "root" / "same");
  for (const auto open : {open_beneath, open_part_by_part}) {
    EXPECT_TRUE(open(root_.get(), "a/b/file", O_RDONLY));
    EXPECT_TRUE(open(root_.get(), ".", O_PATH));
    for (const char* path : {"link", "up/secret", "same/b/file", "../secret", "a/../../secret", "/etc/passwd", "gone"}) {
      EXPECT_FALSE(open(root_.get(), path, O_RDONLY)) << path;
    }
  }
}

TEST_F(Beneath, OnlyRegularFilesAreOpened) {
  ASSERT_EQ(::mkfifo((folder_ / "root" / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(open_plain_file(root_.get(), "fifo"));
  EXPECT_FALSE(open_plain_file(root_.get(), "a"));
  const auto file = open_plain_file(root_.get(), "a/b/file");
  ASSERT_TRUE(file);
  EXPECT_EQ(read_at(file->fd.get(), 2, 3), "sid");
  EXPECT_EQ(read_at(file->fd.get(), 100, 3), "");
}

TEST_F(Beneath, AWalkSeesLinksAndDoesNotFollowThem) {
  fs::create_directory_symlink("..", folder_ / "root" / "a" / "up");
  std::set<std::string> seen;
  TreeVisitor visitor;
  visitor.each = [&](const std::string& path, const struct stat&) { seen.insert(path); };
  walk_beneath(root_.get(), "a", visitor);
  EXPECT_EQ(seen, (std::set<std::string>{"a/b/file", "a/up"}));
  walk_beneath(root_.get(), "a/up", visitor);
  walk_beneath(root_.get(), "gone", visitor);
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(Beneath, ARemovedTreeTakesNothingElseWithIt) {
  fs::create_directory_symlink(folder_, folder_ / "root" / "a" / "link");
  ::chmod((folder_ / "root" / "a" / "b").c_str(), 0);
  ASSERT_TRUE(remove_tree(folder_ / "root"));
  EXPECT_FALSE(fs::exists(folder_ / "root"));
  EXPECT_TRUE(fs::exists(folder_ / "secret"));
  fs::create_symlink("secret", folder_ / "root");
  ASSERT_TRUE(remove_tree(folder_ / "root"));
  EXPECT_TRUE(fs::exists(folder_ / "secret"));
  EXPECT_TRUE(remove_tree(folder_ / "root"));
}

TEST_F(Beneath, ADeepTreeIsRemoved) {
  Fd at(::open((folder_ / "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "deep", 0700), 0);
    at = Fd(::openat(at.get(), "deep", O_PATH | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at);
  }
  const Status removed = remove_tree(folder_ / "root");
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(folder_ / "root"));
}

TEST_F(Beneath, FoldersAreMadeBehindNoLink) {
  fs::create_directory_symlink("..", folder_ / "root" / "up");
  fs::create_directory_symlink("a", folder_ / "root" / "same");
  fs::create_directory_symlink("../made", folder_ / "root" / "dangling");
  EXPECT_TRUE(make_folder_beneath(root_.get(), "a/new/deep"));
  EXPECT_TRUE(make_folder_beneath(root_.get(), "a/b"));
  EXPECT_TRUE(make_folder_beneath(root_.get(), "."));
  EXPECT_TRUE(fs::is_directory(folder_ / "root/a/new/deep"));
  for (const char* path : {"up/new", "up", "same/new", "dangling", "dangling/new"}) {
    EXPECT_FALSE(make_folder_beneath(root_.get(), path)) << path;
    EXPECT_EQ(errno, ELOOP) << path;
  }
  EXPECT_FALSE(make_folder_beneath(root_.get(), "a/b/file/new"));
  EXPECT_EQ(errno, ENOTDIR);
  EXPECT_FALSE(make_folder_beneath(root_.get(), "../new"));
  EXPECT_FALSE(fs::exists(folder_ / "new"));
  EXPECT_FALSE(fs::exists(folder_ / "made"));
}

TEST_F(Beneath, AFileTakesThePlaceOfALink) {
  fs::create_symlink("../secret", folder_ / "root" / "link");
  const Fd fd = make_file_in(root_.get(), "link", 0600);
  ASSERT_TRUE(fd);
  ASSERT_TRUE(write_all(fd.get(), "new", "link"));
  EXPECT_EQ(read_file(folder_ / "secret").value(), "outside");
  EXPECT_EQ(read_file(folder_ / "root/link").value(), "new");
  EXPECT_FALSE(make_file_in(root_.get(), "a", 0600)) << "a folder stays";
}

}  // namespace
}  // namespace roost

#include "runner/spare_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/files.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

ino_t inode(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

class SpareFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("spare-" + random_hex(4));
    make_run("first");
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }
  void make_run(const std::string& name) {
    for (const char* folder : {"code/outputs", "code/logs", "spool", "stacks", "bin"}) {
      ASSERT_TRUE(make_folders(root_ / name / folder));
    }
    write(root_ / name / "rank-0.log");
    (void)::symlink("/usr/bin/python3", (root_ / name / "bin/python").c_str());
  }
  static void write(const fs::path& file) { ASSERT_TRUE(write_file_atomic(file, "text")); }

  fs::path root_;
};

TEST_F(SpareFolderTest, ARunThatLeftNothingLeavesItsFoldersToTheNext) {
  SpareFolder spare(root_ / "spare");
  const ino_t outputs = inode(root_ / "first/code/outputs");
  ASSERT_TRUE(spare.take(root_ / "first", "ann"));
  EXPECT_FALSE(fs::exists(root_ / "first"));
  spare.give(root_ / "second", "ann");
  EXPECT_EQ(inode(root_ / "second/code/outputs"), outputs);
  EXPECT_EQ(fs::file_size(root_ / "second/rank-0.log"), 0U);
  EXPECT_TRUE(fs::is_symlink(root_ / "second/bin/python"));
  spare.give(root_ / "third", "ann");
  EXPECT_FALSE(fs::exists(root_ / "third")) << "there is one only";
}

TEST_F(SpareFolderTest, AnotherUserGetsNewOnes) {
  SpareFolder spare(root_ / "spare");
  ASSERT_TRUE(spare.take(root_ / "first", "ann"));
  spare.give(root_ / "second", "bob");
  EXPECT_FALSE(fs::exists(root_ / "second"));
  EXPECT_FALSE(fs::exists(root_ / "spare"));
  make_run("third");
  EXPECT_TRUE(spare.take(root_ / "third", "bob"));
  make_run("fourth");
  EXPECT_FALSE(spare.take(root_ / "fourth", ""));
}

TEST_F(SpareFolderTest, AnOutputThatHasAnotherNameIsNotForTheNext) {
  SpareFolder spare(root_ / "spare");
  fs::create_hard_link(root_ / "first/rank-0.log", root_ / "mine");
  EXPECT_FALSE(spare.take(root_ / "first", "ann"));
}

TEST_F(SpareFolderTest, WhateverARunLeftIsNotForTheNext) {
  const std::vector<fs::path> left = {"code/train.py",  "code/outputs/model.txt", "code/outputs/deep/model.txt",
                                      "spool/1.spool",  "stacks/7",               "bin/sh",
                                      "other/file.txt", "code/logs/a.txt",        "rank-1.log",
                                      "code/rank-0.log"};
  for (const auto& path : left) {
    SpareFolder spare(root_ / "spare");
    make_run("run");
    ASSERT_TRUE(make_folders((root_ / "run" / path).parent_path()));
    write(root_ / "run" / path);
    EXPECT_FALSE(spare.take(root_ / "run", "ann")) << path;
    EXPECT_FALSE(fs::exists(root_ / "spare")) << path;
    ASSERT_TRUE(remove_tree(root_ / "run"));
  }
}

TEST_F(SpareFolderTest, ALinkThatWouldBeFoundAsAProgramIsNotForTheNext) {
  SpareFolder spare(root_ / "spare");
  fs::create_symlink("/tmp/mine", root_ / "first/bin/sh");
  EXPECT_FALSE(spare.take(root_ / "first", "ann"));
}

TEST_F(SpareFolderTest, ALinkInThePlaceOfAFolderIsNotFollowed) {
  SpareFolder spare(root_ / "spare");
  ASSERT_TRUE(make_folders(root_ / "elsewhere"));
  write(root_ / "elsewhere/rank-0.log");
  fs::remove(root_ / "first/spool");
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "first/spool");
  EXPECT_FALSE(spare.take(root_ / "first", "ann"));
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "link");
  EXPECT_FALSE(spare.take(root_ / "link", "ann"));
  EXPECT_TRUE(fs::exists(root_ / "elsewhere/rank-0.log"));
}

TEST_F(SpareFolderTest, ModesAreThoseOfNewFoldersAndMarksAreRefused) {
  SpareFolder spare(root_ / "spare");
  fs::permissions(root_ / "first/code/outputs", fs::perms::all | fs::perms::set_gid);
  ASSERT_TRUE(spare.take(root_ / "first", "ann"));
  make_run("fresh");
  EXPECT_EQ(fs::status(root_ / "spare/code/outputs").permissions(), fs::status(root_ / "fresh/code/outputs").permissions());
  if (::setxattr((root_ / "fresh/spool").c_str(), "user.mark", "1", 1, 0) != 0) GTEST_SKIP() << "no attributes here";
  EXPECT_FALSE(SpareFolder(root_ / "another").take(root_ / "fresh", "ann"));
}

}  // namespace
}  // namespace roost

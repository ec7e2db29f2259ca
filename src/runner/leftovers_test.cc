#include "runner/leftovers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "runner/cached_blob.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

class Leftovers : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("leftovers-" + random_hex(4));
    ASSERT_TRUE(make_folders(root_ / "nodes/cache/blobs/ab"));
    ASSERT_TRUE(make_folders(root_ / "nodes/cache/environments"));
    ASSERT_TRUE(make_folders(root_ / "bin"));
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }

  void put(const fs::path& path, std::size_t size = 1) {
    ASSERT_TRUE(make_folders((root_ / path).parent_path()));
    ASSERT_TRUE(write_file_atomic(root_ / path, std::string(size, 'x')));
  }
  bool is_there(const fs::path& path) const { return fs::exists(root_ / path); }

  fs::path root_;
};

TEST_F(Leftovers, AFolderStaysAsLongAsItsRunnerIsThere) {
  ASSERT_TRUE(make_folders(root_ / "nodes/busy"));
  const auto held = hold_node_folder(root_ / "nodes/busy");
  ASSERT_TRUE(held);
  EXPECT_FALSE(hold_node_folder(root_ / "nodes/busy"));
  put("nodes/shared/run/file");
  remove_leftovers(root_, root_ / "nodes/own", "/proc/self/exe");
  EXPECT_TRUE(is_there("nodes/busy"));
  EXPECT_TRUE(is_there("nodes/shared/run/file")) << "it may be of the one that is at work";
  EXPECT_TRUE(is_there("nodes/cache"));
}

TEST_F(Leftovers, OneThatJustBeganIsNotTakenForALeftover) {
  put("nodes/new/lock");
  put("bin/roost-1.part");
  remove_leftovers(root_, root_ / "nodes/own", "/proc/self/exe");
  EXPECT_TRUE(is_there("nodes/new/lock"));
  EXPECT_TRUE(is_there("bin/roost-1.part"));
}

TEST_F(Leftovers, WhatAKilledRunnerLeftGoes) {
  put("nodes/gone/lock");
  put("nodes/gone/runs/run/code/train.py");
  put("nodes/shared/run/file");
  const timespec long_ago[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (root_ / "nodes/gone/lock").c_str(), long_ago, 0), 0);
  remove_leftovers(root_, root_ / "nodes/own", "/proc/self/exe");
  EXPECT_FALSE(is_there("nodes/gone"));
  EXPECT_FALSE(is_there("nodes/shared"));
  EXPECT_TRUE(is_there("nodes/cache"));
}

TEST_F(Leftovers, WhatWasUsedWithinTheHourStaysInTheCache) {
  put("nodes/cache/blobs/ab/1", 8192);
  shrink_cache(root_ / "nodes/cache", 0);
  EXPECT_TRUE(is_there("nodes/cache/blobs/ab/1"));
}

TEST_F(Leftovers, ALargeBlobIsHashedOnceAndAgainWhenItWasTouched) {
  const std::string bytes(3 << 20, 'a');
  const fs::path file = root_ / "blob";
  ASSERT_TRUE(write_file_atomic(file, bytes));
  const std::string digest = sha256_hex(bytes);
  EXPECT_TRUE(is_intact(file, digest, bytes.size()));
  EXPECT_TRUE(fs::exists(file.string() + ".checked"));
  EXPECT_TRUE(is_intact(file, std::string(64, '0'), bytes.size())) << "by the note alone";
  {
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(fd.get(), "b", 1, 77), 1);
  }
  const timespec same[2] = {{0, UTIME_OMIT}, {1, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), same, 0), 0);
  EXPECT_FALSE(is_intact(file, digest, bytes.size()));
  EXPECT_FALSE(is_intact(file, digest, bytes.size() + 1));
  EXPECT_FALSE(is_intact(root_ / "none", digest, 0));
}

}  // namespace
}  // namespace roost

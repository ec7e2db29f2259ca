#include "snapshot/stat_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "base/worker_pool.h"
#include "snapshot/test_tree.h"

namespace roost {
namespace {

constexpr std::int64_t kNow = 1'800'000'000'000'000'500;

FileStamp stamp(std::uint64_t inode, std::int64_t time = kNow - 5'000'000'000) {
  return {
      .size = 3, .mtime = time, .ctime = time, .inode = inode, .device = 7, .mode = S_IFREG | 0644};
}

FileStamp folder_stamp(std::uint64_t inode) {
  FileStamp out = stamp(inode);
  out.mode = S_IFDIR | 0755;
  return out;
}

std::string sample(const std::string& snapshot = "") {
  StatCacheWriter writer(kNow);
  const auto root = writer.begin_folder("", folder_stamp(1), hash_rules("*.pyc"));
  writer.add_file("a.py", stamp(2), sha256_hex("a"));
  const auto sub = writer.begin_folder("sub", folder_stamp(3), {});
  writer.add_symlink("link", "../a.py");
  writer.add_file("racy", stamp(4, kNow), sha256_hex("r"));
  writer.end_folder(sub, false);
  writer.add_file("z", stamp(5), sha256_hex("z"));
  writer.end_folder(root, true);
  return writer.finish(true, snapshot);
}

TEST(StatCache, GivesBackWhatWasWritten) {
  const TestTree tree;
  ASSERT_TRUE(write_stat_cache(tree.path("deep/cache"), sample(sha256_hex("m"))));
  const StatCache cache = StatCache::read(tree.path("deep/cache"));
  ASSERT_EQ(cache.count(), 6U);
  EXPECT_TRUE(cache.uses_amlignore());
  EXPECT_EQ(cache.snapshot(), sha256_hex("m"));
  const auto root = cache.record(0);
  EXPECT_EQ(root.stamp, folder_stamp(1));
  EXPECT_EQ(root.rules(), hash_rules("*.pyc"));
  EXPECT_EQ(cache.end_of(0), 6U);
  const auto a = cache.record(1);
  EXPECT_EQ(cache.name(a), "a.py");
  EXPECT_EQ(a.stamp, stamp(2));
  EXPECT_EQ(a.hex_digest(), sha256_hex("a"));
  const auto sub = cache.record(2);
  EXPECT_TRUE(sub.is_folder());
  EXPECT_EQ(sub.stamp, FileStamp{.mode = S_IFDIR | 0755}) << "not complete, so not to be believed";
  EXPECT_EQ(sub.rules(), RulesHash{});
  EXPECT_EQ(cache.next(2), 5U);
  EXPECT_EQ(cache.target(cache.record(3)), "../a.py");
  EXPECT_EQ(cache.name(cache.record(5)), "z");
}

TEST(StatCache, DoesNotBelieveWhatMayHaveChangedUnseen) {
  const auto kept = [](std::int64_t mtime, std::int64_t ctime) {
    StatCacheWriter writer(kNow);
    FileStamp one = stamp(2);
    one.mtime = mtime;
    one.ctime = ctime;
    const auto root = writer.begin_folder("", folder_stamp(1), {});
    writer.add_file("f", one, sha256_hex("f"));
    writer.end_folder(root, true);
    const TestTree tree;
    EXPECT_TRUE(write_stat_cache(tree.path("c"), writer.finish(false, "")));
    return StatCache::read(tree.path("c")).record(1).stamp == one;
  };
  EXPECT_TRUE(kept(kNow - 1, kNow - 1));
  EXPECT_FALSE(kept(kNow, kNow - 1));
  EXPECT_FALSE(kept(kNow - 1, kNow));
  EXPECT_FALSE(kept(kNow + 9, kNow - 1));
  // Whole seconds: a file system that cannot do better.
  EXPECT_FALSE(kept(kNow - 1'000'000'500, kNow - 1'000'000'500));
  EXPECT_TRUE(kept(kNow - 3'000'000'500, kNow - 3'000'000'500));
}

TEST(StatCache, ADamagedOneIsEmpty) {
  const TestTree tree;
  const std::string good = sample(sha256_hex("m"));
  EXPECT_EQ(StatCache::read(tree.path("absent")).count(), 0U);
  tree.write("cache", "");
  EXPECT_EQ(StatCache::read(tree.path("cache")).count(), 0U);
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    tree.write("cache", good.substr(0, cut));
    ASSERT_EQ(StatCache::read(tree.path("cache")).count(), 0U) << cut;
  }
  std::mt19937 random(7);
  for (std::size_t i = 0; i < good.size(); i += 3) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << random() % 8));
    tree.write("cache", bad);
    ASSERT_EQ(StatCache::read(tree.path("cache")).count(), 0U) << i;
  }
  tree.write("cache", good);
  EXPECT_EQ(StatCache::read(tree.path("cache")).count(), 6U);
}

TEST(StatCache, ReadersAndWritersAtTheSameTimeSeeAWholeOne) {
  const TestTree tree;
  const auto file = stat_cache_file(tree.path(), "/home/somebody/project");
  EXPECT_NE(file, stat_cache_file(tree.path(), "/home/somebody/project2"));
  ASSERT_TRUE(write_stat_cache(file, sample()));
  std::atomic<int> bad = 0;
  {
    WorkerPool pool(4);
    for (int i = 0; i < 4; ++i) {
      pool.submit([&, i] {
        for (int round = 0; round < 100; ++round) {
          if (i % 2 == 0 && !write_stat_cache(file, sample(sha256_hex(std::to_string(i))))) ++bad;
          if (StatCache::read(file).count() != 6) ++bad;
        }
      });
    }
  }
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()),
                          std::filesystem::directory_iterator()),
            1);
}

}  // namespace
}  // namespace roost

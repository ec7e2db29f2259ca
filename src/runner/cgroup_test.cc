#include "runner/cgroup.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include "base/digest.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// A folder that looks like /sys/fs/cgroup: what is written where, without any right to a real one.
class CgroupTest : public testing::Test {
 protected:
  void SetUp() override {
    files_.root = fs::path(testing::TempDir()) / ("cgroup-" + random_hex(4));
    files_.own = files_.root / "own";
    ASSERT_TRUE(make_folders(files_.root));
  }
  void TearDown() override { EXPECT_TRUE(remove_tree(files_.root)); }

  void put(const fs::path& name, const std::string& text) {
    ASSERT_TRUE(make_folders((files_.root / name).parent_path()));
    ASSERT_TRUE(write_file_atomic(files_.root / name, text));
  }
  std::string get(const fs::path& name) { return read_file(files_.root / name).value_or("(none)"); }

  // In a real one the kernel makes these with the folder.
  void version_1(const std::string& memory_group) {
    put("own", "4:memory:" + memory_group + "\n1:cpu,cpuacct:/\n0::/\n");
    for (const char* name : {"cgroup.procs", "memory.limit_in_bytes", "memory.oom_control"}) {
      put(fs::path("memory") / fs::path(memory_group).relative_path() / "roost-r-1" / name, "");
    }
    for (const char* name : {"cgroup.procs", "cpu.cfs_quota_us"}) put(fs::path("cpu/roost-r-1") / name, "");
  }

  CgroupFiles files_;
};

TEST_F(CgroupTest, VersionOneHasAGroupForEach) {
  version_1("/");
  const RunCgroup group = RunCgroup::make({64 << 20, 1.5}, "r-1", files_);
  EXPECT_EQ(group.problems(), std::vector<std::string>());
  EXPECT_EQ(get("memory/roost-r-1/memory.limit_in_bytes"), "67108864");
  EXPECT_EQ(get("cpu/roost-r-1/cpu.cfs_quota_us"), "150000");
  EXPECT_EQ(group.join_fds().size(), 2U);
  put("memory/roost-r-1/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  EXPECT_FALSE(group.was_oom_killed());
  put("memory/roost-r-1/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  EXPECT_TRUE(group.was_oom_killed());
}

TEST_F(CgroupTest, VersionTwoHasOneGroupForBoth) {
  put("own", "0::/\n");
  put("cgroup.controllers", "cpuset cpu memory\n");
  put("cgroup.subtree_control", "cpu memory");
  for (const char* name : {"cgroup.procs", "memory.max", "memory.swap.max", "cpu.max"}) put(fs::path("roost-r-1") / name, "");
  const RunCgroup group = RunCgroup::make({64 << 20, 0.5}, "r-1", files_);
  EXPECT_EQ(group.problems(), std::vector<std::string>());
  EXPECT_EQ(get("cgroup.subtree_control"), "cpu memory") << "both are on already";
  EXPECT_EQ(get("roost-r-1/memory.max"), "67108864");
  EXPECT_EQ(get("roost-r-1/memory.swap.max"), "0");
  EXPECT_EQ(get("roost-r-1/cpu.max"), "50000 100000");
  EXPECT_EQ(group.join_fds().size(), 1U);
  put("cgroup.subtree_control", "");
  EXPECT_TRUE(RunCgroup::make({64 << 20, 0}, "r-1", files_).problems().empty());
  EXPECT_EQ(get("cgroup.subtree_control"), "+memory");
  put("roost-r-1/memory.events", "low 0\noom 3\noom_kill 2\n");
  EXPECT_TRUE(group.was_oom_killed());
}

TEST_F(CgroupTest, AGroupOfSomebodyElsesIsLeftAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "a folder of this user's own counts as delegated";
  version_1("/somebody/session");
  const RunCgroup group = RunCgroup::make({64 << 20, 1}, "r-1", files_);
  ASSERT_EQ(group.problems().size(), 1U);
  EXPECT_NE(group.problems()[0].find("memory is not limited"), std::string::npos);
  EXPECT_NE(group.problems()[0].find("/somebody/session of the runner is not delegated"), std::string::npos);
  EXPECT_EQ(get("memory/somebody/session/roost-r-1/memory.limit_in_bytes"), "");
  EXPECT_EQ(get("cpu/roost-r-1/cpu.cfs_quota_us"), "100000") << "the top group may be divided";
}

TEST_F(CgroupTest, AMachineWithoutAnySaysSo) {
  const RunCgroup group = RunCgroup::make({64 << 20, 1}, "r-1", files_);
  EXPECT_EQ(group.problems().size(), 2U);
  EXPECT_TRUE(group.join_fds().empty());
  EXPECT_FALSE(group.was_oom_killed());
  EXPECT_TRUE(RunCgroup::make({}, "r-1", files_).problems().empty()) << "nothing was asked for";
}

}  // namespace
}  // namespace roost

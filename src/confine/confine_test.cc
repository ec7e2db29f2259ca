#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/files.h"
#include "confine/capabilities.h"
#include "confine/confined_process.h"
#include "confine/confinement.h"
#include "confine/hidden_folders.h"
#include "confine/namespaces.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

using Kind = ShownPath::Kind;

// A data folder with a secret, a shared folder, and one working folder; another folder beside it.
class ConfineTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::canonical(fs::temp_directory_path()) / ("roost-confine-" + random_hex(6));
    data_ = root_ / "data";
    for (const auto& folder : {data_ / "nodes/own", data_ / "nodes/other", data_ / "cache", data_ / "environment", root_ / "beside"}) {
      ASSERT_TRUE(make_folders(folder));
    }
    ASSERT_TRUE(write_file_atomic(data_ / "secret", "s", 0600));
    ASSERT_TRUE(write_file_atomic(data_ / "cache/module.py", "print()\n"));
    ASSERT_TRUE(write_file_atomic(data_ / "environment/package.py", "1\n"));
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }

  HiddenFolders hidden() {
    auto made = hide_folders({data_}, {{(data_ / "nodes/own").string()},
                                       {(data_ / "cache").string(), Kind::kReadOnly},
                                       {(data_ / "environment").string(), Kind::kScratch, (data_ / "layers").string()},
                                       {(data_ / "missing").string()},
                                       {(root_ / "beside").string()}});
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : HiddenFolders{};
  }

  // The exit code of what a child does; -1 if it could not be started so.
  static int in_child(int namespaces, const std::function<int()>& work) {
    const auto pid = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD | namespaces, nullptr, nullptr, nullptr, nullptr));
    if (pid < 0) return -1;
    if (pid == 0) ::_exit(work());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static bool opens(const fs::path& path, int flags = O_RDONLY) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
    if (fd >= 0) ::close(fd);
    return fd >= 0;
  }

  // 0 if everything is as it should be; else which look went wrong.
  int look(bool overlay) const {
    if (opens(data_ / "secret")) return 1;
    if (opens(data_ / "nodes/other")) return 2;
    if (!opens(data_ / "nodes/own/new", O_WRONLY | O_CREAT)) return 3;
    if (!opens(data_ / "cache/module.py")) return 4;
    if (opens(data_ / "cache/module.py", O_RDWR)) return 5;
    if (opens(data_ / "cache/new", O_WRONLY | O_CREAT)) return 6;
    if (!opens(data_ / "environment/package.py")) return 7;
    if (!opens(root_ / "beside/new", O_WRONLY | O_CREAT)) return 8;
    if (opens(data_ / "new", O_WRONLY | O_CREAT)) return 9;
    if (overlay && !opens(data_ / "environment/package.py", O_RDWR | O_TRUNC)) return 10;
    return 0;
  }

  fs::path root_;
  fs::path data_;
};

TEST_F(ConfineTest, NamespacesShowNothingButWhatIsShown) {
  if (find_confinement() != Confinement::kNamespaces) GTEST_SKIP() << "this machine allows no namespaces";
  const HiddenFolders hidden = this->hidden();
  const IdMaps maps;
  const bool as_root = ::geteuid() == 0;
  const int more = as_root ? 0 : CLONE_NEWUSER;
  const int seen = in_child(CLONE_NEWPID | CLONE_NEWNS | more, [&] {
    if (!settle_in_namespaces(as_root ? nullptr : &maps)) return 100;
    if (cover_folders(hidden, !as_root)) return 101;
    return look(true);
  });
  EXPECT_EQ(seen, 0);
  EXPECT_TRUE(fs::exists(data_ / "nodes/own/new"));
  EXPECT_EQ(read_file(data_ / "environment/package.py").value(), "1\n") << "the run changed it for all";
}

TEST_F(ConfineTest, LandlockShowsNothingButWhatIsShown) {
  const auto rules = landlock_rules(hidden());
  if (!rules && rules.error().code == ErrorCode::kUnimplemented) GTEST_SKIP() << "this kernel has no Landlock";
  ASSERT_TRUE(rules) << rules.error().message;
  const int seen = in_child(0, [&] {
    if (!enter_landlock(rules->get())) return 100;
    if (::geteuid() == 0) give_up_capabilities();
    return look(false);
  });
  EXPECT_EQ(seen, 0);
}

TEST_F(ConfineTest, AConfinedProcessSeesTheSame) {
  const HiddenFolders hidden = this->hidden();
  const bool overlay = find_confinement() == Confinement::kNamespaces;
  if (find_confinement() == Confinement::kNothing) GTEST_SKIP() << "this machine has no way to confine anything";
  const auto pid = start_confined(hidden, [&] { ::_exit(look(overlay)); });
  ASSERT_TRUE(pid) << pid.error().message;
  int status = 0;
  ASSERT_EQ(::waitpid(*pid, &status, 0), *pid);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(fs::exists(data_ / "nodes/own/new"));
}

TEST_F(ConfineTest, TheEndOfAConfinedProcessIsTold) {
  int status = 0;
  const auto ended = start_confined(hidden(), [] { ::_exit(7); });
  ASSERT_TRUE(ended);
  ASSERT_EQ(::waitpid(*ended, &status, 0), *ended);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  const auto killed = start_confined(hidden(), [] { ::raise(SIGKILL); });
  ASSERT_TRUE(killed);
  ASSERT_EQ(::waitpid(*killed, &status, 0), *killed);
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGKILL);
}

TEST_F(ConfineTest, RootCannotTakeTheCoverAway) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root could";
  if (find_confinement() != Confinement::kNamespaces) GTEST_SKIP() << "this machine allows no namespaces";
  const HiddenFolders hidden = this->hidden();
  const int seen = in_child(CLONE_NEWPID | CLONE_NEWNS, [&] {
    if (!settle_in_namespaces(nullptr) || cover_folders(hidden, false)) return 100;
    give_up_capabilities();
    if (::syscall(SYS_umount2, data_.c_str(), 2) == 0) return 1;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && ::syscall(SYS_umount2, data_.c_str(), 2) == 0) return 2;
    return opens(data_ / "secret") ? 3 : 0;
  });
  EXPECT_EQ(seen, 0);
}

TEST_F(ConfineTest, PartsOnAnotherDiskAreHiddenAndShownToo) {
  ASSERT_TRUE(make_folders(root_ / "disk/environment"));
  fs::remove_all(data_ / "environment");
  fs::create_directory_symlink(root_ / "disk", data_ / "big");
  const auto made = hide_folders({data_}, {{(data_ / "big/environment").string(), Kind::kReadOnly}});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->folders, (std::vector{data_.string(), (root_ / "disk").string()}));
  ASSERT_EQ(made->shown.size(), 2U);
  EXPECT_EQ(made->shown[0].path, (data_ / "big/environment").string());
  EXPECT_EQ(made->shown[1].path, (root_ / "disk/environment").string());
}

TEST(IsBelow, GoesByWholeNames) {
  EXPECT_TRUE(is_below("/a/b", "/a"));
  EXPECT_TRUE(is_below("/a", "/a"));
  EXPECT_TRUE(is_below("/a", "/"));
  EXPECT_FALSE(is_below("/ab", "/a"));
  EXPECT_FALSE(is_below("/", "/a"));
}

}  // namespace
}  // namespace roost

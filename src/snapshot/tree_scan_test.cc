#include "snapshot/tree_scan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "snapshot/file_hash.h"
#include "snapshot/test_tree.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

std::vector<std::string> paths_of(const Result<ScannedTree>& tree) {
  std::vector<std::string> out;
  if (!tree) return {tree.error().message};
  for (const auto& entry : tree->manifest.entries) out.push_back(entry.path);
  return out;
}
using Paths = std::vector<std::string>;

bool mentions(const Result<ScannedTree>& tree, const std::string& text) {
  return !tree && tree.error().message.find(text) != std::string::npos;
}

TEST(TreeScan, TellsEverythingInOrder) {
  const TestTree tree;
  tree.write("train.py", "print()");
  tree.write("run.sh", "#!");
  tree.executable("run.sh");
  tree.write("a/b", "1");
  tree.write("a-b", "2");
  tree.write("a.b", "3");
  tree.write("a/b-c/d", "4");
  tree.write("a/b.c", "5");
  tree.folder("empty/er");
  tree.symlink("latest", "a/b");
  tree.symlink("a/up", "../nowhere");
  tree.write("\xC3\xA9t\xC3\xA9", "");
  for (const int threads : {1, 2, 4}) {
    const auto scanned = scan_tree(tree.path(), {.cache_folder = {}, .threads = threads});
    ASSERT_TRUE(scanned) << scanned.error().message;
    EXPECT_EQ(paths_of(scanned),
              (Paths{"a-b", "a.b", "a/b", "a/b-c/d", "a/b.c", "a/up", "empty/er/", "latest",
                     "run.sh", "train.py", "\xC3\xA9t\xC3\xA9"}));
    const auto& entries = scanned->manifest.entries;
    EXPECT_EQ(entries[8].kind, EntryKind::kExecutable);
    EXPECT_EQ(entries[9].kind, EntryKind::kFile);
    EXPECT_EQ(entries[9].size, 7U);
    EXPECT_EQ(entries[9].digest, sha256_hex("print()"));
    EXPECT_EQ(entries[7].target, "a/b");
    EXPECT_EQ(entries[6].kind, EntryKind::kEmptyFolder);
    EXPECT_EQ(scanned->manifest.size, 14U);
    EXPECT_EQ(scanned->hashed, 8U);
    EXPECT_EQ(scanned->digest, sha256_hex(manifest_text(scanned->manifest)));
    EXPECT_TRUE(parse_manifest(manifest_text(scanned->manifest)));
    EXPECT_EQ(read_file(scanned->path_of(entries[9])).value(), "print()");
  }
  EXPECT_EQ(scan_tree(tree.path("empty/er"))->manifest.entries.size(), 0U);
}

TEST(TreeScan, ALargeFolderIsSortedAndWhole) {
  const TestTree tree;
  Paths expected;
  for (int i = 0; i < 1500; ++i) {
    expected.push_back(fmt::format("{:x}-{}", i * 2654435761U,
                                   std::string(static_cast<std::size_t>(i % 90), 'n')));
    tree.write(expected.back(), "");
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(paths_of(scan_tree(tree.path())), expected);
}

TEST(TreeScan, LeavesOutWhatIsIgnored) {
  const TestTree tree;
  tree.write(".gitignore", "*.pyc\n/data/*\n!/data/keep\nlogs/\n");
  tree.write("a.pyc", "");
  tree.write("a.py", "");
  tree.write("data/big", "");
  tree.write("data/keep", "");
  tree.write("logs/x", "");
  tree.write("sub/.gitignore", "!b.pyc\n");
  tree.write("sub/b.pyc", "");
  tree.write("only/a.pyc", "");
  tree.write(".git/config", "");
  tree.write("sub/.git/config", "");
  EXPECT_EQ(paths_of(scan_tree(tree.path())),
            (Paths{".gitignore", "a.py", "data/keep", "only/", "sub/.gitignore", "sub/b.pyc"}));
  tree.write(".amlignore", "sub\n");
  tree.write("only/.amlignore", "a.*\n");
  tree.write("only/b", "");
  EXPECT_EQ(paths_of(scan_tree(tree.path())),
            (Paths{".amlignore", ".gitignore", "a.py", "a.pyc", "data/big", "data/keep", "logs/x",
                   "only/.amlignore", "only/b"}));
}

TEST(TreeScan, ExplainsAMissingSource) {
  const TestTree tree;
  tree.write("file", "");
  const auto missing = scan_tree(tree.path("absent"));
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(mentions(missing, "absent"));
  const auto file = scan_tree(tree.path("file"));
  EXPECT_EQ(file.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(mentions(file, "not a folder"));
}

TEST(TreeScan, NamesWhatItCannotStore) {
  const TestTree tree;
  tree.write("ok", "");
  tree.symlink("d/out", "../../etc");
  tree.symlink("abs", "/etc/passwd");
  tree.symlink("badlink", "x\xff");
  ASSERT_EQ(::mkfifo(tree.path("pipe").c_str(), 0600), 0);
  tree.write(
      "bad\xff"
      "name",
      "");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string where = tree.path("sock").string();
  ASSERT_LT(where.size(), sizeof address.sun_path);
  std::copy(where.begin(), where.end(), address.sun_path);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(fd);

  const auto scanned = scan_tree(tree.path());
  ASSERT_FALSE(scanned);
  EXPECT_EQ(scanned.error().code, ErrorCode::kInvalidArgument);
  for (const char* part : {"leave them out by .gitignore", "d/out is a symlink out of the folder",
                           "abs is a symlink to the absolute", "pipe is a named pipe",
                           "sock is a socket", "not UTF-8", "badlink is a symlink whose target"}) {
    EXPECT_TRUE(mentions(scanned, part)) << part << "\n" << scanned.error().message;
  }
  EXPECT_FALSE(mentions(scanned, "more"));
  // What is ignored is no reason to refuse.
  tree.write(".gitignore", "/d\nabs\nbadlink\npipe\nsock\nbad*\n");
  EXPECT_EQ(paths_of(scan_tree(tree.path())), (Paths{".gitignore", "ok"}));
}

TEST(TreeScan, NamesTenAndCountsTheRest) {
  const TestTree tree;
  for (int i = 10; i < 33; ++i) tree.symlink(fmt::format("l{}", i), "/x");
  const auto scanned = scan_tree(tree.path());
  EXPECT_TRUE(mentions(scanned, "l19 is"));
  EXPECT_FALSE(mentions(scanned, "l20 is"));
  EXPECT_TRUE(mentions(scanned, "and 13 more"));
}

TEST(TreeScan, ASymlinkedAmlignoreIsRefusedAndAGitignoreNotRead) {
  const TestTree tree;
  tree.write("rules", "*\n");
  tree.symlink(".gitignore", "rules");
  EXPECT_EQ(paths_of(scan_tree(tree.path())), (Paths{".gitignore", "rules"}));
  tree.symlink(".amlignore", "rules");
  EXPECT_TRUE(mentions(scan_tree(tree.path()), "ignore rules must be in a file"));
}

TEST(TreeScan, RefusesWhatItMayNotRead) {
  const TestTree tree;
  fs::permissions(tree.path(), fs::perms::all);
  tree.write("secret", "s");
  tree.write("locked/x", "");
  tree.write("open", "");
  fs::permissions(tree.path("secret"), fs::perms::none);
  fs::permissions(tree.path("locked"), fs::perms::none);
  // Root may read everything: be somebody else for file access, on this thread and those it starts.
  const bool root = ::geteuid() == 0;
  if (root) ::setfsuid(65534);
  const auto scanned = scan_tree(tree.path());
  if (root) ::setfsuid(0);
  fs::permissions(tree.path("locked"), fs::perms::all);
  EXPECT_TRUE(mentions(scanned, "secret cannot be read: Permission denied"))
      << paths_of(scanned)[0];
  EXPECT_TRUE(mentions(scanned, "locked/ cannot be read: Permission denied"));
  EXPECT_FALSE(mentions(scanned, "open"));
}

class CachedScan : public testing::Test {
 protected:
  Result<ScannedTree> scan(int threads = 2) {
    auto scanned = scan_tree(tree.path(), {.cache_folder = cache.path(), .threads = threads});
    // Whatever the cache says, the answer must be that of a scan without it.
    const auto plain = scan_tree(tree.path());
    EXPECT_EQ(scanned.has_value(), plain.has_value());
    if (scanned && plain) {
      EXPECT_EQ(scanned->manifest, plain->manifest);
      EXPECT_EQ(scanned->digest, plain->digest);
    }
    return scanned;
  }
  fs::path cache_file() const { return stat_cache_file(cache.path(), tree.path()); }

  TestTree tree;
  TestTree cache;
};

TEST_F(CachedScan, ReadsNothingTwice) {
  tree.write("a", "1");
  tree.write("d/b", "2");
  tree.write("d/e/c", "3");
  tree.folder("empty");
  tree.symlink("l", "a");
  TestTree::settle();
  EXPECT_EQ(scan()->hashed, 3U);
  const auto written = fs::last_write_time(cache_file());
  EXPECT_EQ(scan()->hashed, 0U);
  EXPECT_EQ(scan(1)->hashed, 0U);
  EXPECT_EQ(fs::last_write_time(cache_file()), written) << "nothing new, nothing written";
  tree.write("d/b", "two");
  TestTree::settle();
  EXPECT_EQ(scan()->hashed, 1U);
  EXPECT_EQ(scan()->hashed, 0U);
}

TEST_F(CachedScan, SeesEveryKindOfChange) {
  for (const char* name : {"a", "b", "d/x", "d/y", "d/e/z", "d/e/w"}) tree.write(name, "old");
  const auto step = [&](const char* what, std::size_t hashed) {
    TestTree::settle();
    const auto scanned = scan();
    ASSERT_TRUE(scanned) << what;
    EXPECT_EQ(scanned->hashed, hashed) << what;
    EXPECT_EQ(scan()->hashed, 0U) << what;
  };
  step("first", 6);
  tree.write("d/e/z", "new");
  step("same size", 1);
  tree.executable("a");
  step("mode", 1);
  tree.write("d/e/n", "n");
  step("new file", 1);
  fs::remove(tree.path("d/y"));
  step("removed", 0);
  fs::rename(tree.path("b"), tree.path("c"));
  step("renamed", 1);
  fs::rename(tree.path("d/e"), tree.path("moved"));
  step("moved folder", 3);
  tree.symlink("link", "a");
  step("new symlink", 0);
  fs::remove(tree.path("link"));
  tree.symlink("link", "c");
  step("other target", 0);
  fs::remove(tree.path("c"));
  tree.folder("c");
  step("file became folder", 0);
  fs::remove(tree.path("c"));
  tree.write("c", "again");
  step("folder became file", 1);
  tree.write(".gitignore", "*.tmp\n");
  tree.write("moved/deep/x.tmp", "t");
  tree.write("moved/deep/y", "t");
  step("ignore rules", 2);
  tree.write(".gitignore", "#.tmp\n");
  step("ignore rules changed in place", 2);
  tree.write("moved/.gitignore", "y");
  step("rules below", 1);
  tree.write(".amlignore", "z");
  step("other rules", 2);
  fs::remove(tree.path(".amlignore"));
  step("the old rules again", 1);
}

// A file written again in the same tick of the clock keeps its time stamp; the scan between must
// not have believed it.
TEST_F(CachedScan, IsNotFooledByFastWriters) {
  for (int i = 0; i < 120; ++i) {
    tree.write("f", fmt::format("{:04}", i));
    const auto scanned = scan_tree(tree.path(), {.cache_folder = cache.path(), .threads = 1});
    ASSERT_EQ(scanned->manifest.entries[0].digest, sha256_hex(fmt::format("{:04}", i)));
    if (i % 3 == 0) tree.write(fmt::format("g{}", i), "");
    const auto again = scan_tree(tree.path(), {.cache_folder = cache.path(), .threads = 1});
    ASSERT_EQ(again->manifest.entries.size(), 2U + static_cast<std::size_t>(i) / 3);
  }
}

TEST_F(CachedScan, OutlivesDamageAndAnUnwritableCache) {
  tree.write("a", "1");
  TestTree::settle();
  EXPECT_EQ(scan()->hashed, 1U);
  std::string bytes = read_file(cache_file()).value();
  bytes[bytes.size() - 3] ^= 1;
  ASSERT_TRUE(write_file_atomic(cache_file(), bytes));
  EXPECT_EQ(scan()->hashed, 1U);
  EXPECT_EQ(scan()->hashed, 0U);
  cache.write("file", "");
  EXPECT_TRUE(scan_tree(tree.path(), {.cache_folder = cache.path("file"), .threads = 1}));
}

TEST_F(CachedScan, KeepsDigestsWhenSomethingIsRefused) {
  tree.write("a", "1");
  tree.symlink("out", "/x");
  TestTree::settle();
  EXPECT_FALSE(scan());
  EXPECT_FALSE(scan());
  fs::remove(tree.path("out"));
  TestTree::settle();
  EXPECT_EQ(scan()->hashed, 0U);
}

TEST_F(CachedScan, AgreesWithAPlainScanAfterRandomChanges) {
  std::mt19937 random(3);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto name = [&] {
    std::string out;
    for (std::size_t depth = pick(3); depth-- > 0;)
      out += std::string(1, static_cast<char>('a' + pick(3))) + "/";
    return out + static_cast<char>('d' + pick(5));
  };
  for (int round = 0; round < 200; ++round) {
    for (std::size_t i = pick(4); i-- > 0;) {
      const std::string path = name();
      std::error_code error;
      switch (pick(6)) {
        case 0:
          fs::remove_all(tree.path(path), error);
          break;
        case 1:
          fs::rename(tree.path(path), tree.path(name()), error);
          break;
        case 2:
          tree.write(path.substr(0, path.rfind('/') + 1) + ".gitignore",
                     pick(2) == 0 ? "d\n!e\n" : "f*\n/g\n");
          break;
        default:
          if (!fs::is_directory(tree.path(path))) tree.write(path, std::to_string(pick(4)));
      }
    }
    if (pick(2) == 0) TestTree::settle();
    ASSERT_TRUE(scan());
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(FileHash, ReadsAgainWhatChangedAndGivesUpAfterThree) {
  const TestTree tree;
  tree.write("f", "one");
  const Fd root(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY));
  FileHasher hasher(root.get());
  int reads = 0;
  hasher.after_read_for_test = [&](int attempt) {
    ++reads;
    if (attempt < 3) tree.write("f", "longer and longer " + std::to_string(attempt));
  };
  EXPECT_EQ(hasher.hash("f")->digest, sha256_hex("longer and longer 2"));
  EXPECT_EQ(reads, 3);
  hasher.after_read_for_test = [&](int attempt) {
    tree.write("f", std::string(static_cast<std::size_t>(attempt), 'x'));
  };
  const auto failed = hasher.hash("f");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "keeps changing while it is read");
  EXPECT_EQ(hasher.hash("absent").error().code, ErrorCode::kNotFound);
}

TEST(FileHash, DoesNotGoThroughASymlink) {
  const TestTree tree;
  const TestTree other;
  other.write("f", "outside");
  tree.symlink("d", other.path().string());
  tree.symlink("l", other.path("f").string());
  const Fd root(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY));
  FileHasher hasher(root.get());
  EXPECT_FALSE(hasher.hash("d/f"));
  EXPECT_FALSE(hasher.hash("l"));
}

}  // namespace
}  // namespace roost

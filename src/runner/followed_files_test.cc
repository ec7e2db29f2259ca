#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "base/open_beneath.h"
#include "runner/followed_log.h"
#include "runner/followed_spool.h"

namespace roost {
namespace {

class FollowedFiles : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folders(folder_));
    root_ = Fd(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }

  void put(const std::string& name, std::string_view text, bool append = false) {
    std::ofstream(folder_ / name, append ? std::ios::binary | std::ios::app : std::ios::binary) << text;
  }
  void rename(const std::string& from, const std::string& to) { std::filesystem::rename(folder_ / from, folder_ / to); }
  // As a server would have it that takes everything.
  std::string ship(FollowedLog& log, const std::string& name = "log") {
    struct stat info {};
    if (::lstat((folder_ / name).c_str(), &info) == 0) log.see(root_.get(), name, info);
    std::string all;
    for (auto piece = log.next(5); piece.size > 0; piece = log.next(5)) {
      const std::string bytes = piece.fd < 0 ? "\n" : read_at(piece.fd, piece.offset, piece.size);
      if (piece.fd >= 0) log.note_read(bytes);
      log.set_sent(log.sent() + bytes.size());
      all += bytes;
    }
    return all;
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / ("followed-" + random_hex(4));
  Fd root_;
};

TEST_F(FollowedFiles, ALogThatGrows) {
  FollowedLog log;
  EXPECT_EQ(ship(log), "");
  put("log", "one\ntwo");
  EXPECT_EQ(ship(log), "one\ntwo");
  EXPECT_EQ(ship(log), "");
  put("log", "!\n", true);
  EXPECT_EQ(ship(log), "!\n");
  EXPECT_FALSE(log.take_was_cut());
}

TEST_F(FollowedFiles, ARotatedLogLosesNothing) {
  FollowedLog log;
  put("log", "one\n");
  EXPECT_EQ(ship(log), "one\n");
  put("log", "two\nthree", true);
  rename("log", "log.1");
  put("log", "four\n");
  EXPECT_EQ(ship(log), "two\nthree\nfour\n");
  std::filesystem::remove(folder_ / "log");
  EXPECT_EQ(ship(log), "");
  put("log", "five");
  EXPECT_EQ(ship(log), "five");
  EXPECT_FALSE(log.take_was_cut());
}

TEST_F(FollowedFiles, ALogThatIsWrittenAnewGoesOnAfterWhatWasSent) {
  for (const std::string again : {"new", "one, but much longer than it was\n", "two\n"}) {
    FollowedLog log;
    put("log", "one\n");
    EXPECT_EQ(ship(log), "one\n");
    put("log", again);
    EXPECT_EQ(ship(log), again);
    EXPECT_TRUE(log.take_was_cut());
    EXPECT_FALSE(log.take_was_cut());
    put("log", "more", true);
    EXPECT_EQ(ship(log), "more");
  }
}

TEST_F(FollowedFiles, AServerThatForgotIsSentAgainWhatIsThere) {
  FollowedLog log;
  put("log", "one\n");
  (void)ship(log);
  rename("log", "log.1");
  put("log", "two\n");
  (void)ship(log);
  log.set_sent(2);
  EXPECT_EQ(ship(log), "e\ntwo\n");
  put("log", "new\n");  // "two" is nowhere any more
  EXPECT_EQ(ship(log), "new\n");
  log.set_sent(5);
  EXPECT_EQ(ship(log), "new\n");
  EXPECT_EQ(log.sent(), 9U);
}

TEST_F(FollowedFiles, NothingButARegularFileIsFollowed) {
  put("secret", "mine");
  std::filesystem::create_symlink(folder_ / "secret", folder_ / "log");
  FollowedLog log;
  struct stat info {};
  ASSERT_EQ(::stat((folder_ / "log").c_str(), &info), 0);
  log.see(root_.get(), "log", info);
  EXPECT_EQ(log.next(100).size, 0U);
  std::filesystem::remove(folder_ / "log");
  ASSERT_EQ(::mkfifo((folder_ / "log").c_str(), 0600), 0);
  EXPECT_EQ(ship(log), "");
}

TEST_F(FollowedFiles, OfASpoolWholeLinesUpToTheFirstNul) {
  put("spool", std::string("[1]\n[2]\n[3", 10));
  FollowedSpool spool;
  spool.see(root_.get(), "spool");
  EXPECT_EQ(spool.next_lines(100), "[1]\n[2]\n");
  spool.set_sent(8);
  EXPECT_EQ(spool.next_lines(100), "");
  put("mapped", std::string("[1]\n\0\0\0\0[2]\n", 12));
  FollowedSpool mapped;
  mapped.see(root_.get(), "mapped");
  EXPECT_EQ(mapped.next_lines(100), "[1]\n");
  mapped.set_sent(4);
  EXPECT_EQ(mapped.next_lines(100), "");
  std::string long_line(5'000'000, 'x');
  long_line += '\n';
  put("long", long_line);
  FollowedSpool longer;
  longer.see(root_.get(), "long");
  EXPECT_EQ(longer.next_lines(2 << 20).size(), 5'000'001U);
}

TEST_F(FollowedFiles, ASpoolLineThatIsTooLongIsLeftOut) {
  const std::string too_long((9 << 20) - 1, 'x');
  put("spool", "[1]\n" + too_long);
  FollowedSpool spool;
  spool.see(root_.get(), "spool");
  EXPECT_EQ(spool.next_lines(100), "[1]\n");
  spool.set_sent(4);
  EXPECT_EQ(spool.next_lines(100), "");
  EXPECT_FALSE(spool.take_left_out());
  put("spool", "\n[2]\n", true);
  EXPECT_EQ(spool.next_lines(100), "[2]\n");
  EXPECT_EQ(spool.take_left_out(), too_long.size() + 1);
  EXPECT_FALSE(spool.take_left_out());
  spool.set_sent(8);
  put("spool", "[3]\n", true);
  EXPECT_EQ(spool.next_lines(100), "[3]\n");
  spool.set_sent(0);
  EXPECT_EQ(spool.next_lines(4), "[1]\n");
}

}  // namespace
}  // namespace roost

#include "observe/log_search.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/files.h"

namespace roost {
namespace {

struct LogSearchTest : ::testing::Test {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("log_search_" + random_hex(6));
  LogStore logs{folder};

  ~LogSearchTest() override { std::filesystem::remove_all(folder); }
  void write(const std::string& text) { ASSERT_TRUE(logs.append("r", 1, "log.txt", 0, text)); }
  LogMatches search(const LogSearch& what) { return search_log(logs, "r", 1, "log.txt", what).value(); }
};

TEST_F(LogSearchTest, FindsLinesInUpperOrLowerCase) {
  write("one\nTwo words\nthree\ntwo again");
  const auto found = search({.text = "TWO"});
  ASSERT_EQ(found.items.size(), 2u);
  EXPECT_EQ(found.items[0].offset, 4u);
  EXPECT_EQ(found.items[0].line, "Two words");
  EXPECT_EQ(found.items[1].offset, 20u);
  EXPECT_EQ(found.items[1].line, "two again");
  EXPECT_FALSE(found.next);
  EXPECT_EQ(found.size, 29u);
}

TEST_F(LogSearchTest, ALineCountsOnceHoweverOftenItMatches) {
  write("aaaa\nb\na a a\n");
  EXPECT_EQ(search({.text = "a"}).items.size(), 2u);
}

TEST_F(LogSearchTest, GoesOnWhereTheLimitStopped) {
  write("x1\nx2\nx3\n");
  const auto first = search({.text = "x", .limit = 2});
  ASSERT_EQ(first.items.size(), 2u);
  ASSERT_TRUE(first.next);
  const auto rest = search({.text = "x", .offset = *first.next, .limit = 2});
  ASSERT_EQ(rest.items.size(), 1u);
  EXPECT_EQ(rest.items[0].line, "x3");
  EXPECT_FALSE(rest.next);
}

TEST_F(LogSearchTest, FindsAcrossPieces) {
  std::string text;
  while (text.size() < (9u << 20)) text += "a line of no interest, again and again\n";
  const std::size_t at = text.size();
  write(text + "the needle\nend\n");
  const auto found = search({.text = "needle"});
  ASSERT_EQ(found.items.size(), 1u);
  EXPECT_EQ(found.items[0].offset, at);
}

TEST_F(LogSearchTest, GivesUpAfterSoManyBytesAndSaysWhere) {
  std::string text(12u << 20, 'a');
  for (std::size_t i = 99; i < text.size(); i += 100) text[i] = '\n';
  write(text + "needle\n");
  LogSearch what{.text = "needle"};
  what.most_bytes = 1 << 20;
  auto found = search(what);
  ASSERT_TRUE(found.next);
  EXPECT_TRUE(found.items.empty());
  while (found.next) {
    what.offset = *found.next;
    found = search(what);
  }
  ASSERT_EQ(found.items.size(), 1u);
}

TEST_F(LogSearchTest, ALogThatIsNotThereYetHasNoLines) {
  EXPECT_EQ(search({.text = "a"}).size, 0u);
}

TEST_F(LogSearchTest, TheFirstErrorIsTheTracebackNotTheWordBeforeIt) {
  write("loss 0.3 error rate 0.1\nno errors so far\nTraceback (most recent call last):\n  File \"a\"\nValueError: bad\n");
  const auto found = search({.text = "", .errors = true});
  ASSERT_EQ(found.items.size(), 2u);
  EXPECT_EQ(found.items[0].line, "Traceback (most recent call last):");
  EXPECT_EQ(found.items[1].line, "ValueError: bad");
}

TEST(LooksLikeError, TellsErrorsFromTalkOfErrors) {
  for (const char* line : {"RuntimeError: mat1 and mat2", "torch.cuda.OutOfMemoryError: CUDA out of memory", "ERROR: nope",
                           "2026-11-16 10:00:00 [ERROR] it broke", "\x1b[31mValueError\x1b[0m: red", "Killed",
                           "[rank3]: KeyError: 'x'", "Fatal Python error: Segmentation fault", "a.c:3:1: error: expected ;"}) {
    EXPECT_TRUE(looks_like_error(line)) << line;
  }
  for (const char* line : {"error rate: 0.1", "test_error 0.4", "mean absolute error: 3", "ERRORS_TOTAL 0", "no exceptions", ""}) {
    EXPECT_FALSE(looks_like_error(line)) << line;
  }
}

}  // namespace
}  // namespace roost

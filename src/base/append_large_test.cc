#include "base/append_large.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/files.h"

namespace roost {
namespace {

// No two places have the same bytes, so that none can be lost, doubled or moved unseen.
std::string numbered(std::size_t size, std::size_t from = 0) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(((i + from) * 2654435761U) >> 13);
  return text;
}

class AppendLarge : public testing::Test {
 protected:
  void append(std::string_view bytes) {
    const Fd fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    ASSERT_TRUE(fd);
    const Status done = append_large(fd.get(), std::filesystem::file_size(file_), bytes, "it");
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(::fcntl(fd.get(), F_GETFL) & O_DIRECT, 0);
  }

  void TearDown() override { std::filesystem::remove(file_); }

  const std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / ("append-" + random_hex(4));
};

TEST_F(AppendLarge, EveryByteIsThereWhereverItBeginsAndEnds) {
  std::string expected;
  for (const std::size_t size : {1UL, 4095UL, 1UL << 20, (1UL << 20) + 4096, (3UL << 20) + 17, 5UL, 8UL << 20, 4096UL, (2UL << 20) - 1}) {
    const std::string piece = numbered(size, expected.size());
    append(piece);
    expected += piece;
    ASSERT_EQ(read_file(file_).value_or(""), expected) << size;
  }
}

TEST_F(AppendLarge, AFileThatCannotGrowSaysSo) {
  append("x");
  const Fd fd(::open(file_.c_str(), O_RDONLY | O_CLOEXEC));
  const Status done = append_large(fd.get(), 1, numbered(4 << 20), "the log");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("the log"), std::string::npos) << done.error().message;
}

}  // namespace
}  // namespace roost

#include "base/disk_reserve.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/files.h"

namespace roost {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

class DiskReserveTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("reserve-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }
  DiskReserve open(std::uint64_t wanted) {
    return {folder_ / "reserve", wanted, [this] { return space_; }};
  }
  std::uint64_t blocks() const {
    struct stat info {};
    return ::stat((folder_ / "reserve").c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) * 512 : 0;
  }

  std::filesystem::path folder_;
  DiskSpace space_{10'000 * kMegabyte, 5'000 * kMegabyte};
};

TEST_F(DiskReserveTest, TakesRealBlocksAndAtMostOnePercentOfTheDisk) {
  DiskReserve reserve = open(8 * kMegabyte);
  EXPECT_EQ(reserve.held(), 0U);
  reserve.tend();
  EXPECT_EQ(reserve.held(), 8 * kMegabyte);
  EXPECT_GE(blocks(), 8 * kMegabyte);
  space_.total = 200 * kMegabyte;
  EXPECT_EQ(open(8 * kMegabyte).wanted(), 2 * kMegabyte);
}

TEST_F(DiskReserveTest, LendsPieceByPieceOnAFullDiskOnly) {
  DiskReserve reserve = open(8 * kMegabyte);
  reserve.tend();
  EXPECT_FALSE(reserve.lend());
  space_.free = 0;
  EXPECT_TRUE(reserve.lend());
  EXPECT_EQ(reserve.held(), 7 * kMegabyte);
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(reserve.lend());
  EXPECT_EQ(reserve.held(), 0U);
  EXPECT_FALSE(reserve.lend());
  EXPECT_FALSE(reserve.release());
}

TEST_F(DiskReserveTest, IsMadeWholeAgainAsFarAsThereIsSpace) {
  DiskReserve reserve = open(8 * kMegabyte);
  space_.free = 1 * kMegabyte;
  reserve.tend();
  EXPECT_EQ(reserve.held(), 0U) << "the last megabytes are for others";
  space_.free = 5 * kMegabyte;
  reserve.tend();
  EXPECT_EQ(reserve.held(), 3 * kMegabyte);
  space_.free = 100 * kMegabyte;
  reserve.tend();
  EXPECT_EQ(reserve.held(), 8 * kMegabyte);
}

TEST_F(DiskReserveTest, IsFoundByTheNextServer) {
  {
    DiskReserve reserve = open(8 * kMegabyte);
    reserve.tend();
  }
  space_.free = 0;
  DiskReserve next = open(8 * kMegabyte);
  EXPECT_EQ(next.held(), 8 * kMegabyte);
  EXPECT_TRUE(next.lend());
  EXPECT_EQ(open(2 * kMegabyte).held(), 2 * kMegabyte) << "a smaller one was chosen";
  EXPECT_EQ(open(0).held(), 0U);
}

}  // namespace
}  // namespace roost

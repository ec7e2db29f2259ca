#include "observe/block_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace roost {
namespace {

// The blocks of a series, the newest first, and how many points were written for it in all.
struct Tail {
  std::vector<std::int64_t> counts;
  std::int64_t written = 0;

  void add(std::int64_t points) {
    const auto joined = static_cast<long>(blocks_to_join(counts, points));
    points = std::accumulate(counts.begin(), counts.begin() + joined, points);
    counts.erase(counts.begin(), counts.begin() + joined);
    counts.insert(counts.begin(), points);
    written += points;
  }
};

TEST(BlockTail, APointIsWrittenAFewTimesWhateverTheSizeOfThePieces) {
  for (const std::int64_t piece : {1, 2, 3, 7, 10, 100, 500}) {
    Tail tail;
    std::size_t most = 0;
    for (std::int64_t points = 0; points < 4096; points += piece) {
      tail.add(piece);
      most = std::max(most, tail.counts.size());
    }
    EXPECT_LE(tail.written, 4096 * 5) << piece;
    EXPECT_LE(most, 28U) << piece;
  }
}

TEST(BlockTail, SmallBlocksDoNotStayBehindALargeOne) {
  Tail tail;
  for (int i = 0; i < 1000; ++i) {
    for (int j = 0; j < 3; ++j) tail.add(1);
    tail.add(600);
    ASSERT_TRUE(std::is_sorted(tail.counts.begin(), tail.counts.end(),
                               [](std::int64_t a, std::int64_t b) { return a * 8 < b; }));
  }
  EXPECT_LE(tail.counts.size(), 40U);
}

TEST(BlockTail, TheFirstHasNothingToJoin) { EXPECT_EQ(blocks_to_join({}, 5), 0U); }

}  // namespace
}  // namespace roost

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roost {

// Points arrive a few at a time, ten times a second, and are to be read in large blocks. Each piece is written as a
// small block of its own; once eight blocks of about the same size lie at the end of a series they become one. So a
// point is written once for every factor of eight between a piece and a full block, never once for every piece that
// follows it, and a reader finds at most seven blocks of each size before those that are full.
inline constexpr std::size_t kBlocksOfOneSize = 8;

// With how many of the blocks before them `added` points are to become one. `counts` are the points in the blocks at
// the end of the series that are not full and may be joined, the newest first.
std::size_t blocks_to_join(const std::vector<std::int64_t>& counts, std::int64_t added);

}  // namespace roost

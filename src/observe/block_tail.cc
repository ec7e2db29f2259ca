#include "observe/block_tail.h"

#include <bit>

namespace roost {
namespace {

// Two blocks are of about the same size if their counts have as many digits in base eight.
int size_of(std::int64_t count) { return (static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) + 2) / 3; }

}  // namespace

std::size_t blocks_to_join(const std::vector<std::int64_t>& counts, std::int64_t added) {
  std::size_t joined = 0;
  for (std::int64_t total = added;;) {
    const int size = size_of(total);
    std::size_t end = joined;
    // Smaller ones are joined at once: they must not stay behind a larger one.
    bool has_smaller = false;
    while (end < counts.size() && size_of(counts[end]) <= size) has_smaller |= size_of(counts[end++]) < size;
    if (end == joined || (!has_smaller && end - joined + 1 < kBlocksOfOneSize)) return joined;
    while (joined < end) total += counts[joined++];
  }
}

}  // namespace roost

#include "infer/align_blocks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace roost {

bool align_blocks(std::string& body, std::vector<Block>& blocks) {
  const auto base = reinterpret_cast<std::uintptr_t>(body.data());
  // From the last to the first: none may reach into the next. All go to the left, so that moving them from the first to the
  // last overwrites nothing that is still to be moved.
  std::vector<std::size_t> places(blocks.size());
  std::size_t limit = body.size();
  for (std::size_t i = blocks.size(); i-- > 0;) {
    const Block& block = blocks[i];
    if (limit < block.size) return false;
    std::size_t place = std::min(block.begin, limit - block.size);
    const std::size_t over = (base + place) % block.alignment;
    if (place < over) return false;
    place -= over;
    places[i] = place;
    limit = place;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (places[i] != blocks[i].begin) std::memmove(body.data() + places[i], body.data() + blocks[i].begin, blocks[i].size);
    blocks[i].begin = places[i];
  }
  return true;
}

}  // namespace roost

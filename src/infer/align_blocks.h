#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace roost {

// Bytes of a body, and what their address must be a multiple of.
struct Block {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::size_t alignment = 1;  // a power of two
};

// Moves blocks towards the front, where they do not lie as they must, and changes their `begin`. Bytes in front of the first
// one are free to be overwritten. The blocks do not overlap and are in ascending order. False, and nothing is moved, if there
// is no room.
bool align_blocks(std::string& body, std::vector<Block>& blocks);

}  // namespace roost

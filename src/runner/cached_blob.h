#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace roost {

// True if the file has the bytes its digest says: code is started from the cache. A small file is hashed
// each time. A large one is hashed once; after that a note beside it, "<file>.checked", tells by its
// inode, size and times that nobody touched it.
bool is_intact(const std::filesystem::path& file, const std::string& digest, std::uint64_t size);

// Takes note that the bytes of a large file were checked as they were written. One that is not noted is
// only hashed again.
void note_intact(const std::filesystem::path& file);

}  // namespace roost

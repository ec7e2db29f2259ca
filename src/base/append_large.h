#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace roost {

// Appends to a file that was opened with O_APPEND and is `size` bytes long. Much at once goes to the disk directly
// where its file system can (O_DIRECT): pages that nobody reads soon would be copied, kept, and written by the kernel
// later, which is several times slower than many a disk and takes the memory of those who train. What was written
// directly is on its way out of this machine; as for any file, only a sync promises that it stays.
Status append_large(int fd, std::uint64_t size, std::string_view bytes, std::string_view what);

}  // namespace roost

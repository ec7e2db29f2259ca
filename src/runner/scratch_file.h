#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace roost {

// Replaces a file of an attempt in one step, without waiting for the disk: after a power loss nobody wants it. Follows
// no link that the run may have put there.
Status write_scratch_file(const std::filesystem::path& path, std::string_view text);

}  // namespace roost

#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace roost {

// Copies a regular file into a new one that is open already, as copy_file() does; `what` names it in errors.
Status copy_into(const std::filesystem::path& from, int to, const std::string& what, unsigned mode);

}  // namespace roost

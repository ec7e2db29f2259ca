#include "builders/disk_space.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

std::string free_of(const fs::path& folder) {
  std::error_code error;
  const auto space = fs::space(folder, error);
  return error ? std::string("an unknown amount") : fmt::format("{} MB", space.available >> 20);
}

}  // namespace

bool says_no_space(std::string_view line) {
  const std::string text = lower(line);
  for (const std::string_view words : {"no space left on device", "errno 28", "disk quota exceeded"}) {
    if (text.find(words) != std::string::npos) return true;
  }
  return false;
}

std::string no_space_message(const std::string& environments) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return fmt::format(
      "the disk is full: the build found no space left on device; now {} has {} free and {} has {}. Free some "
      "(roost env prune, roost gc), or have the server use a data folder or a TMPDIR on a larger disk, and submit again",
      environments, free_of(environments), temporary.string(), free_of(temporary));
}

}  // namespace roost

#include "builders/explain.h"

#include <fmt/format.h>

namespace roost {
namespace {

constexpr std::size_t kShown = 12;

}  // namespace

std::string shown_versions(const std::vector<std::string>& versions) {
  std::string text;
  const std::size_t first = versions.size() > kShown ? versions.size() - kShown : 0;
  if (first > 0) text = fmt::format("{} older ones, ", first);
  for (std::size_t i = first; i < versions.size(); ++i) {
    if (i > first) text += ", ";
    text += versions[i];
  }
  return text;
}

std::string package_count(std::size_t count) { return fmt::format("{} package{}", count, count == 1 ? "" : "s"); }

}  // namespace roost

#include "runner/notices.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kMost = 20;
constexpr std::size_t kLongestName = 300;

}  // namespace

void Notices::add(const std::string& path, const std::string& why) { notices_.try_emplace(path, why); }

Json Notices::json() const {
  Json all = Json::array();
  for (const auto& [path, why] : notices_) {
    if (all.size() == kMost && notices_.size() > kMost + 1) {
      all.push_back(fmt::format("{} more files are not kept as they are", notices_.size() - kMost));
      break;
    }
    all.push_back(fmt::format("{} {}", printable(path, kLongestName), why));
  }
  return all;
}

}  // namespace roost

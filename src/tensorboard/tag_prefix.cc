#include "tensorboard/tag_prefix.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace roost {
namespace {

// '0' stands for a digit, 'a' for a letter; a '*' at the end for anything.
bool is_like(std::string_view name, std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') return true;
    if (i >= name.size()) return false;
    const char c = name[i];
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (pattern[i] == '0' ? !digit : pattern[i] == 'a' ? !letter : c != pattern[i]) return false;
  }
  return name.size() == pattern.size();
}

bool is_made_of_time(std::string_view name) {
  return is_like(name, "aaa00_00-00-00_*") || is_like(name, "00000000-000000") || is_like(name, "0000-00-00_00-00-00");
}

// add_hparams() of PyTorch's SummaryWriter writes what belongs to its folder into one that is named by the second.
bool is_session(std::string_view name) { return is_like(name, "0000000000.0*"); }

bool is_lightning(std::string_view name) {
  return name.starts_with("version_") && name.find_first_not_of("0123456789", 8) == std::string_view::npos && name.size() > 8;
}

std::string without_made_up(const std::string& folder) {
  std::vector<std::string> kept;
  for (const auto& part : split(folder, '/')) {
    if (part.empty() || is_session(part)) continue;
    const bool has_time = is_made_of_time(part);
    if (!has_time && !is_lightning(part)) {
      kept.push_back(part);
    } else if (!kept.empty() && kept.back() == (has_time ? "runs" : "lightning_logs")) {
      kept.pop_back();
    }
  }
  return kept.empty() ? "" : fmt::format("{}/", fmt::join(kept, "/"));
}

std::string without_sessions(const std::string& folder) {
  std::string out;
  for (const auto& part : split(folder, '/')) {
    if (!part.empty() && !is_session(part)) out += part + "/";
  }
  return out;
}

}  // namespace

std::string TagPrefixes::prefix_of(const std::string& folder) {
  const std::string whole = without_sessions(folder);
  const std::string prefix = without_made_up(folder);
  return owners_.try_emplace(prefix, whole).first->second == whole ? prefix : whole;
}

}  // namespace roost

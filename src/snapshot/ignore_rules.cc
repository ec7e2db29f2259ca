#include "snapshot/ignore_rules.h"

#include <algorithm>

namespace roost {

IgnoreFile::IgnoreFile(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto pattern = IgnorePattern::parse(line)) patterns_.push_back(std::move(*pattern));
  }

  std::vector<std::uint32_t> list;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    list.clear();
    for (std::size_t i = patterns_.size(); i-- > 0;) {
      if (patterns_[i].last_bytes()[byte]) list.push_back(static_cast<std::uint32_t>(i));
    }
    const auto same = std::find(candidates_.begin(), candidates_.end(), list);
    list_for_[byte] = static_cast<std::uint8_t>(same - candidates_.begin());
    if (same == candidates_.end()) candidates_.push_back(list);
  }
}

IgnoreFile::Verdict IgnoreFile::judge(std::string_view path, bool folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const unsigned char last = name.empty() ? '\0' : static_cast<unsigned char>(name.back());
  for (const std::uint32_t index : candidates_[list_for_[last]]) {
    const auto& pattern = patterns_[index];
    if (pattern.matches(path, name, folder)) {
      return pattern.includes() ? Verdict::kInclude : Verdict::kExclude;
    }
  }
  return Verdict::kNone;
}

bool is_ignored(const IgnoreScope* scope, std::string_view path, bool folder) {
  if (path.ends_with(".git") && (path.size() == 4 || path[path.size() - 5] == '/')) return true;
  for (; scope != nullptr; scope = scope->above_.get()) {
    const auto verdict = scope->file_.judge(path.substr(scope->folder_.size()), folder);
    if (verdict != IgnoreFile::Verdict::kNone) return verdict == IgnoreFile::Verdict::kExclude;
  }
  return false;
}

}  // namespace roost

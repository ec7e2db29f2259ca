#include "builders/requirement.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/environment_plan.h"
#include "domain/version.h"

namespace roost {
namespace {

std::string joined(const std::vector<int>& release, std::size_t parts) {
  std::string text;
  for (std::size_t i = 0; i < std::min(parts, release.size()); ++i) {
    text += (i == 0 ? "" : ".") + std::to_string(release[i]);
  }
  return text;
}

}  // namespace

Requirement parse_requirement(std::string_view line) {
  Requirement found;
  line = line.substr(0, line.find(" #"));
  line = trim(line.substr(0, line.find(" --hash")));
  found.line = std::string(line);
  found.name = requirement_name(line);
  found.is_url = line.find("://") != std::string_view::npos || line.find(" @ ") != std::string_view::npos ||
                 (found.name.empty() && !line.starts_with('-'));
  if (found.is_url || found.name.empty()) return found;
  std::string_view rest = line;
  if (const auto semicolon = rest.find(';'); semicolon != std::string_view::npos) {
    found.marker = trim(rest.substr(semicolon + 1));
    rest = rest.substr(0, semicolon);
  }
  if (const auto open = rest.find('['); open != std::string_view::npos) {
    if (const auto close = rest.find(']', open); close != std::string_view::npos) {
      found.extras = rest.substr(open, close + 1 - open);
    }
  }
  found.condition = requirement_condition(rest);
  // "numpy (>=1.0)", as old metadata writes it.
  found.condition.erase(std::remove_if(found.condition.begin(), found.condition.end(),
                                       [](char c) { return c == ' ' || c == '(' || c == ')'; }),
                        found.condition.end());
  return found;
}

bool Requirement::is_exact() const {
  return condition.starts_with("==") && condition.find_first_of(",*") == std::string::npos;
}

std::string Requirement::with(std::string_view other) const {
  return fmt::format("{}{}{}{}{}", name, extras, other, marker.empty() ? "" : " ; ", marker);
}

std::string Requirement::start() const {
  std::string below;
  for (const auto& part : split(condition, ',')) {
    const std::string_view text = trim(part);
    const auto digits = text.find_first_of("0123456789");
    if (digits == std::string_view::npos || text.starts_with("!=")) continue;
    const auto version = parse_version(text.substr(digits));
    if (!version) continue;
    const std::string release = joined(version->release, version->release.size());
    if (!text.starts_with('<')) return release;
    below = release;
  }
  return below;
}

std::string without_local(std::string_view version) { return std::string(version.substr(0, version.find('+'))); }

std::string same_line(std::string_view version) {
  const auto parsed = parse_version(version);
  if (!parsed) return fmt::format("=={}", version);
  return fmt::format(">={},=={}.*", without_local(version), joined(parsed->release, 2));
}

}  // namespace roost

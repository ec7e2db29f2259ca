#include "domain/version.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kMostParts = 8;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

int part(const Version& version, std::size_t i) {
  return i < version.release.size() ? version.release[i] : 0;
}

// "==1.2" -> {"==", "1.2"}
std::pair<std::string_view, std::string_view> split_operator(std::string_view condition) {
  for (const std::string_view op : {"===", "==", ">=", "<=", "!=", "~=", ">", "<", "="}) {
    if (condition.starts_with(op)) return {op, trim(condition.substr(op.size()))};
  }
  return {"", condition};
}

bool has_prefix(const Version& version, std::string_view prefix) {
  const auto wanted = parse_version(prefix);
  if (!wanted) return false;
  for (std::size_t i = 0; i < wanted->release.size(); ++i) {
    if (part(version, i) != wanted->release[i]) return false;
  }
  return true;
}

bool satisfies_one(const Version& version, std::string_view condition) {
  auto [op, text] = split_operator(trim(condition));
  if (text.empty() || text == "*") return op.empty();
  if (text.ends_with(".*")) {
    text.remove_suffix(2);
    if (op.empty() || op == "=" || op == "==") return has_prefix(version, text);
    if (op == "!=") return !has_prefix(version, text);
    return false;
  }
  const auto wanted = parse_version(text);
  if (!wanted) return false;
  const int order = compare_versions(version, *wanted);
  if (op.empty() || op == "=") return has_prefix(version, text);
  if (op == "==" || op == "===") return order == 0;
  if (op == "!=") return order != 0;
  if (op == ">=") return order >= 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  if (op == "<") return order < 0;
  if (wanted->release.size() < 2) return false;  // "~=1" says nothing
  Version above = *wanted;
  above.release.pop_back();
  std::string prefix;
  for (const int number : above.release) prefix += (prefix.empty() ? "" : ".") + std::to_string(number);
  return order >= 0 && has_prefix(version, prefix);
}

// Whether `a` is closer to `wanted` than `b`. The first number that is another decides; where both left the line of `wanted`
// already, what follows counts in the direction that they left it: of those below it the newest, of those above it the oldest.
bool is_closer(const Version& wanted, const Version& a, const Version& b) {
  for (std::size_t i = 0; i < kMostParts; ++i) {
    if (part(a, i) == part(b, i)) {
      if (part(a, i) == part(wanted, i)) continue;
      const int order = compare_versions(a, b);
      return part(a, i) < part(wanted, i) ? order > 0 : order < 0;
    }
    const int there = std::abs(part(a, i) - part(wanted, i));
    const int here = std::abs(part(b, i) - part(wanted, i));
    return there != here ? there < here : part(a, i) > part(b, i);
  }
  return false;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  version.text = std::string(trim(text));
  std::string_view rest = version.text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  while (!rest.empty() && is_digit(rest.front()) && version.release.size() < kMostParts) {
    int number = 0;
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) {
      if (digits >= 8) return std::nullopt;
      number = number * 10 + (rest[digits] - '0');
      ++digits;
    }
    version.release.push_back(number);
    rest.remove_prefix(digits);
    if (rest.size() < 2 || rest.front() != '.' || !is_digit(rest[1])) break;
    rest.remove_prefix(1);
  }
  if (version.release.empty()) return std::nullopt;
  version.is_final = rest.empty() || rest.front() == '+' || rest.starts_with(".post") ||
                     rest.starts_with("-");
  return version;
}

int compare_versions(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < kMostParts; ++i) {
    if (part(a, i) != part(b, i)) return part(a, i) < part(b, i) ? -1 : 1;
  }
  if (a.is_final != b.is_final) return a.is_final ? 1 : -1;
  return 0;
}

bool satisfies(const Version& version, std::string_view condition) {
  if (trim(condition).empty()) return true;
  const auto parts = split(std::string(condition), ',');
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& one) { return satisfies_one(version, one); });
}

std::optional<Version> nearest_version(const Version& wanted, const std::vector<Version>& available) {
  const Version* best = nullptr;
  for (const auto& candidate : available) {
    if (best && best->is_final != candidate.is_final) {
      if (candidate.is_final) best = &candidate;
      continue;
    }
    if (!best) {
      best = &candidate;
      continue;
    }
    if (is_closer(wanted, candidate, *best)) best = &candidate;
  }
  if (!best) return std::nullopt;
  return *best;
}

}  // namespace roost

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// The numbers of a release, "1.13.1+cpu" -> {1, 13, 1}. What follows them (pre-release, local part)
// counts only in `is_final`.
struct Version {
  std::string text;
  std::vector<int> release;
  bool is_final = true;
};
std::optional<Version> parse_version(std::string_view text);
// <0, 0, >0. A shorter release is filled up with zeros.
int compare_versions(const Version& a, const Version& b);

// Whether `version` fulfils a condition as conda and pip write them: "3.11", "=3.11", "==3.6.2",
// ">=3.8,<3.11", "3.6.*", "~=1.4". An empty one is fulfilled by all. Unknown forms by none.
bool satisfies(const Version& version, std::string_view condition);

// The one closest to `wanted`: by major number, then minor, and so on; of two as close the newer. Beyond the newest that is the
// newest, beyond the oldest the oldest.
// Finals go before pre-releases. Nothing if there are none.
std::optional<Version> nearest_version(const Version& wanted, const std::vector<Version>& available);

}  // namespace roost

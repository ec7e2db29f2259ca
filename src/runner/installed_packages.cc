#include "runner/installed_packages.h"

#include <dirent.h>
#include <fcntl.h>

#include <memory>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.h"
#include "base/open_beneath.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kMostTold = 30;
constexpr std::size_t kLongestName = 80;

std::vector<std::string> names_in(int root, const std::string& path) {
  std::vector<std::string> names;
  Fd folder = open_beneath(root, path, O_RDONLY | O_DIRECTORY);
  if (!folder) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.get()), ::closedir);
  if (!entries) return names;
  (void)folder.release();  // closedir() closes it
  while (const dirent* entry = ::readdir(entries.get())) names.emplace_back(entry->d_name);
  return names;
}

// "alpha-2.0.dist-info" and "alpha-2.0-py3.6.egg" -> "alpha 2.0"; "alpha.egg-link" -> "alpha"; "" for others.
std::string package_of(std::string_view name) {
  const auto is = [&](std::string_view ending) {
    const bool so = name.ends_with(ending);
    if (so) name.remove_suffix(ending.size());
    return so;
  };
  if (is(".egg-link")) return std::string(name);
  if (!is(".dist-info") && !is(".egg-info") && !is(".egg")) return "";
  // pip's name for what it is about to remove.
  if (name.starts_with("~")) return "";
  const auto dash = name.find('-');
  if (dash == std::string_view::npos) return std::string(name);
  const std::string_view version = name.substr(dash + 1);
  return fmt::format("{} {}", name.substr(0, dash), version.substr(0, version.find('-')));
}

}  // namespace

std::vector<std::string> installed_packages(const std::string& prefix) {
  std::set<std::string> found;
  const Fd root(::open(prefix.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root) return {};
  for (const auto& version : names_in(root.get(), "lib")) {
    if (version.starts_with(".")) continue;
    for (const auto& name : names_in(root.get(), fmt::format("lib/{}/site-packages", version))) {
      const std::string package = package_of(name);
      if (!package.empty()) found.insert(printable(package, kLongestName));
    }
  }
  return {found.begin(), found.end()};
}

std::string installed_text(const std::vector<std::string>& packages) {
  if (packages.empty()) return "";
  const std::size_t told = packages.size() > kMostTold + 1 ? kMostTold : packages.size();
  const std::vector<std::string> first(packages.begin(), packages.begin() + static_cast<std::ptrdiff_t>(told));
  return fmt::format("installed for this run alone: {}{}; name them in the environment to have them there from the start",
                     fmt::join(first, ", "),
                     told == packages.size() ? "" : fmt::format(" and {} more", packages.size() - told));
}

}  // namespace roost

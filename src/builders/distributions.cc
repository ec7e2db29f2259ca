#include "builders/distributions.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "domain/environment_plan.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// The value of a field in the head of METADATA; the description follows after an empty line.
std::string field(std::string_view metadata, std::string_view name) {
  while (!metadata.empty()) {
    const auto end = std::min(metadata.find('\n'), metadata.size());
    const std::string_view line = trim(metadata.substr(0, end));
    if (line.empty()) break;
    if (line.starts_with(name)) return std::string(trim(line.substr(name.size())));
    metadata.remove_prefix(std::min(end + 1, metadata.size()));
  }
  return "";
}

void read_site_packages(const fs::path& folder, std::vector<Distribution>& found) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".dist-info") continue;
    const auto metadata = read_file(entry.path() / "METADATA");
    if (!metadata) continue;
    Distribution one;
    one.name = requirement_name(field(*metadata, "Name:"));
    one.version = field(*metadata, "Version:");
    if (const auto installer = read_file(entry.path() / "INSTALLER")) one.installer = trim(*installer);
    if (!one.name.empty() && !one.version.empty()) found.push_back(std::move(one));
  }
}

}  // namespace

std::vector<Distribution> installed_distributions(const fs::path& environment) {
  std::vector<Distribution> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(environment / "lib", error)) {
    if (entry.path().filename().string().starts_with("python")) read_site_packages(entry.path() / "site-packages", found);
  }
  std::sort(found.begin(), found.end(), [](const Distribution& a, const Distribution& b) { return a.name < b.name; });
  return found;
}

}  // namespace roost

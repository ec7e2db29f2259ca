#include "builders/pythons.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "builders/program.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

std::optional<Version> version_of(const std::string& python) {
  const auto text = output_of({python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"});
  if (!text) return std::nullopt;
  return parse_version(*text);
}

bool is_python_name(const std::string& name) {
  if (name == "python3") return true;
  if (!name.starts_with("python3.")) return false;
  return name.find_first_not_of("0123456789", 8) == std::string::npos && name.size() > 8;
}

void add_folder(const fs::path& folder, std::vector<std::string>& paths) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_python_name(entry.path().filename().string())) paths.push_back(entry.path().string());
  }
}

std::vector<std::string> candidates(const BuildSettings& settings) {
  std::vector<std::string> paths;
  if (!settings.python.empty()) paths.push_back(settings.python);
  paths.insert(paths.end(), settings.pythons.begin(), settings.pythons.end());
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path ? path : "", ':')) {
    // A shim of pyenv is no interpreter.
    if (!folder.empty() && folder.find("/shims") == std::string::npos) add_folder(folder, paths);
  }
  for (const char* folder : {"/usr/bin", "/usr/local/bin"}) add_folder(folder, paths);
  if (const char* home = std::getenv("HOME")) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(home) / ".pyenv" / "versions", error)) {
      paths.push_back((entry.path() / "bin" / "python3").string());
    }
  }
  return paths;
}

}  // namespace

std::optional<Interpreter> default_interpreter(const BuildSettings& settings) {
  if (settings.python.empty()) return std::nullopt;
  auto version = version_of(settings.python);
  if (!version) return std::nullopt;
  return Interpreter{settings.python, std::move(*version)};
}

std::vector<Interpreter> find_interpreters(const BuildSettings& settings) {
  std::vector<Interpreter> found;
  std::set<std::string> seen;
  std::set<std::string> versions;
  for (const auto& path : candidates(settings)) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error || !seen.insert(real.string()).second || ::access(path.c_str(), X_OK) != 0) continue;
    auto version = version_of(path);
    if (!version || !versions.insert(version->text).second) continue;
    found.push_back({path, std::move(*version)});
  }
  if (found.size() > 1) {
    std::sort(found.begin() + (settings.python.empty() ? 0 : 1), found.end(),
              [](const Interpreter& a, const Interpreter& b) {
                return compare_versions(a.version, b.version) > 0;
              });
  }
  return found;
}

std::optional<Interpreter> choose_interpreter(const std::vector<Interpreter>& interpreters,
                                              const std::string& condition) {
  for (const auto& interpreter : interpreters) {
    if (satisfies(interpreter.version, condition)) return interpreter;
  }
  return std::nullopt;
}

namespace {

bool is_supported(const Interpreter& one) {
  const auto& release = one.version.release;
  return release.size() > 1 && release[0] == 3 && release[1] >= kOldestMinor;
}

std::optional<Version> version_in(const std::string& condition) {
  const auto digits = condition.find_first_of("0123456789");
  return digits == std::string::npos ? std::nullopt : parse_version(std::string_view(condition).substr(digits));
}

}  // namespace

bool is_before_oldest(const std::string& condition) {
  const auto wanted = version_in(condition);
  if (!wanted || condition.starts_with('>')) return false;
  return wanted->release[0] < 3 || (wanted->release[0] == 3 && wanted->release.size() > 1 && wanted->release[1] < kOldestMinor);
}

std::optional<Interpreter> same_minor(const std::vector<Interpreter>& interpreters, const std::string& condition) {
  const auto wanted = version_in(condition);
  if (!wanted || wanted->release.size() < 2) return std::nullopt;
  for (const auto& one : interpreters) {
    if (is_supported(one) && one.version.release[0] == wanted->release[0] && one.version.release[1] == wanted->release[1]) return one;
  }
  return std::nullopt;
}

std::vector<Interpreter> nearest_interpreters(const std::vector<Interpreter>& interpreters, const std::string& condition) {
  std::vector<Interpreter> usable;
  std::copy_if(interpreters.begin(), interpreters.end(), std::back_inserter(usable), is_supported);
  if (usable.empty()) return usable;
  std::vector<Version> versions;
  for (const auto& one : usable) versions.push_back(one.version);
  const auto best = nearest_version(version_in(condition).value_or(versions.front()), versions);
  std::vector<Interpreter> found;
  for (const auto& one : usable) {
    if (best && one.version.text == best->text) found.push_back(one);
  }
  if (found.empty() || found.front().path != usable.front().path) found.push_back(usable.front());
  return found;
}

std::string versions_text(const std::vector<Interpreter>& interpreters) {
  std::string text;
  for (const auto& interpreter : interpreters) {
    if (!text.empty()) text += ", ";
    text += interpreter.version.text;
  }
  return text.empty() ? "none" : text;
}

}  // namespace roost

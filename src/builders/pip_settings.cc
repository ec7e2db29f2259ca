#include "builders/pip_settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "builders/program.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

std::string variable(const char* name, const std::string& otherwise = "") {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// Where pip looks for its settings, besides the environment itself, which is new.
std::vector<std::string> files() {
  const std::string home = variable("HOME");
  std::vector<std::string> paths = {"/etc/pip.conf", home + "/.pip/pip.conf",
                                    variable("XDG_CONFIG_HOME", home + "/.config") + "/pip/pip.conf", variable("PIP_CONFIG_FILE")};
  for (const auto& folder : split(variable("XDG_CONFIG_DIRS", "/etc/xdg"), ':')) paths.push_back(folder + "/pip/pip.conf");
  return paths;
}

// All that the answer depends on.
std::string key_of(const std::string& runner) {
  std::string text = runner + "\n";
  for (char** one = environ; *one != nullptr; ++one) {
    if (std::string_view(*one).starts_with("PIP_")) text += std::string(*one) + "\n";
  }
  for (const auto& path : files()) {
    struct stat found {};
    const bool is_there = ::stat(path.c_str(), &found) == 0;
    text += fmt::format("{} {} {} {} {}\n", path, is_there ? found.st_size : -1, found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
                        is_there ? found.st_ino : 0);
  }
  return sha256_hex(text);
}

}  // namespace

std::string pip_settings(const BuildSettings& settings, const std::vector<std::string>& pip,
                         const std::optional<HiddenFolders>& hidden) {
  // Of a pip outside of the environment only: one in it may have settings beside it.
  const bool kept = !settings.tools.empty() && pip.size() == 2 && !pip[1].starts_with(fs::path(pip[0]).parent_path().parent_path().string());
  const fs::path file = fs::path(settings.tools) / "pip-settings";
  const std::string key = kept ? key_of(pip[1]) : "";
  if (kept) {
    if (const auto text = read_file(file); text && text->starts_with(key + "\n")) return text->substr(key.size() + 1);
  }
  std::vector<std::string> words = pip;
  words.insert(words.end(), {"config", "list"});
  const auto said = output_of(words, hidden);
  if (said && kept && make_folders(settings.tools)) (void)write_file_atomic(file, key + "\n" + *said);
  return said.value_or("");
}

}  // namespace roost

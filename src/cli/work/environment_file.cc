#include "cli/work/environment_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/work/modernize.h"
#include "cli/work/toml_document.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kDeepestFile = 10;  // of files that name one another with -r

Json pip_definition(const std::string& python, const Json& lines) {
  Json dependencies = Json::array();
  if (!python.empty()) dependencies.push_back("python" + python);
  dependencies.push_back({{"pip", lines}});
  return {{"python", {{"userManagedDependencies", false}, {"condaDependencies", {{"dependencies", dependencies}}}}}};
}

// What of a line is no comment: "#" counts at its start or after a blank.
std::string_view without_comment(std::string_view line) {
  for (auto at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return trim(line.substr(0, at));
  }
  return trim(line);
}

// The file that a line like "-r other.txt" names; "" for any other line.
std::string named_file(std::string_view line) {
  for (const std::string_view option : {"--requirement", "-r"}) {
    if (!line.starts_with(option)) continue;
    line = trim(line.substr(option.size()));
    if (line.starts_with('=')) line = trim(line.substr(1));
    return std::string(line);
  }
  return "";
}

std::string without_hashes(std::string_view line) { return std::string(trim(line.substr(0, line.find(" --hash")))); }

Status read_requirements(const fs::path& path, int depth, Json& lines) {
  if (depth > kDeepestFile) return fail(ErrorCode::kInvalidArgument, fmt::format("{}: files name one another with -r without end", path.string()));
  ROOST_TRY(std::string text, read_file(path));
  for (auto at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n", at)) text.replace(at, 2, " ");
  for (const std::string& whole : split(text, '\n')) {
    const std::string_view line = without_comment(whole);
    if (line.empty()) continue;
    if (const std::string other = named_file(line); !other.empty()) {
      ROOST_CHECK(read_requirements(path.parent_path() / other, depth + 1, lines));
    } else if (line.starts_with("-e") || line.starts_with("--editable") || line.starts_with(".")) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: \"{}\" is a folder of this machine. Leave it out: the code of the folder that is submitted "
                              "can be imported without being installed",
                              path.string(), printable(line)));
    } else {
      lines.push_back(without_hashes(line));
    }
  }
  return {};
}

Result<Json> definition_of_conda(std::string_view text, const std::string& path) {
  ROOST_TRY(const CondaFile file, read_conda_file(text, path));
  return conda_definition(file);
}

bool is_dockerfile(const std::string& name) {
  return name == "dockerfile" || name == "containerfile" || name.starts_with("dockerfile.") || name.ends_with(".dockerfile");
}

// A lock's packages, and by which markers they are reached from the project itself.
class LockedPackages {
 public:
  explicit LockedPackages(const Json& document) {
    for (const Json& package : child(document, "package")) by_name_[text_field(package, "name")].push_back(&package);
  }

  Json lines() {
    for (const auto& [name, versions] : by_name_) {
      for (const Json* package : versions) {
        if (is_project(*package)) visit(*package, "");
      }
    }
    Json lines = Json::array();
    for (const auto& [name, versions] : by_name_) {
      for (const Json* package : versions) {
        if (is_project(*package) || !reached_.contains(name)) continue;
        lines.push_back(line_of(*package, name));
      }
    }
    return lines;
  }

 private:
  static bool is_project(const Json& package) {
    const Json& source = child(package, "source");
    return !child(source, "editable").is_null() || !child(source, "virtual").is_null() || !child(source, "directory").is_null();
  }

  // Without a marker it is needed everywhere, whatever others say of it.
  void visit(const Json& package, const std::string& marker) {
    for (const Json& needed : child(package, "dependencies")) {
      const std::string name = text_field(needed, "name");
      std::string own = text_field(needed, "marker");
      if (own.empty()) own = marker;
      auto& markers = reached_[name];
      if (markers.contains("") || !markers.insert(own).second) continue;
      if (own.empty()) markers = {""};
      for (const Json* next : by_name_[name]) visit(*next, own);
    }
  }

  std::string line_of(const Json& package, const std::string& name) {
    const Json& source = child(package, "source");
    std::string line = name + "==" + text_field(package, "version");
    for (const char* kind : {"git", "url"}) {
      const std::string from = text_field(source, kind);
      if (!from.empty()) line = fmt::format("{} @ {}{}", name, kind == std::string_view("git") ? "git+" : "", from);
    }
    std::vector<std::string> conditions;
    std::vector<std::string> ways;
    for (const std::string& marker : reached_[name]) {
      if (!marker.empty()) ways.push_back("(" + marker + ")");
    }
    if (!ways.empty()) conditions.push_back(fmt::format("({})", fmt::join(ways, " or ")));
    // Of several versions of a package each says where it counts.
    std::vector<std::string> places;
    for (const Json& place : child(package, "resolution-markers")) places.push_back("(" + value_text(place) + ")");
    if (!places.empty() && by_name_[name].size() > 1) conditions.push_back(fmt::format("({})", fmt::join(places, " or ")));
    return conditions.empty() ? line : fmt::format("{} ; {}", line, fmt::join(conditions, " and "));
  }

  std::map<std::string, std::vector<const Json*>> by_name_;
  std::map<std::string, std::set<std::string>> reached_;
};

}  // namespace

Result<Json> definition_of_requirements(const std::vector<std::string>& paths) {
  Json lines = Json::array();
  for (const std::string& path : paths) ROOST_CHECK(read_requirements(path, 0, lines));
  return pip_definition("", lines);
}

Result<Json> definition_of_pyproject(std::string_view text, const std::string& what) {
  ROOST_TRY(const Json document, parse_toml(text, what));
  const Json& project = child(document, "project");
  if (!project.is_object()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} has no table [project] with the dependencies; `pip freeze > requirements.txt` and -r "
                            "requirements.txt do it, too",
                            what));
  }
  Json lines = Json::array();
  for (const Json& line : child(project, "dependencies")) {
    if (!line.is_string()) return fail(ErrorCode::kInvalidArgument, what + ": the dependencies of [project] are no list of texts");
    lines.push_back(line);
  }
  return pip_definition(text_field(project, "requires-python"), lines);
}

Result<Json> definition_of_uv_lock(std::string_view text, const std::string& what) {
  ROOST_TRY(const Json document, parse_toml(text, what));
  if (!child(document, "package").is_array()) {
    return fail(ErrorCode::kInvalidArgument, what + " has no [[package]]; it is no lock of uv's");
  }
  return pip_definition(text_field(document, "requires-python"), LockedPackages(document).lines());
}

Result<Json> definition_of_file(const std::string& path) {
  const std::string name = lower(fs::path(path).filename().string());
  if (name.ends_with(".yml") || name.ends_with(".yaml") || name.ends_with(".toml") || name.ends_with(".lock") || is_dockerfile(name)) {
    ROOST_TRY(const std::string text, read_file(path));
    if (name.ends_with(".lock")) return definition_of_uv_lock(text, path);
    if (name.ends_with(".toml")) return definition_of_pyproject(text, path);
    if (!is_dockerfile(name)) return definition_of_conda(text, path);
    return Json{{"python", {{"userManagedDependencies", true}}}, {"docker", {{"enabled", true}, {"baseDockerfile", text}}}};
  }
  return definition_of_requirements({path});
}

}  // namespace roost

#include "cli/settings.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/files.h"
#include "base/json.h"
#include "confine/private_folder.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

Result<Settings::Values> read_values(const Json& document, const std::string& where) {
  if (!document.is_object()) return fail(ErrorCode::kInvalidArgument, where + " is no object of settings");
  Settings::Values values;
  for (const auto& [name, value] : document.items()) {
    if (!value.is_string()) return fail(ErrorCode::kInvalidArgument, fmt::format("{}: \"{}\" is no text", where, name));
    values[name] = value.get<std::string>();
  }
  return values;
}

}  // namespace

fs::path settings_folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config) return fs::path(config) / "roost";
  const char* home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".config/roost" : fs::path();
}

const std::vector<SettingKind>& setting_kinds() {
  static const std::vector<SettingKind> kinds = {
      {"workspace", "ROOST_WORKSPACE", "default", "workspace to work in"},
      {"compute", "ROOST_COMPUTE", "local", "where `roost submit` runs things"},
      {"experiment", "ROOST_EXPERIMENT", "", "experiment of `roost submit`; else the name of the folder"},
      {"data", "ROOST_DATA", "", "data folder of the server on this machine"},
  };
  return kinds;
}

Result<Settings> read_settings() {
  Settings settings;
  if (settings_folder().empty()) return settings;
  const std::string path = settings_folder() / "settings.json";
  const auto text = read_file(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return settings;
  if (!text) return fail(text.error());
  ROOST_TRY(const Json document, parse_json(*text, path));
  if (!document.is_object()) return fail(ErrorCode::kInvalidArgument, path + " holds no settings; remove it");
  for (const auto& [name, value] : document.items()) {
    if (name == "context" && value.is_string()) {
      settings.context = value.get<std::string>();
    } else if (name == "everywhere") {
      ROOST_TRY(settings.everywhere, read_values(value, path));
    } else if (name == "folders" && value.is_object()) {
      for (const auto& [folder, values] : value.items()) {
        ROOST_TRY(settings.folders[folder], read_values(values, path));
      }
    } else {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: \"{}\" is no part of it; remove that", path, name));
    }
  }
  return settings;
}

Status write_settings(const Settings& settings) {
  const fs::path folder = settings_folder();
  if (folder.empty()) {
    return fail(ErrorCode::kFailedPrecondition, "there is no place for settings: neither HOME nor XDG_CONFIG_HOME is set");
  }
  ROOST_CHECK(make_folders(folder.parent_path()));
  ROOST_CHECK(make_private_folder(folder));
  Json document = {{"everywhere", settings.everywhere}, {"folders", settings.folders}};
  if (!settings.context.empty()) document["context"] = settings.context;
  return write_file_atomic(folder / "settings.json", document.dump(2) + "\n", 0600);
}

std::optional<FoundSetting> find_setting(const Settings& settings, const std::string& name, const fs::path& folder) {
  const auto& kinds = setting_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const SettingKind& one) { return name == one.name; });
  if (kind != kinds.end()) {
    if (const char* value = std::getenv(kind->variable); value && *value) return FoundSetting{value, kind->variable};
  }
  for (fs::path place = folder; !place.empty(); place = place.parent_path()) {
    if (const auto values = settings.folders.find(place.string()); values != settings.folders.end()) {
      if (const auto value = values->second.find(name); value != values->second.end()) {
        return FoundSetting{value->second, place.string()};
      }
    }
    if (place == place.root_path()) break;
  }
  if (const auto value = settings.everywhere.find(name); value != settings.everywhere.end()) {
    return FoundSetting{value->second, "everywhere"};
  }
  return std::nullopt;
}

}  // namespace roost

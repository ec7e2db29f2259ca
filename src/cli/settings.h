#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace roost {

// Where what a user set for good lies: $XDG_CONFIG_HOME/roost, else ~/.config/roost; "" without a home.
std::filesystem::path settings_folder();

// The settings there are, with what each is for.
struct SettingKind {
  const char* name;
  const char* variable;  // that goes before what is set
  const char* fallback;  // what counts if nothing says otherwise
  const char* help;
};
const std::vector<SettingKind>& setting_kinds();

// settings.json of that folder. Of a folder of the user's the settings count in all folders below it, too.
struct Settings {
  using Values = std::map<std::string, std::string>;
  std::string context;  // the one in use; "" is the server of this machine
  Values everywhere;
  std::map<std::string, Values> folders;  // by absolute path
};
// Empty ones where there is no file.
Result<Settings> read_settings();
Status write_settings(const Settings& settings);

// What counts for a setting, and where it is from: "ROOST_COMPUTE", "/home/me/birds", "everywhere". None if nothing was
// set; what the command line says goes before it.
struct FoundSetting {
  std::string value;
  std::string origin;
};
std::optional<FoundSetting> find_setting(const Settings& settings, const std::string& name, const std::filesystem::path& folder);

}  // namespace roost

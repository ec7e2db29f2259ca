#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/suggest.h"
#include "cli/verbs/commands.h"
#include "domain/names.h"

namespace roost {
namespace {

struct ConfigOptions {
  std::string name;
  std::string value;
  bool everywhere = false;
};

Status check_name(const std::string& name) {
  std::vector<std::string> names;
  for (const SettingKind& kind : setting_kinds()) {
    if (name == kind.name) return {};
    names.emplace_back(kind.name);
  }
  const std::string nearest = nearest_word(name, names);
  return fail(ErrorCode::kInvalidArgument, fmt::format("there is no setting \"{}\"; there is {}{}", printable(name), fmt::join(names, ", "),
                                                       nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)));
}

Result<std::string> checked_value(const ConfigOptions& options) {
  if (options.name == "workspace") ROOST_CHECK(check_workspace_name(options.value));
  if (options.name == "compute") ROOST_CHECK(check_compute_name(options.value));
  if (options.name == "experiment") ROOST_CHECK(check_experiment_name(options.value));
  if (options.name != "data") return options.value;
  std::error_code error;
  return std::filesystem::absolute(options.value, error).lexically_normal().string();
}

Settings::Values& place_of(Settings& settings, bool everywhere) {
  std::error_code error;
  return everywhere ? settings.everywhere : settings.folders[std::filesystem::current_path(error).string()];
}

std::string place_name(bool everywhere) {
  std::error_code error;
  return everywhere ? "everywhere" : "in " + std::filesystem::current_path(error).string();
}

Result<int> list(Console& console) {
  Json items = Json::array();
  TextTable table({{"SETTING"}, {"VALUE", false, true}, {"FROM", false, true}, {"WHAT", false, true}});
  for (const SettingKind& kind : setting_kinds()) {
    FoundSetting found = console.explain(kind.name);
    if (kind.name == std::string_view("data") && found.value.empty()) found.value = data_folder(console.data());
    items.push_back({{"name", kind.name}, {"value", found.value}, {"from", found.origin}, {"variable", kind.variable}});
    table.add({{kind.name, Tone::kBold}, found.value, found.origin.empty() ? "default" : found.origin, {kind.help, Tone::kDim}});
  }
  if (console.json()) return console.print_json({{"items", items}});
  return Console::print(table.text(console.out(), terminal_width(1)));
}

Result<int> get(Console& console, const ConfigOptions& options) {
  ROOST_CHECK(check_name(options.name));
  const FoundSetting found = console.explain(options.name);
  if (console.json()) return console.print_json({{"name", options.name}, {"value", found.value}, {"from", found.origin}});
  return Console::print(found.value + "\n");
}

Result<int> set(Console& console, const ConfigOptions& options) {
  ROOST_CHECK(check_name(options.name));
  ROOST_TRY(const std::string value, checked_value(options));
  ROOST_TRY(Settings settings, read_settings());
  place_of(settings, options.everywhere)[options.name] = value;
  ROOST_CHECK(write_settings(settings));
  if (console.json()) return console.print_json({{"name", options.name}, {"value", value}});
  Console::print(fmt::format("{} is {} {}\n", options.name, value, place_name(options.everywhere)));
  const FoundSetting now = console.explain(options.name);
  if (now.value != value) {
    std::fprintf(stderr, "note: here %s counts, from %s\n", printable(now.value).c_str(), now.origin.c_str());
  }
  return 0;
}

Result<int> unset(Console& console, const ConfigOptions& options) {
  ROOST_CHECK(check_name(options.name));
  ROOST_TRY(Settings settings, read_settings());
  const bool was = place_of(settings, options.everywhere).erase(options.name) > 0;
  std::erase_if(settings.folders, [](const auto& folder) { return folder.second.empty(); });
  if (was) ROOST_CHECK(write_settings(settings));
  if (console.json()) return console.print_json({{"name", options.name}, {"was_set", was}});
  return Console::print(fmt::format("{} is {} set {}\n", options.name, was ? "no longer" : "not", place_name(options.everywhere)));
}

}  // namespace

void register_config(Verb& root, Console& console) {
  auto options = std::make_shared<ConfigOptions>();
  Verb& verb = root.verb("config", "Set what commands take when you do not say it").group(kShellGroup);
  verb.details("A setting counts in the folder it was set in and those below it, or everywhere (-g). Options and the variables\n"
               "ROOST_WORKSPACE, ROOST_COMPUTE, ROOST_EXPERIMENT and ROOST_DATA go before it.");
  verb.verb("ls", "List what counts here, and where each value is from").action([&console] { return list(console); });
  verb.verb("get", "Print a value").argument("SETTING", options->name, "workspace, compute, experiment or data").action([&console, options] {
    return get(console, *options);
  });
  verb.verb("set", "Set a value, for this folder and those below it")
      .argument("SETTING", options->name, "workspace, compute, experiment or data")
      .argument("VALUE", options->value, "what it is to be")
      .flag("-g,--global", options->everywhere, "for every folder")
      .example("roost config set experiment birds")
      .example("roost config set -g compute gpu-cluster")
      .action([&console, options] { return set(console, *options); });
  verb.verb("unset", "Take a value back")
      .argument("SETTING", options->name, "workspace, compute, experiment or data")
      .flag("-g,--global", options->everywhere, "that for every folder")
      .action([&console, options] { return unset(console, *options); });
}

}  // namespace roost

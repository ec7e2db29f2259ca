#include <map>
#include <memory>

#include "cli/contexts.h"
#include "cli/settings.h"
#include "cli/show/run_text.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

constexpr std::size_t kMost = 200;  // more words than that nobody looks through

using Words = std::vector<std::string>;

// What the API lists under a path, by one of its fields.
struct Listed {
  const char* path;
  const char* field;
  bool in_workspace;
};
const std::map<std::string, Listed>& listed() {
  static const std::map<std::string, Listed> kinds = {
      {"runs", {"/runs", "id", true}},           {"computes", {"/computes", "name", true}}, {"environments", {"/environments", "name", true}},
      {"experiments", {"/experiments", "name", true}}, {"models", {"/models", "id", true}},  {"endpoints", {"/endpoints", "name", true}},
      {"workspaces", {"/workspaces", "name", false}},  {"vm-sizes", {"/vm-sizes", "name", false}}};
  return kinds;
}

Words fixed(const std::string& kind) {
  if (kind == "statuses") {
    return {"NotStarted", "Starting", "Preparing", "Queued", "Provisioning", "Running", "Finalizing", "CancelRequested",
            "NotResponding", "Completed", "Failed", "Canceled"};
  }
  if (kind == "forms") return {"json", "csv", "template="};
  if (kind == "pins") return {"nearest", "strict"};
  if (kind == "shells") return {"bash", "zsh", "fish"};
  if (kind == "contexts") {
    Words names = context_names();
    names.emplace_back(kLocalContext);
    return names;
  }
  Words names;
  if (kind == "settings") {
    for (const SettingKind& setting : setting_kinds()) names.emplace_back(setting.name);
  }
  return names;
}

Result<Words> words_of(Console& console, const VerbInfo& root, const std::string& kind, const std::string& given) {
  Words words = fixed(kind);
  if (kind == "verbs") {
    for (const auto& verb : root.verbs) {
      if (!verb->hidden) words.push_back(verb->name);
    }
  }
  const auto found = listed().find(kind);
  if (found == listed().end() && kind != "artifacts" && kind != "sweeps") return words;
  ROOST_TRY(ApiClient * client, console.client());
  if (kind == "sweeps") {
    ROOST_TRY(const Json answer, client->get(console.in_workspace("/sweeps?limit=50")));
    for (const Json& sweep : child(answer, "sweeps")) words.push_back(text_field(sweep, "id"));
    return words;
  }
  std::string path;
  std::string field = "path";
  if (kind == "artifacts") {
    ROOST_TRY(const Json run, find_run(console, given.empty() ? "@" : given));
    path = run_path(run, "/artifacts");
  } else {
    path = found->second.in_workspace ? console.in_workspace(found->second.path) : found->second.path;
    field = found->second.field;
  }
  ROOST_TRY(const Json items, all_items(*client, path, kMost));
  for (const Json& item : child(items, "items")) {
    const std::string word = text_field(item, field.c_str());
    if (!word.starts_with("anonymous-")) words.push_back(word);
  }
  return words;
}

}  // namespace

void register_complete(Verb& root, Console& console) {
  struct Options {
    std::string kind;
    std::string given;
  };
  auto options = std::make_shared<Options>();
  const VerbInfo* verbs = &root.info();
  root.verb("complete", "Print what can stand for a value, for the scripts of `roost completion`")
      .group(kShellGroup)
      .hidden()
      .argument("KIND", options->kind, "runs, computes, ...")
      .optional_argument("GIVEN", options->given, "the argument before it")
      .action([&console, verbs, options]() -> Result<int> {
        // A shell is no place for complaints: without a server there are no words.
        const auto words = words_of(console, *verbs, options->kind, options->given);
        if (!words) return 0;
        for (const std::string& word : *words) Console::print(word + "\n");
        return 0;
      });
}

}  // namespace roost

#include <memory>

#include <fmt/format.h>

#include "cli/contexts.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/verbs/commands.h"

namespace roost {
namespace {

Result<Json> list_contexts(Console& console) {
  const std::string used = console.context();
  Json items = Json::array();
  const auto local = find_server(console.data().empty() ? data_folder() : console.data());
  items.push_back({{"name", kLocalContext}, {"url", local ? Json(local->url) : Json()}, {"workspace", nullptr}, {"in_use", used == kLocalContext}});
  for (const std::string& name : context_names()) {
    ROOST_TRY(const Context one, read_context(name));
    items.push_back({{"name", name}, {"url", one.url}, {"workspace", one.workspace.empty() ? Json() : Json(one.workspace)}, {"in_use", used == name}});
  }
  return Json{{"items", items}};
}

Result<int> list(Console& console, bool quiet) {
  ROOST_TRY(const Json contexts, list_contexts(console));
  if (console.json()) return console.print_json(contexts);
  TextTable table({{""}, {"CONTEXT"}, {"SERVER", false, true}, {"WORKSPACE", false, true}});
  for (const Json& one : child(contexts, "items")) {
    if (quiet) {
      Console::print(text_field(one, "name") + "\n");
      continue;
    }
    const std::string url = text_field(one, "url");
    table.add({child(one, "in_use") == true ? "*" : " ", {text_field(one, "name"), Tone::kBold}, url.empty() ? "not running" : url,
               text_field(one, "workspace")});
  }
  if (quiet) return 0;
  Console::print(table.text(console.out(), terminal_width(1)));
  if (console.context().empty()) std::fputs("calls go to an address that was given: --server or ROOST_URL\n", stderr);
  return 0;
}

Result<int> use(Console& console, const std::string& name) {
  if (name != kLocalContext) ROOST_CHECK(read_context(name));
  ROOST_TRY(Settings settings, read_settings());
  settings.context = name == kLocalContext ? "" : name;
  ROOST_CHECK(write_settings(settings));
  if (console.json()) return console.print_json({{"context", name}});
  Console::print(fmt::format("commands go to {}\n", name == kLocalContext ? "the server of this machine" : name));
  const std::string now = console.context();
  if (now != name) {
    std::fprintf(stderr, "note: not in this shell and folder: a variable or `roost config` goes before it (%s)\n",
                 now.empty() ? "ROOST_URL" : now.c_str());
  }
  return 0;
}

Result<int> remove(Console& console, const std::string& name) {
  if (name == kLocalContext) return fail(ErrorCode::kInvalidArgument, "\"local\" is the server of this machine, and stays");
  ROOST_CHECK(remove_context(name));
  ROOST_TRY(Settings settings, read_settings());
  if (settings.context == name) {
    settings.context.clear();
    ROOST_CHECK(write_settings(settings));
  }
  if (console.json()) return console.print_json({{"removed", name}});
  return Console::print(fmt::format("removed {}; its token is still good until `roost token rm` revokes it\n", name));
}

}  // namespace

void register_context(Verb& root, Console& console) {
  struct Options {
    std::string name;
    bool quiet = false;
  };
  auto options = std::make_shared<Options>();
  Verb& verb = root.verb("context", "Choose among the servers that you logged in to").group(kServerGroup);
  verb.details("What goes before what: --server, --context, --data; then ROOST_URL, ROOST_CONTEXT, ROOST_DATA; then the data\n"
               "folder that was set for this folder (`roost config`); then the context in use.");
  verb.verb("ls", "List them; * is in use")
      .flag("-q,--quiet", options->quiet, "print names only")
      .action([&console, options] { return list(console, options->quiet); });
  verb.verb("use", "Use one from now on")
      .argument("CONTEXT", options->name, "its name, or local for the server of this machine")
      .example("roost context use local")
      .action([&console, options] { return use(console, options->name); });
  verb.verb("rm", "Forget one, with its token")
      .argument("CONTEXT", options->name, "its name")
      .action([&console, options] { return remove(console, options->name); });
}

}  // namespace roost

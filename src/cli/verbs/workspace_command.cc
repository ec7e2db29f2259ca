#include <memory>

#include <fmt/format.h>

#include "cli/show/fact_list.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "net/router.h"

namespace roost {
namespace {

struct WorkspaceOptions {
  std::string name;
  bool quiet = false;
};

std::string created_text(const Json& workspace) {
  const auto created = time_field(workspace, "created_at");
  return created ? time_ago(*created, now_micros()) : "";
}

// "birds, cats and 3 more"
Result<std::string> names_of(ApiClient& client, const std::string& path) {
  constexpr std::size_t kShown = 8;
  std::string text;
  std::size_t count = 0;
  ROOST_CHECK(each_item(client, path, [&](const Json& item) {
    if (count++ < kShown) text += (text.empty() ? "" : ", ") + text_field(item, "name");
    return true;
  }));
  if (count > kShown) text += fmt::format(" and {} more", count - kShown);
  return text;
}

Result<int> list(Console& console, const WorkspaceOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json workspaces, client->get("/workspaces"));
  if (console.json()) return console.print_json(workspaces);
  TextTable table({{"WORKSPACE"}, {"CREATED"}});
  for (const Json& workspace : child(workspaces, "items")) {
    const std::string name = text_field(workspace, "name");
    if (options.quiet) {
      Console::print(name + "\n");
    } else {
      table.add({{name, Tone::kBold}, {created_text(workspace), Tone::kDim}});
    }
  }
  return options.quiet ? 0 : Console::print(table.text(console.out(), terminal_width(1)));
}

Result<int> create(Console& console, const WorkspaceOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json workspace, client->post("/workspaces", {{"name", options.name}}));
  if (console.json()) return console.print_json(workspace);
  Console::print(text_field(workspace, "name") + "\n");
  std::fprintf(stderr, "%s\n",
               console
                   .err()(Tone::kDim,
                          fmt::format("use it with --workspace {}", text_field(workspace, "name")))
                   .c_str());
  return 0;
}

Result<int> show(Console& console, const WorkspaceOptions& options) {
  const std::string name = options.name.empty() ? console.workspace() : options.name;
  const std::string path = "/workspaces/" + percent_encode(name);
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json workspace, client->get(path));
  if (console.json()) return console.print_json(workspace);
  FactList facts;
  facts.add("id", text_field(workspace, "id"));
  facts.add("created", created_text(workspace));
  for (const char* kind : {"computes", "experiments"}) {
    ROOST_TRY(const std::string names, names_of(*client, path + "/" + kind));
    facts.add(kind, names.empty() ? "none" : names);
  }
  return Console::print(console.out()(Tone::kBold, text_field(workspace, "name")) + "\n" +
                        facts.text(console.out(), 2));
}

}  // namespace

void register_workspace(Verb& root, Console& console) {
  auto options = std::make_shared<WorkspaceOptions>();
  Verb& verb =
      root.verb("workspace", "Keep apart what does not belong together").group(kServerGroup);
  verb.verb("ls", "List workspaces")
      .flag("-q,--quiet", options->quiet, "print names only")
      .action([&console, options] { return list(console, *options); });
  verb.verb("create", "Make a workspace, with a compute of its own")
      .argument("NAME", options->name, "2 to 32 letters, digits and dashes")
      .example("roost workspace create vision")
      .action([&console, options] { return create(console, *options); });
  verb.verb("show", "Show a workspace and what is in it")
      .optional_argument("NAME", options->name, "the workspace (default: the one in use)")
      .action([&console, options] { return show(console, *options); });
}

}  // namespace roost

#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/verbs/commands.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

struct TagOptions {
  std::string reference;
  std::vector<std::string> tags;
  std::vector<std::string> removed;
};

Result<int> tag(Console& console, const TagOptions& options) {
  if (options.tags.empty() && options.removed.empty()) {
    return fail(ErrorCode::kInvalidArgument, "no tag was given; write it like stage=baseline, or --rm stage");
  }
  Json change = {{"tags", Json::object()}, {"remove_tags", options.removed}};
  for (const std::string& word : options.tags) {
    const auto equals = word.find('=');
    if (equals == 0) return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" has no key; write it like key=value", printable(word)));
    change["tags"][word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  ROOST_TRY(const Json run, find_run(console, options.reference));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json changed, client->call("PATCH", run_path(run), &change));
  if (console.json()) return console.print_json(changed);
  const std::string tags = tags_text(child(changed, "tags"));
  return Console::print(fmt::format("{}  {}\n", text_field(changed, "id"), tags.empty() ? "no tags" : tags));
}

Result<int> archive(Console& console, const std::vector<std::string>& references, bool archived) {
  ROOST_TRY(ApiClient * client, console.client());
  std::vector<Json> runs;
  for (const std::string& reference : references) {
    ROOST_TRY(runs.emplace_back(), find_run(console, reference));
  }
  Json items = Json::array();
  const Json change = {{"archived", archived}};
  for (const Json& run : runs) {
    ROOST_TRY(const Json changed, client->call("PATCH", run_path(run), &change));
    items.push_back(changed);
    if (!console.json()) {
      Console::print(fmt::format("{}  {}\n", text_field(changed, "id"), archived ? "archived; `roost runs --archived` lists it" : "in the lists again"));
    }
  }
  if (!console.json()) return 0;
  return console.print_json(items.size() == 1 ? items[0] : Json{{"items", items}});
}

}  // namespace

void register_tag(Verb& root, Console& console) {
  auto options = std::make_shared<TagOptions>();
  root.verb("tag", "Give a run tags, or take them away")
      .group(kLookGroup)
      .argument("RUN", options->reference, "its id, the beginning of it, or @ for the newest")
      .optional_arguments("TAG", options->tags, "KEY=VALUE to set, or KEY alone")
      .option("--rm", options->removed, "KEY", "take this one away")
      .example("roost tag @ stage=baseline best")
      .action([&console, options] { return tag(console, *options); });
}

void register_archive(Verb& root, Console& console) {
  auto references = std::make_shared<std::vector<std::string>>();
  root.verb("archive", "Take runs out of the lists; nothing of them is lost")
      .group(kLookGroup)
      .arguments("RUN", *references, "ids, beginnings of them, or @ for the newest")
      .example("roost archive @~1 @~2")
      .action([&console, references] { return archive(console, *references, true); });
  root.verb("unarchive", "Put runs back into the lists")
      .group(kLookGroup)
      .arguments("RUN", *references, "ids, or beginnings of them")
      .action([&console, references] { return archive(console, *references, false); });
}

}  // namespace roost

#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "net/router.h"

namespace roost {
namespace {

struct RetentionOptions {
  std::string name;
  std::string what;
  std::string older_than;
  std::string experiment;
  std::string tag;
  bool dry_run = false;
};

std::uint64_t number(const Json& object, const char* name) {
  const Json& value = child(object, name);
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

Result<int> list(Console& console, const RetentionOptions&) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json rules, client->get(console.in_workspace("/retention")));
  if (console.json()) return console.print_json(rules);
  if (child(rules, "items").empty()) {
    std::fputs("no rules: what runs left behind is kept\n", stderr);
    return 0;
  }
  TextTable table({{"RULE"}, {"REMOVES"}, {"AFTER", true}, {"EXPERIMENT", false, true}, {"TAG", false, true}});
  for (const Json& rule : child(rules, "items")) {
    table.add({text_field(rule, "name"), text_field(rule, "what"),
               rough_duration(static_cast<Micros>(number(rule, "older_than_seconds")) * kSecond), text_field(rule, "experiment"),
               text_field(rule, "tag")});
  }
  return Console::print(table.text(console.out(), terminal_width(1)));
}

Result<int> set(Console& console, const RetentionOptions& options) {
  ROOST_TRY(const std::int64_t seconds, parse_duration(options.older_than, "--older-than"));
  Json body = {{"what", options.what}, {"older_than_seconds", seconds}};
  if (!options.experiment.empty()) body["experiment"] = options.experiment;
  if (!options.tag.empty()) body["tag"] = options.tag;
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json now, client->post(console.in_workspace("/retention-preview"), body));
  const std::string effect = fmt::format("{} of {} {} now, {}", options.what, text_field(now, "runs"),
                                         text_field(now, "runs") == "1" ? "run" : "runs", human_bytes(number(now, "bytes")));
  if (options.dry_run) {
    if (console.json()) return console.print_json(now);
    for (const Json& item : child(now, "items")) {
      Console::print(fmt::format("{}  {}\n", text_field(item, "run"), human_bytes(number(item, "bytes"))));
    }
    std::fprintf(stderr, "would remove the %s; files that others hold too are counted\n", effect.c_str());
    return 0;
  }
  ROOST_TRY(const Json rule, client->call("PUT", console.in_workspace("/retention/" + percent_encode(options.name)), &body));
  if (console.json()) return console.print_json(rule);
  return Console::print(fmt::format("rule {}: removes the {}, and of others when their time has come\n", options.name, effect));
}

Result<int> remove(Console& console, const RetentionOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json rule, client->call("DELETE", console.in_workspace("/retention/" + percent_encode(options.name)), nullptr));
  if (console.json()) return console.print_json(rule);
  return Console::print(fmt::format("removed the rule {}; what it had removed does not come back\n", options.name));
}

}  // namespace

void register_retention(Verb& root, Console& console) {
  auto options = std::make_shared<RetentionOptions>();
  const auto act = [&console, options](Result<int> (*what)(Console&, const RetentionOptions&)) {
    return [&console, options, what] { return what(console, *options); };
  };
  Verb& verb = root.verb("retention", "Rules that remove outputs, logs and system samples of old runs").group(kServerGroup);
  verb.verb("ls", "List the rules of the workspace").action(act(list));
  verb.verb("set", "Make or replace a rule")
      .argument("NAME", options->name, "what to call it")
      .argument("WHAT", options->what, "outputs, logs or samples")
      .required_option("--older-than", options->older_than, "TIME", "so long after its end a run loses them: 30d")
      .option("-e,--experiment", options->experiment, "NAME", "only runs of this experiment")
      .option("-t,--tag", options->tag, "KEY[=VALUE]", "only runs with this tag")
      .flag("--dry-run", options->dry_run, "only say what would go now, and how much it frees")
      .details("Runs that have not ended, that a model is registered from, or that a sweep still needs lose nothing.")
      .example("roost retention set scratch outputs --older-than 14d --experiment scratch --dry-run")
      .action(act(set));
  verb.verb("rm", "Remove a rule").argument("NAME", options->name, "the rule").action(act(remove));
}

}  // namespace roost

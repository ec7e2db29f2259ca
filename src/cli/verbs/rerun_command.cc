#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/text_width.h"
#include "cli/verbs/commands.h"
#include "cli/work/environment_reference.h"
#include "cli/work/follow.h"
#include "cli/work/run_reference.h"
#include "cli/work/run_spec.h"
#include "cli/work/secret_options.h"
#include "cli/work/submit.h"

namespace roost {
namespace {

struct RerunOptions {
  std::string reference;
  std::vector<std::string> words;  // after "--"
  bool replace = false;
  std::string environment;
  std::string compute;
  std::string experiment;
  std::string name;
  std::optional<std::int64_t> nodes;
  std::vector<std::string> variables;
  std::vector<std::string> unset;
  std::vector<std::string> secrets;
  bool only_shows = false;
  AfterSubmit after;
};

Status add_words(const RerunOptions& options, const Json& run, Json& changes) {
  if (options.replace) {
    if (text_field(child(run, "spec"), "script").empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--replace-args is for runs of a script; this one has the command \"{}\". Write all of the new "
                              "one after --",
                              text_field(child(run, "spec"), "command")));
    }
    changes["arguments"] = options.words;
  } else if (!options.words.empty() && options.words.front().starts_with('-')) {
    changes["options"] = options.words;
  } else if (!options.words.empty()) {
    changes["command"] = shell_line(options.words);
  }
  return {};
}

Status add_environment(const RerunOptions& options, Json& changes) {
  if (options.environment.empty()) return {};
  if (options.environment.find('=') != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--env \"{0}\" is no environment's name; a variable is set by --set-env {0}", printable(options.environment)));
  }
  ROOST_TRY(const EnvironmentReference reference, parse_environment_reference(options.environment));
  changes["environment"] = {{"name", reference.name}};
  if (!reference.version.empty()) changes["environment"]["version"] = reference.version;
  return {};
}

Result<Json> changes_of(Console& console, const RerunOptions& options, const Json& run) {
  Json changes = Json::object();
  ROOST_CHECK(add_words(options, run, changes));
  ROOST_CHECK(add_environment(options, changes));
  if (!options.compute.empty()) changes["compute"] = options.compute;
  if (!options.experiment.empty()) changes["experiment"] = options.experiment;
  if (!options.name.empty()) changes["display_name"] = options.name;
  if (options.nodes) changes["node_count"] = *options.nodes;
  if (!options.variables.empty()) {
    ROOST_TRY(changes["environment_variables"], parse_variables(options.variables, "--set-env"));
  }
  for (const auto& name : options.unset) {
    changes["environment_variables"][name] = nullptr;
    changes["secrets"][name] = nullptr;
  }
  ROOST_CHECK(add_secrets(console, text_field(run, "workspace"), options.secrets, changes));
  return changes;
}

std::string change_text(const Json& value) { return value.is_null() ? "-" : value_text(value); }

int print_preview(const Console& console, const Json& shown) {
  const Style style = console.out();
  const Json& spec = child(shown, "spec");
  const Json& environment = child(shown, "environment");
  std::string where = text_field(spec, "compute");
  if (const auto nodes = integer_at(spec, "node_count", 1); nodes > 1) where += fmt::format(", {} nodes", nodes);
  std::string in = text_field(child(spec, "environment"), "python");
  if (const std::string name = text_field(environment, "name"); !name.empty()) {
    in = name + ":" + text_field(environment, "version");
  }
  const std::string code = text_field(spec, "snapshot");
  const auto line = [&](const char* what, const std::string& text) {
    if (!text.empty()) Console::print(style(Tone::kDim, fmt::format("{:<12}", what)) + one_line(text) + "\n");
  };
  line("command", spec_command(spec));
  line("experiment", text_field(spec, "experiment"));
  line("compute", where);
  line("environment", in);
  line("code", code.substr(0, 12));
  Console::print("\n");
  if (child(shown, "changes").empty()) return Console::print("nothing differs from " + text_field(shown, "run") + "\n");
  TextTable table({{"DIFFERS", false, true}, {"FROM", false, true}, {"TO", false, true}});
  for (const Json& change : child(shown, "changes")) {
    table.add({{text_field(change, "name"), Tone::kDim}, {change_text(child(change, "from"))}, {change_text(child(change, "to"))}});
  }
  Console::print(table.text(style, terminal_width(1)));
  return 0;
}

Result<int> rerun(Console& console, const RerunOptions& options) {
  ROOST_TRY(const Json run, find_run(console, options.reference));
  warn_of_shown(console, options.variables);
  ROOST_TRY(const Json changes, changes_of(console, options, run));
  const std::string path = run_path(run, "/rerun");
  if (options.only_shows) {
    ROOST_TRY(ApiClient * client, console.client());
    ROOST_TRY(const Json shown, client->post(path, {{"dry_run", true}, {"changes", changes}}));
    return console.json() ? console.print_json(shown) : print_preview(console, shown);
  }
  InterruptWatch watch;
  ROOST_TRY(const Json again, post_once(console, path, {{"changes", changes}}));
  return after_submit(console, again, options.after, watch);
}

}  // namespace

void register_rerun(Verb& root, Console& console) {
  auto options = std::make_shared<RerunOptions>();
  root.verb("rerun", "Run it again: exactly, or with changes")
      .group(kTrainGroup)
      .ends_as_run()
      .details(
          "Same code, command, versions and compute, but for what is said here. After -- come options to\n"
          "change: each takes the place of that option in the command, or is added to it, and the others\n"
          "stay. If the first word is no option it is the whole new command.")
      .argument("RUN", options->reference, "its id, the beginning of it, or @ for the newest")
      .flag("--dry-run", options->only_shows, "show what would run and what differs; start nothing")
      .flag("--replace-args", options->replace, "what follows -- are all arguments of the script")
      .option("--environment,--env", options->environment, "NAME[:VERSION]", "run it in another environment")
      .option("-c,--compute", options->compute, "NAME", "where to run it")
      .option("--nodes", options->nodes, "N", "on so many nodes, with as many processes on each as before")
      .option("--set-env", options->variables, "KEY[=VALUE]",
              "an environment variable; without a value, the one it has here")
      .option("--unset-env", options->unset, "KEY", "without this variable or secret")
      .option("--secret", options->secrets, "KEY[=NAME]", "a secret as the variable KEY, as in `roost submit`")
      .option("-e,--experiment", options->experiment, "NAME", "experiment the new run belongs to")
      .option("-n,--name", options->name, "TEXT", "a name for people")
      .flag("-d,--detach,--no-follow", options->after.detach,
            "do not wait: print the new run's id and end")
      .flag("--all-ranks", options->after.all_ranks,
            "show the output of all processes, not only the first's")
      .command(options->words, "options to change, or a whole new command")
      .example("roost rerun @")
      .example("roost rerun birds_1794776400 -- --lr 0.1")
      .example("roost rerun @ --env birds-env:3 --compute gpu --dry-run -- --epochs 30")
      .example("roost rerun @ -- python train.py --lr 0.1 --amp")
      .action([&console, options] { return rerun(console, *options); });
}

}  // namespace roost

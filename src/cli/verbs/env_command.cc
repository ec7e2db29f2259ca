#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/environment_form.h"
#include "cli/show/environment_text.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/environment_build.h"
#include "cli/work/environment_file.h"
#include "cli/work/environment_reference.h"
#include "cli/work/modernize.h"
#include "cli/work/pages.h"
#include "cli/work/sizes.h"
#include "domain/environment_plan.h"

namespace roost {
namespace {

struct EnvOptions {
  std::string name;  // NAME or NAME:VERSION where one version is meant
  std::string other;
  std::string pins;
  std::string unused;
  std::string keep;
  std::string file;
  std::string output;
  std::vector<std::string> requirements;
  bool build_now = false;
  bool builds = false;
  bool all = false;
  bool quiet = false;
};

constexpr const char* kModernizePrefix = "modernize-";

// Those that nobody named: made by the SDK for a run, or by `modernize` for a file.
bool is_nameless(const Json& environment) {
  const std::string name = text_field(environment, "name");
  return name.starts_with("anonymous-") || name.starts_with(kModernizePrefix);
}

Result<Json> list_builds(Console& console) {
  ROOST_TRY(ApiClient * client, console.client());
  return all_items(*client, "/environment-builds");
}

Result<Json> list_named(Console& console, const std::string& query) {
  ROOST_TRY(ApiClient * client, console.client());
  return all_items(*client, console.in_workspace("/environments") + query);
}

void say(const Console& console, Tone tone, const std::string& text) {
  std::fprintf(stderr, "%s\n", console.err()(tone, text).c_str());
}

Status check_pins(const std::string& pins) {
  if (!pins.empty()) ROOST_CHECK(parse_pins(pins));
  return {};
}

Json newest_first(Json builds) {
  std::sort(builds.begin(), builds.end(), [](const Json& a, const Json& b) {
    return text_field(a, "used_at") > text_field(b, "used_at");
  });
  return builds;
}

Result<int> print_builds(Console& console, const EnvOptions& options) {
  ROOST_TRY(const Json builds, list_builds(console));
  if (console.json()) return console.print_json(builds);
  const Json& items = child(builds, "items");
  if (options.quiet) {
    for (const Json& build : items) Console::print(text_field(build, "digest") + "\n");
    return 0;
  }
  if (items.empty()) {
    std::fputs("nothing is built; `roost env build` does it, or the first run\n", stderr);
    return 0;
  }
  ROOST_TRY(const Json environments, list_named(console, ""));
  return Console::print(build_table(newest_first(items), child(environments, "items"), now_micros())
                            .text(console.out(), terminal_width(1)));
}

Result<int> list(Console& console, const EnvOptions& options) {
  if (options.builds) return print_builds(console, options);
  std::string query;
  if (!options.name.empty()) {
    ROOST_TRY(const EnvironmentReference reference, parse_environment_reference(options.name));
    query = "?name=" + reference.name;  // such a name needs no encoding
  }
  ROOST_TRY(Json environments, list_named(console, query));
  Json& items = environments["items"];
  if (!options.all && options.name.empty()) {
    items.erase(std::remove_if(items.begin(), items.end(), is_nameless), items.end());
  }
  if (console.json()) return console.print_json(environments);
  if (options.quiet) {
    for (const Json& item : items) {
      const std::string id = environment_id(item);
      Console::print((options.name.empty() ? text_field(item, "name") : id) + "\n");
    }
    return 0;
  }
  ROOST_TRY(const Json builds, list_builds(console));
  return Console::print(environment_table(items, child(builds, "items"), now_micros())
                            .text(console.out(), terminal_width(1)));
}

Result<int> show(Console& console, const EnvOptions& options) {
  ROOST_TRY(Json environment, find_environment(console, options.name));
  ROOST_TRY(const Json all, list_builds(console));
  const Json builds = builds_of(child(environment, "definition"), child(all, "items"));
  if (!console.json()) {
    return Console::print(environment_page(environment, builds, now_micros(), console.out()));
  }
  const auto plans = possible_plans(child(environment, "definition"));
  const bool needed = plans && plans->front().needs_build();
  environment["digest"] = needed ? Json(plans->front().digest()) : Json();
  environment["builds"] = builds;
  return console.print_json(environment);
}

Result<int> build(Console& console, const EnvOptions& options);

Result<int> create(Console& console, const EnvOptions& options) {
  if (options.requirements.empty() == options.file.empty()) {
    return fail(ErrorCode::kInvalidArgument, "say what is in it: -r requirements.txt, or --file with a conda.yml, Dockerfile, "
                                             "pyproject.toml or uv.lock");
  }
  ROOST_TRY(const Json definition, options.file.empty() ? definition_of_requirements(options.requirements) : definition_of_file(options.file));
  ROOST_TRY(const Json stored, register_definition(console, definition, options.name));
  if (options.build_now) {
    EnvOptions built = options;
    built.name = environment_id(stored);
    if (!console.json()) say(console, Tone::kDim, "registered " + built.name);
    return build(console, built);
  }
  if (console.json()) return console.print_json(stored);
  Console::print(environment_id(stored) + "\n");
  say(console, Tone::kDim, fmt::format("run in it with `roost submit --environment {0} -- ...`; `roost env build {0}` builds it now", options.name));
  return 0;
}

Result<int> build(Console& console, const EnvOptions& options) {
  ROOST_CHECK(check_pins(options.pins));
  ROOST_TRY(const EnvironmentReference reference, parse_environment_reference(options.name));
  InterruptWatch watch;
  const Micros start = now_micros();
  const auto built = build_and_follow(console, reference, options.pins, watch);
  if (watch.signal() != 0) {
    say(console, Tone::kDim, "the build goes on without us");
    return 128 + watch.signal();
  }
  if (!built) return fail(built.error());
  if (console.json()) return console.print_json(*built);
  const Json& environment = child(*built, "environment");
  if (environment.is_null()) {
    say(console, Tone::kDim, "nothing to build: there is nothing to install");
    return 0;
  }
  for (const Json& change : child(environment, "changes")) {
    say(console, Tone::kYellow, "note: pins: nearest: " + one_line(value_text(change)));
  }
  for (const Json& note : child(environment, "notes")) say(console, Tone::kYellow, "note: " + one_line(value_text(note)));
  // Alone on standard output, so that a script can take it.
  Console::print(text_field(*built, "digest") + "\n");
  std::fflush(stdout);
  const auto created = time_field(environment, "created_at");
  const bool fresh = created && *created >= start;
  const std::string when =
      fresh ? "in " + human_duration(static_cast<double>(now_micros() - start) / kSecond)
            : "already";
  say(console, Tone::kDim, fmt::format("built {}: {}", when, build_text(environment)));
  return 0;
}

std::string difference_table(const std::vector<Difference>& differences, const std::string& a,
                             const std::string& b, const Style& style) {
  TextTable table({{"", false, true}, {"A " + a, false, true}, {"B " + b, false, true}});
  for (const Difference& one : differences) {
    table.add({{one.name, Tone::kDim},
               one.a.is_null() ? "-" : value_text(one.a),
               one.b.is_null() ? "-" : value_text(one.b)});
  }
  return table.text(style, terminal_width(1));
}

Result<int> diff(Console& console, const EnvOptions& options) {
  ROOST_TRY(const Json a, find_environment(console, options.name));
  ROOST_TRY(const Json b, find_environment(console, options.other));
  const auto differences = form_differences(environment_form(child(a, "definition")),
                                            environment_form(child(b, "definition")));
  if (console.json()) {
    Json items = Json::array();
    for (const Difference& one : differences) {
      items.push_back({{"name", one.name}, {"a", one.a}, {"b", one.b}});
    }
    return console.print_json(
        {{"a", environment_id(a)}, {"b", environment_id(b)}, {"differences", items}});
  }
  if (differences.empty()) {
    say(console, Tone::kDim, "the same");
    return 0;
  }
  return Console::print(
      difference_table(differences, environment_id(a), environment_id(b), console.out()));
}

bool is_hex(const std::string& text) {
  return text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// What was built under a digest, or the beginning of one; else of an environment.
Result<std::vector<std::string>> find_builds(Console& console, const std::string& text) {
  ROOST_TRY(const Json builds, list_builds(console));
  constexpr std::size_t kLeast = 6;
  std::vector<std::string> found;
  if (text.size() >= kLeast && is_hex(text)) {
    for (const Json& one : child(builds, "items")) {
      if (text_field(one, "digest").starts_with(text)) found.push_back(text_field(one, "digest"));
    }
    if (found.size() == 1) return found;
    if (found.size() > 1) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} built environments begin with {}; give more of the digest",
                              found.size(), text));
    }
    constexpr std::size_t kDigest = 64;
    if (text.size() == kDigest) {
      return fail(ErrorCode::kNotFound, fmt::format("nothing is built under {}", text));
    }
  }
  ROOST_TRY(const Json environment, find_environment(console, text));
  for (const Json& one : builds_of(child(environment, "definition"), child(builds, "items"))) {
    found.push_back(text_field(one, "digest"));
  }
  if (!found.empty()) return found;
  return fail(ErrorCode::kNotFound,
              fmt::format("{} is not built; `roost env ls --builds` lists what is",
                          environment_id(environment)));
}

Result<int> remove(Console& console, const EnvOptions& options) {
  ROOST_TRY(const auto digests, find_builds(console, options.name));
  ROOST_TRY(ApiClient * client, console.client());
  for (const std::string& digest : digests) {
    ROOST_CHECK(client->call("DELETE", "/environment-builds/" + digest, nullptr));
    if (!console.json()) Console::print(fmt::format("removed {}\n", digest));
  }
  if (!console.json()) return 0;
  return console.print_json({{"removed", digests.size()}, {"digests", digests}});
}

Result<int> prune(Console& console, const EnvOptions& options) {
  Json body = Json::object();
  // Without any condition the server would remove everything that is not in use.
  const bool unconditional = options.unused.empty() && options.keep.empty();
  const std::string unused = unconditional ? "30d" : options.unused;
  if (!unused.empty()) {
    ROOST_TRY(body["unused_seconds"], parse_duration(unused, "--unused"));
  }
  if (!options.keep.empty()) {
    ROOST_TRY(body["keep_bytes"], parse_bytes(options.keep, "--keep"));
  }
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer, client->post("/environment-builds/prune", body));
  if (console.json()) return console.print_json(answer);
  const auto bytes = [&answer](const char* name) {
    const Json& value = child(answer, name);
    return human_bytes(value.is_number_unsigned() ? value.get<std::uint64_t>() : 0);
  };
  return Console::print(fmt::format("removed {} ({}), kept {}\n", text_field(answer, "removed"),
                                    bytes("bytes"), bytes("kept_bytes")));
}

// Builds what the file asks for with pins that may move, so that it is known what can be had.
Result<Json> build_nearest(Console& console, const CondaFile& file) {
  const Json definition = conda_definition(file);
  // What no server would build is said before anything is registered.
  ROOST_TRY(const EnvironmentPlan plan, plan_environment(definition, Pins::kNearest));
  const std::string name = kModernizePrefix + plan.digest().substr(0, 12);
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json stored, client->post(console.in_workspace("/environments"),
                                            {{"name", name}, {"definition", definition}}));
  InterruptWatch watch;
  return build_and_follow(console, {name, text_field(stored, "version")}, "nearest", watch);
}

Result<int> modernize(Console& console, const EnvOptions& options) {
  ROOST_TRY(const std::string text, read_file(options.file));
  ROOST_TRY(CondaFile file, read_conda_file(text, options.file));
  ROOST_TRY(const Json built, build_nearest(console, file));
  const Json& environment = child(built, "environment");
  std::vector<std::string> changes;
  for (const Json& change : child(environment, "changes")) changes.push_back(value_text(change));
  const auto left = apply_changes(file, changes);
  const std::string yaml = changes.empty() ? text : conda_yaml(file);
  if (!options.output.empty()) ROOST_CHECK(write_file_atomic(options.output, yaml));
  if (console.json()) {
    Json document = {{"changes", changes}, {"yaml", yaml}, {"build", built}};
    if (!options.output.empty()) document["output"] = options.output;
    return console.print_json(document);
  }
  for (const std::string& change : changes) say(console, Tone::kYellow, one_line(change));
  for (const std::string& change : left) {
    say(console, Tone::kRed, "not in the file, so change it yourself: " + one_line(change));
  }
  if (changes.empty()) say(console, Tone::kDim, "nothing to change: every version can be had");
  return options.output.empty() ? Console::print(yaml) : 0;
}

using EnvAction = Result<int> (*)(Console&, const EnvOptions&);

void register_looking(Verb& verb, const std::shared_ptr<EnvOptions>& options,
                      const std::function<Action(EnvAction)>& act, const char* which) {
  verb.verb("ls", "List environments, the curated ones last, or what is built")
      .optional_argument("NAME", options->name, "all versions of this one")
      .flag("-b,--builds", options->builds, "what is built: size, builder, last use")
      .flag("-a,--all", options->all, "also those that were made for a run or by modernize")
      .flag("-q,--quiet", options->quiet, "print names, or digests, only")
      .example("roost env ls --builds")
      .action(act(list));
  verb.verb("show", "Show a definition, its digest, and what was built of it")
      .argument("NAME", options->name, which)
      .example("roost env show AzureML-PyTorch-1.6-GPU")
      .action(act(show));
  verb.verb("diff", "Show what differs between two environments")
      .argument("NAME", options->name, which)
      .argument("OTHER", options->other, "another, or another version")
      .example("roost env diff birds:1 birds:2")
      .action(act(diff));
}

}  // namespace

void register_env(Verb& root, Console& console) {
  auto options = std::make_shared<EnvOptions>();
  const auto act = [&console, options](EnvAction what) {
    return [&console, options, what] { return what(console, *options); };
  };
  const char* which = "its name for the newest version, or NAME:VERSION";
  Verb& verb = root.verb("env", "Look at environments, build them, clean up");
  verb.group(kEnvironmentGroup);
  register_looking(verb, options, act, which);
  verb.verb("create", "Register one of a file that your project has: requirements, conda.yml, Dockerfile, pyproject.toml, uv.lock")
      .argument("NAME", options->name, "what to call it; the same name with other content is its next version")
      .option("-r,--requirements", options->requirements, "FILE", "pip requirements")
      .option("--file", options->file, "FILE", "conda.yml, Dockerfile, pyproject.toml or uv.lock")
      .flag("--build", options->build_now, "build it now; the log comes live")
      .example("roost env create birds -r requirements.txt --build")
      .action(act(create));
  verb.verb("build", "Build one before a run needs it; the log comes live, the digest at the end")
      .argument("NAME", options->name, which)
      .option("--pins", options->pins, "KIND",
              "strict, or nearest: take the nearest version that can be had")
      .example("roost env build birds --pins nearest")
      .action(act(build));
  verb.verb("rm", "Remove what was built; the definition stays, and can be built again")
      .argument("NAME", options->name, "an environment, or a digest or its beginning")
      .example("roost env rm birds:2")
      .action(act(remove));
  verb.verb("prune", "Remove built environments that no run uses, the longest unused first")
      .option("--unused", options->unused, "TIME",
              "only those not used for so long (default: 30d, unless --keep is given)")
      .option("--keep", options->keep, "SIZE", "stop when the rest is no larger: 20GB")
      .example("roost env prune --unused 30d --keep 20GB")
      .action(act(prune));
  verb.verb("modernize", "Rewrite a conda environment file with versions that can be had")
      .argument("FILE", options->file, "like conda_dependencies.yml")
      .option("-o,--output", options->output, "FILE",
              "where to write it (default: standard output)")
      .example("roost env modernize environment.yml -o environment.yml")
      .action(act(modernize));
}

}  // namespace roost

#include "server/repeat_run.h"

#include <array>
#include <map>

#include <fmt/format.h>

#include "domain/change_options.h"
#include "domain/rank_plan.h"
#include "domain/secret_variables.h"
#include "server/run_details.h"

namespace roost {
namespace {

Status check_repeatable(const Run& run) {
  if (run.type == kSweepType) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} is a sweep; start its file again with 'roost sweep start', or rerun one of its children",
                            run.id));
  }
  if (run.type == kInteractiveType) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} is an interactive run: it ran where it was made, and only its own process knows what "
                            "it did. Start that again",
                            run.id));
  }
  return {};
}

Json words_json(const std::vector<CommandWord>& words) {
  Json all = Json::array();
  for (const auto& word : words) all.push_back(word.text);
  return all;
}

Status apply_options(const RunSpec& before, const std::vector<std::string>& options, Json& spec) {
  if (!before.command.empty()) {
    ROOST_TRY(auto words, command_words(before.command));
    ROOST_TRY(words, change_options(std::move(words), options, true));
    spec["command"] = command_line_of(words);
    return {};
  }
  std::vector<CommandWord> words;
  for (const auto& word : before.arguments) words.push_back({word, word});
  ROOST_TRY(words, change_options(std::move(words), options, false));
  spec["arguments"] = words_json(words);
  return {};
}

Status apply_program(const RunSpec& before, JsonFields& fields, Json& spec) {
  const int said = int{fields.has("options")} + int{fields.has("arguments")} + int{fields.has("command")};
  if (said > 1) {
    return fail(ErrorCode::kInvalidArgument, "\"options\", \"arguments\" and \"command\" say the same in three ways; give one of them");
  }
  if (fields.has("options")) ROOST_CHECK(apply_options(before, fields.strings("options"), spec));
  if (fields.has("arguments")) {
    const auto words = fields.strings("arguments");
    if (!before.command.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "the run has a command line and no script whose arguments could be replaced; give \"command\", or \"options\"");
    }
    spec["arguments"] = words;
  }
  if (fields.has("command")) {
    spec["command"] = fields.string("command");
    spec.erase("script");
    spec.erase("arguments");
  }
  return {};
}

// Entries that are null go, the others come.
void merge(Json& spec, const char* name, const Json& changes) {
  Json merged = object_at(spec, name);
  if (!merged.is_object()) merged = Json::object();
  for (const auto& item : changes.items()) {
    if (item.value().is_null()) {
      merged.erase(item.key());
    } else {
      merged[item.key()] = item.value();
    }
  }
  spec[name] = std::move(merged);
}

// On so many nodes, with as many processes on each as before.
void set_nodes(const RunSpec& before, std::int64_t nodes, Json& spec) {
  spec["node_count"] = nodes;
  if (!member(spec, "distributed").is_object()) {
    if (nodes > 1) spec["distributed"] = {{"kind", "pytorch"}, {"node_count", nodes}};
    return;
  }
  Json& distributed = spec["distributed"];
  if (const auto processes = integer_at(distributed, "process_count"); processes > 0 && before.node_count > 0) {
    distributed["process_count"] = processes / before.node_count * nodes;
  }
  distributed["node_count"] = nodes;
}

constexpr std::array<const char*, 7> kSimple = {"experiment", "display_name", "compute", "snapshot", "priority", "max_retries",
                                                "max_run_duration_seconds"};

// Whether a program of somebody else's would come to run, or meet another environment. Variables may make it so, too.
bool does_the_same(const RunSpec& before, const RunSpec& after) {
  return before.script == after.script && before.arguments == after.arguments && before.command == after.command &&
         before.snapshot == after.snapshot && before.environment == after.environment &&
         before.environment_variables == after.environment_variables && before.secrets == after.secrets;
}

void add_sealed(const Json& before, const Json& after, std::vector<std::string>& names) {
  for (const auto& item : before.items()) {
    if (item.value().is_string() && is_sealed(item.value().get_ref<const std::string&>()) && member(after, item.key()) == item.value()) {
      names.push_back(item.key());
    }
  }
}

using Facts = std::map<std::string, Json>;

// Objects are taken apart, so that one changed variable is one change.
void flatten(const std::string& name, const Json& value, Facts& facts) {
  if (value.is_null() || value == "" || value == Json::array() || value == Json::object()) return;
  if (!value.is_object()) {
    facts[name] = value;
    return;
  }
  for (const auto& item : value.items()) flatten(name.empty() ? item.key() : name + "." + item.key(), item.value(), facts);
}

Facts facts_of(const RunSpec& spec, Variables variables) {
  Json json = run_spec_json(spec);
  mask_spec(json, variables);
  Facts facts;
  flatten("", json, facts);
  return facts;
}

}  // namespace

Result<RunSpec> spec_to_repeat(const Run& run) {
  ROOST_CHECK(check_repeatable(run));
  ROOST_TRY(RunSpec spec, parse_run_spec(run.spec));
  // Of what the server found out about the environment only what a spec may say.
  for (const char* name : {"name", "version", "pins", "variables"}) {
    if (const Json& value = member(run.environment, name); !value.is_null()) spec.environment[name] = value;
  }
  if (const Json lock = array_at(run.environment, "lock"); !lock.empty()) {
    // The interpreter is that of the built environment, which may be gone by now.
    spec.environment["lock"] = lock;
    // They may have come from the server's configuration, which may be another by now.
    if (!array_at(run.environment, "changes").empty()) spec.environment["pins"] = "nearest";
  } else if (const std::string python = text_at(run.environment, "python");
             !python.empty() && text_at(spec.environment, "name").empty()) {
    spec.environment["python"] = python;
  }
  spec.tags = run.tags;
  return spec;
}

Result<RunSpec> changed_spec(const RunSpec& before, const Json& changes) {
  Json spec = run_spec_json(before);
  JsonFields fields(changes, "the changes");
  ROOST_CHECK(apply_program(before, fields, spec));
  for (const char* name : kSimple) {
    if (fields.has(name)) {
      spec[name] = member(changes, name);
    } else if (changes.is_object() && changes.contains(name)) {
      spec.erase(name);
    }
  }
  if (fields.has("tags")) spec["tags"] = fields.string_map("tags", true);
  if (fields.has("node_count")) set_nodes(before, fields.integer("node_count", 1, 1, 100'000), spec);
  if (fields.has("environment")) {
    // Another one, with the variables that were set in the one before.
    const Json variables = object_at(before.environment, "variables");
    spec["environment"] = fields.object("environment");
    if (!spec["environment"].contains("variables") && !variables.empty()) spec["environment"]["variables"] = variables;
  }
  const Json variables = fields.string_map("environment_variables", true);
  const Json secrets = fields.string_map("secrets", true);
  const auto sealed = fields.strings("sealed_variables");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_values_are_given(variables));
  ROOST_CHECK(check_values_are_given(object_at(object_at(changes, "environment"), "variables")));
  // A name is a variable with a value or a secret of the workspace, whichever was said last.
  Json out_of_secrets = Json::object();
  Json out_of_variables = Json::object();
  for (const auto& item : variables.items()) out_of_secrets[item.key()] = nullptr;
  for (const auto& item : secrets.items()) out_of_variables[item.key()] = nullptr;
  merge(spec, "secrets", out_of_secrets);
  merge(spec, "environment_variables", out_of_variables);
  merge(spec, "environment_variables", variables);
  merge(spec, "secrets", secrets);
  spec["sealed_variables"] = sealed;
  ROOST_TRY(RunSpec after, parse_run_spec(spec));
  if (after.snapshot != before.snapshot) after.git = nullptr;  // it is not the code of that commit
  return after;
}

Status check_secrets_stay(const Run& run, const RunSpec& after, const Principal& who) {
  if (variables_for(who, run) == Variables::kShown) return {};
  ROOST_TRY(const RunSpec before, spec_to_repeat(run));
  if (does_the_same(before, after)) return {};
  std::vector<std::string> names;
  add_sealed(before.environment_variables, after.environment_variables, names);
  add_sealed(object_at(before.environment, "variables"), object_at(after.environment, "variables"), names);
  if (names.empty()) return {};
  return fail(ErrorCode::kPermissionDenied,
              fmt::format("{} given with this run by somebody else, and would come into the hands of what you change it to; give "
                          "your own ({}) or take {} out",
                          fmt::format("{} {}", fmt::join(names, ", "), names.size() == 1 ? "was" : "were"),
                          fmt::format("--secret {}", fmt::join(names, " --secret ")), names.size() == 1 ? "it" : "them"));
}

std::vector<SpecChange> spec_changes(const RunSpec& before, const RunSpec& after, Variables variables) {
  Facts was;
  Facts is;
  flatten("", run_spec_json(before), was);
  flatten("", run_spec_json(after), is);
  Facts shown_before = facts_of(before, variables);
  Facts shown_after = facts_of(after, variables);
  std::map<std::string, bool> names;
  for (const auto& fact : was) names[fact.first] = true;
  for (const auto& fact : is) names[fact.first] = true;
  std::vector<SpecChange> changes;
  for (const auto& [name, unused] : names) {
    if (was[name] != is[name]) changes.push_back({name, shown_before[name], shown_after[name]});
  }
  return changes;
}

}  // namespace roost

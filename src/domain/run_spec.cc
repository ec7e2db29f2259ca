#include "domain/run_spec.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/sealing.h"
#include "base/text.h"
#include "domain/alert.h"
#include "domain/docker_arguments.h"
#include "domain/environment_plan.h"
#include "domain/names.h"
#include "domain/rank_plan.h"

namespace roost {
namespace {

constexpr std::size_t kMostNotified = 20;
constexpr std::size_t kMaxCommand = 128 * 1024;
constexpr std::size_t kMaxArguments = 10'000;

Status check_variables(const Json& variables) {
  for (const auto& item : variables.items()) {
    ROOST_CHECK(check_variable_name(item.key()));
    const auto& value = item.value().get_ref<const std::string&>();
    if ((value.size() > kMaxCommand && !is_sealed(value)) || value.find('\0') != std::string::npos) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the environment variable {} has a NUL byte or is over 128 KiB",
                              item.key()));
    }
  }
  return {};
}

Status check_secrets(const RunSpec& spec) {
  if (spec.secrets.size() > 100) return fail(ErrorCode::kInvalidArgument, "a run has at most 100 secrets");
  for (const auto& item : spec.secrets.items()) {
    ROOST_CHECK(check_variable_name(item.key()));
    ROOST_CHECK(check_secret_name(item.value().get_ref<const std::string&>()));
    if (!spec.environment_variables.contains(item.key())) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is both a variable with a value and a secret of the workspace; give one of them", item.key()));
  }
  for (const auto& name : spec.sealed_variables) {
    if (spec.environment_variables.contains(name)) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"sealed_variables\" names {}, which is not among \"environment_variables\"", printable(name)));
  }
  return {};
}

Status check_interactive(const RunSpec& spec, bool names_compute) {
  if (!spec.script.empty() || !spec.command.empty() || !spec.arguments.empty() || names_compute ||
      !spec.inputs.empty() || !spec.secrets.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "an interactive run has no script, command, arguments, compute, inputs or secrets: the process "
                "that made it reports to it");
  }
  return {};
}

Result<std::vector<RunInput>> inputs_from(const Json& items) {
  std::vector<RunInput> inputs;
  std::set<std::string> names;
  if (items.size() > 100) {
    return fail(ErrorCode::kInvalidArgument, "a run has at most 100 inputs");
  }
  for (const auto& item : items) {
    JsonFields fields(item, "an input");
    RunInput input;
    input.name = fields.required_string("name");
    input.content = fields.required_string("content");
    input.mode = fields.string("mode", input.mode);
    input.path = fields.string("path");
    input.file = fields.string("file");
    input.dataset = fields.string("dataset");
    ROOST_CHECK(fields.done());
    ROOST_CHECK(check_variable_name("AZUREML_DATAREFERENCE_" + input.name));
    if (!names.insert(input.name).second) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("two inputs are named {}", input.name));
    }
    if (!is_digest(input.content)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"content\" of the input {} must be 64 lower-case hex digits", input.name));
    }
    if (input.mode != "download" && input.mode != "mount" && input.mode != "direct") {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"mode\" of the input {} must be download, mount or direct", input.name));
    }
    ROOST_CHECK(check_text(input.dataset, "the dataset of an input", 200));
    if (input.mode == "direct" && input.dataset.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the input {} is direct, and needs \"dataset\", the id of what it is", input.name));
    }
    if (!input.file.empty() && !is_safe_relative_path(input.file)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the file \"{}\" of the input {} must be a path inside its content",
                              printable(input.file), input.name));
    }
    ROOST_CHECK(check_text(input.path, "the path of an input", 4096));
    if (!input.path.empty() && !input.path.starts_with('/') && !is_safe_relative_path(input.path)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the path \"{}\" of the input {} must be absolute, or stay below the "
                              "working folder",
                              printable(input.path), input.name));
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Json inputs_json(const std::vector<RunInput>& inputs) {
  Json items = Json::array();
  for (const auto& input : inputs) {
    Json item = {{"name", input.name},
                 {"content", input.content},
                 {"mode", input.mode},
                 {"path", input.path.empty() ? Json() : Json(input.path)}};
    if (!input.file.empty()) item["file"] = input.file;
    if (!input.dataset.empty()) item["dataset"] = input.dataset;
    items.push_back(std::move(item));
  }
  return items;
}

Status check_program(const RunSpec& spec) {
  if (spec.script.empty() == spec.command.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "a run needs either \"script\" (with \"arguments\") or \"command\", not both");
  }
  if (!spec.command.empty() && !spec.arguments.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "\"arguments\" go with \"script\"; write them into \"command\" instead");
  }
  std::size_t total = spec.command.size() + spec.script.size();
  bool has_nul = spec.command.find('\0') != std::string::npos;
  for (const auto& argument : spec.arguments) {
    total += argument.size();
    has_nul = has_nul || argument.find('\0') != std::string::npos;
  }
  if (has_nul || total > kMaxCommand || spec.arguments.size() > kMaxArguments) {
    return fail(ErrorCode::kInvalidArgument,
                "the command line has a NUL byte or is longer than 128 KiB; put long lists into a "
                "file of the snapshot");
  }
  if (!spec.script.empty() && !is_safe_relative_path(spec.script)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the script \"{}\" must be a path inside the source folder, such as "
                            "train.py",
                            printable(spec.script)));
  }
  if (lower(spec.script).ends_with(".ipynb")) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is a notebook, which Python cannot run. Make a script of it ('jupyter nbconvert --to "
                            "script {}') and submit that, or give the command 'jupyter execute {}' with jupyter in the "
                            "environment",
                            printable(spec.script), printable(spec.script), printable(spec.script)));
  }
  return {};
}

}  // namespace

// A note is text for people and no label; MLflow keeps it in this tag too.
constexpr std::string_view kNoteTag = "mlflow.note.content";
constexpr std::size_t kLongestNote = 16'000;

Status check_labels(const Json& labels, std::string_view what) {
  if (labels.size() > 50) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("more than 50 {}", what));
  }
  for (const auto& item : labels.items()) {
    if (item.key().empty()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("a key of the {} is empty", what));
    }
    ROOST_CHECK(check_text(item.key(), fmt::format("the key in {}", what), 100));
    if (item.value().is_string()) {
      ROOST_CHECK(check_text(item.value().get_ref<const std::string&>(),
                             fmt::format("the value of {} in {}", item.key(), what),
                             item.key() == kNoteTag ? kLongestNote : 1000));
    }
  }
  return {};
}

Result<RunSpec> parse_run_spec(const Json& body) {
  JsonFields fields(body, "the run");
  RunSpec spec;
  spec.experiment = fields.required_string("experiment");
  spec.subscription_id = fields.string("subscription_id");
  spec.resource_group = fields.string("resource_group");
  spec.interactive = fields.boolean("interactive", false);
  spec.display_name = fields.string("display_name");
  if (fields.has("snapshot")) spec.snapshot = fields.string("snapshot");
  spec.script = fields.string("script");
  spec.arguments = fields.strings("arguments");
  spec.command = fields.string("command");
  const bool names_compute = !fields.string("compute").empty();
  spec.compute = fields.string("compute", "local");
  spec.environment = fields.object("environment");
  spec.environment_variables = fields.string_map("environment_variables");
  spec.sealed_variables = fields.strings("sealed_variables");
  spec.secrets = fields.string_map("secrets");
  const Json inputs = fields.array("inputs");
  if (fields.has("distributed")) spec.distributed = fields.object("distributed");
  spec.node_count = fields.integer("node_count", 1, 1, 100'000);
  const Json resources = fields.object("resources");
  spec.priority = fields.integer("priority", 0, -1000, 1000);
  if (fields.has("max_run_duration_seconds")) {
    spec.max_run_duration_seconds = fields.integer("max_run_duration_seconds", 0, 1, 315'360'000);
  }
  spec.max_retries = fields.integer("max_retries", 0, 0, 100);
  spec.tags = fields.string_map("tags", true);
  spec.properties = fields.string_map("properties");
  if (fields.has("git")) spec.git = fields.object("git");
  if (fields.has("parent")) spec.parent = fields.string("parent");
  spec.notify = fields.strings("notify");
  ROOST_CHECK(fields.done());

  ROOST_CHECK(check_experiment_name(spec.experiment));
  ROOST_CHECK(check_text(spec.display_name, "the display name", 256));
  if (spec.notify.size() > kMostNotified) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"notify\" has more than {} channels", kMostNotified));
  }
  for (const auto& text : spec.notify) ROOST_CHECK(parse_notify(text));
  ROOST_CHECK(check_text(spec.subscription_id, "the subscription id", 200));
  ROOST_CHECK(check_text(spec.resource_group, "the resource group", 200));
  if (!spec.interactive) ROOST_CHECK(check_compute_name(spec.compute));
  if (spec.snapshot && !is_digest(*spec.snapshot)) {
    return fail(ErrorCode::kInvalidArgument, "\"snapshot\" must be 64 lower-case hex digits");
  }
  ROOST_TRY(spec.inputs, inputs_from(inputs));
  ROOST_TRY(spec.resources, parse_resource_ask(resources));
  ROOST_TRY(const Gang gang, gang_of(spec.distributed, spec.node_count));
  spec.node_count = gang.nodes;
  if (spec.interactive) {
    ROOST_CHECK(check_interactive(spec, names_compute));
    spec.compute.clear();
  } else {
    ROOST_CHECK(check_program(spec));
  }
  ROOST_CHECK(check_labels(spec.tags, "tags"));
  ROOST_CHECK(check_labels(spec.properties, "properties"));

  JsonFields environment(spec.environment, "\"environment\"");
  const std::string name = environment.string("name");
  const std::string version = environment.string("version");
  const std::string pins = environment.string("pins");
  const auto lock = environment.strings("lock");
  const std::string python = environment.string("python");
  const Json variables = environment.string_map("variables");
  const Json docker = environment.object("docker");
  ROOST_CHECK(environment.done());
  JsonFields docker_fields(docker, "\"docker\" of the environment");
  for (const auto& word : docker_fields.strings("arguments")) ROOST_CHECK(check_text(word, "a docker argument", 2000));
  docker_fields.string("shm_size");
  ROOST_CHECK(docker_fields.done());
  ROOST_CHECK(docker_arguments(Json(), docker));
  if (!name.empty()) ROOST_CHECK(check_registry_name(name, "environment"));
  if (!pins.empty()) ROOST_CHECK(parse_pins(pins));
  for (const auto& line : lock) ROOST_CHECK(check_text(line, "a line of the lock", 500));
  ROOST_CHECK(check_text(version, "the environment's version", 100));
  ROOST_CHECK(check_text(python, "the interpreter path", 4096));
  ROOST_CHECK(check_variables(variables));
  ROOST_CHECK(check_variables(spec.environment_variables));
  ROOST_CHECK(check_secrets(spec));

  if (!spec.git.is_null()) {
    JsonFields git(spec.git, "\"git\"");
    for (const char* key : {"repository_uri", "branch", "commit"}) {
      ROOST_CHECK(check_text(git.string(key), fmt::format("git {}", key), 2000));
    }
    git.boolean("dirty", false);
    ROOST_CHECK(git.done());
  }
  return spec;
}

Json run_spec_json(const RunSpec& spec) {
  Json out = {{"experiment", spec.experiment},
              {"display_name", spec.display_name},
              {"snapshot", spec.snapshot ? Json(*spec.snapshot) : Json()},
              {"compute", spec.compute},
              {"environment", spec.environment},
              {"environment_variables", spec.environment_variables},
              {"node_count", spec.node_count},
              {"priority", spec.priority},
              {"max_run_duration_seconds",
               spec.max_run_duration_seconds ? Json(*spec.max_run_duration_seconds) : Json()},
              {"max_retries", spec.max_retries},
              {"tags", spec.tags},
              {"properties", spec.properties},
              {"git", spec.git},
              {"parent", spec.parent ? Json(*spec.parent) : Json()}};
  if (!spec.subscription_id.empty()) out["subscription_id"] = spec.subscription_id;
  if (!spec.resource_group.empty()) out["resource_group"] = spec.resource_group;
  if (!spec.notify.empty()) out["notify"] = spec.notify;
  if (spec.interactive) out["interactive"] = true;
  if (!spec.secrets.empty()) out["secrets"] = spec.secrets;
  if (!spec.inputs.empty()) out["inputs"] = inputs_json(spec.inputs);
  if (!spec.distributed.is_null()) out["distributed"] = spec.distributed;
  if (Json resources = resource_ask_json(spec.resources); !resources.is_null()) out["resources"] = std::move(resources);
  if (spec.interactive) return out;
  if (spec.command.empty()) {
    out["script"] = spec.script;
    out["arguments"] = spec.arguments;
  } else {
    out["command"] = spec.command;
  }
  return out;
}

}  // namespace roost

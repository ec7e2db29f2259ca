#include "domain/run_spec.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "domain/names.h"

namespace roost {
namespace {

constexpr std::size_t kMaxCommand = 128 * 1024;
constexpr std::size_t kMaxArguments = 10'000;

Status check_variables(const Json& variables) {
  for (const auto& item : variables.items()) {
    ROOST_CHECK(check_variable_name(item.key()));
    const auto& value = item.value().get_ref<const std::string&>();
    if (value.size() > kMaxCommand || value.find('\0') != std::string::npos) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the environment variable {} has a NUL byte or is over 128 KiB",
                              item.key()));
    }
  }
  return {};
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
  return {};
}

}  // namespace

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
                             fmt::format("the value of {} in {}", item.key(), what), 1000));
    }
  }
  return {};
}

Result<RunSpec> parse_run_spec(const Json& body) {
  JsonFields fields(body, "the run");
  RunSpec spec;
  spec.experiment = fields.required_string("experiment");
  spec.display_name = fields.string("display_name");
  if (fields.has("snapshot")) spec.snapshot = fields.string("snapshot");
  spec.script = fields.string("script");
  spec.arguments = fields.strings("arguments");
  spec.command = fields.string("command");
  spec.compute = fields.string("compute", "local");
  spec.environment = fields.object("environment");
  spec.environment_variables = fields.string_map("environment_variables");
  spec.node_count = fields.integer("node_count", 1, 1, 1);
  spec.priority = fields.integer("priority", 0, -1000, 1000);
  if (fields.has("max_run_duration_seconds")) {
    spec.max_run_duration_seconds = fields.integer("max_run_duration_seconds", 0, 1, 315'360'000);
  }
  spec.max_retries = fields.integer("max_retries", 0, 0, 100);
  spec.tags = fields.string_map("tags", true);
  spec.properties = fields.string_map("properties");
  if (fields.has("git")) spec.git = fields.object("git");
  if (fields.has("parent")) spec.parent = fields.string("parent");
  ROOST_CHECK(fields.done());

  ROOST_CHECK(check_experiment_name(spec.experiment));
  ROOST_CHECK(check_text(spec.display_name, "the display name", 256));
  ROOST_CHECK(check_compute_name(spec.compute));
  if (spec.snapshot && !is_digest(*spec.snapshot)) {
    return fail(ErrorCode::kInvalidArgument, "\"snapshot\" must be 64 lower-case hex digits");
  }
  ROOST_CHECK(check_program(spec));
  ROOST_CHECK(check_labels(spec.tags, "tags"));
  ROOST_CHECK(check_labels(spec.properties, "properties"));

  JsonFields environment(spec.environment, "\"environment\"");
  const std::string python = environment.string("python");
  const Json variables = environment.string_map("variables");
  ROOST_CHECK(environment.done());
  ROOST_CHECK(check_text(python, "the interpreter path", 4096));
  ROOST_CHECK(check_variables(variables));
  ROOST_CHECK(check_variables(spec.environment_variables));

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
  if (spec.command.empty()) {
    out["script"] = spec.script;
    out["arguments"] = spec.arguments;
  } else {
    out["command"] = spec.command;
  }
  return out;
}

}  // namespace roost

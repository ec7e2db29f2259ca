#include "sweeps/sweep_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "sweeps/dimension_values.h"
#include "sweeps/pbt.h"

namespace roost {
namespace {

constexpr std::int64_t kMostConcurrent = 10'000;
constexpr std::int64_t kMostMinutes = 5'256'000;  // ten years
constexpr std::size_t kMostResumed = 5;

Status read_metric(const Json& body, SweepSpec& spec) {
  JsonFields fields(body, "\"metric\"");
  spec.metric = fields.required_string("name");
  const std::string goal = fields.required_string("goal");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_text(spec.metric, "the name of the primary metric", 500));
  if (spec.metric.empty()) return fail(ErrorCode::kInvalidArgument, "the primary metric needs a name, the one that run.log() is given");
  if (goal != "maximize" && goal != "minimize") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the goal \"{}\" is neither \"maximize\" nor \"minimize\"", printable(goal)));
  }
  spec.goal = goal == "maximize" ? Goal::kMaximize : Goal::kMinimize;
  return {};
}

// A population trains side by side, and one that hands over makes a new trial.
Status check_policy(const SweepSpec& spec) {
  if (spec.policy.type != PolicyType::kPbt) return {};
  const std::int64_t least = least_population(spec.policy);
  if (spec.max_concurrent_runs && *spec.max_concurrent_runs >= least) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the policy \"pbt\" needs \"max_concurrent_runs\" of {} or more: so many trials train side by side", least));
}

Status check_limits(const SweepSpec& spec) {
  if (static_cast<std::int64_t>(spec.resume_child_runs.size()) > spec.max_total_runs) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"resume_child_runs\" names {} children, more than the {} of max_total_runs; raise it",
                            spec.resume_child_runs.size(), spec.max_total_runs));
  }
  if (spec.max_concurrent_runs && *spec.max_concurrent_runs > spec.max_total_runs) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("max_concurrent_runs is {}, more than the {} of max_total_runs; lower the one or raise the other",
                            *spec.max_concurrent_runs, spec.max_total_runs));
  }
  return {};
}

std::string variable_name(const std::string& parameter) {
  std::string name = "AZUREML_PARAMETER_";
  const std::size_t begin = std::min(parameter.find_first_not_of('-'), parameter.size());
  for (const char c : parameter.substr(begin)) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

}  // namespace

Result<SweepSpec> parse_sweep_spec(const Json& body, std::uint64_t seed) {
  JsonFields fields(body, "the sweep");
  SweepSpec spec;
  const Json run = fields.object("run");
  const Json space = fields.array("space");
  Json sampling = fields.object("sampling");
  const Json metric = fields.object("metric");
  const Json policy = fields.has("policy") ? fields.object("policy") : Json();
  spec.max_total_runs = fields.integer("max_total_runs", 0, 1, kMostTrials);
  if (fields.has("max_concurrent_runs")) {
    spec.max_concurrent_runs = fields.integer("max_concurrent_runs", 1, 1, kMostConcurrent);
  }
  spec.max_duration_minutes = fields.integer("max_duration_minutes", 10'080, 1, kMostMinutes);
  spec.resume_from = fields.strings("resume_from");
  spec.resume_child_runs = fields.strings("resume_child_runs");
  const bool has_total = fields.has("max_total_runs");
  ROOST_CHECK(fields.done());
  if (!has_total) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("a sweep needs \"max_total_runs\", from 1 to {}", kMostTrials));
  }
  if (spec.resume_from.size() > kMostResumed) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"resume_from\" takes at most {} sweeps", kMostResumed));
  }
  ROOST_TRY(spec.run, parse_run_spec(run));
  if (spec.run.interactive) {
    return fail(ErrorCode::kInvalidArgument, "\"run\" of a sweep needs a script or a command: an interactive run has neither");
  }
  if (spec.run.parent) return fail(ErrorCode::kInvalidArgument, "\"run\" of a sweep has no \"parent\": the sweep is it");
  ROOST_TRY(spec.space, parse_search_space(space));
  if (!sampling.contains("seed")) sampling["seed"] = seed;
  ROOST_TRY(spec.sampling, parse_sampling(sampling, spec.space));
  ROOST_CHECK(read_metric(metric, spec));
  ROOST_TRY(spec.policy, parse_policy(policy));
  ROOST_CHECK(check_policy(spec));
  ROOST_CHECK(check_limits(spec));
  return spec;
}

Json sweep_spec_json(const Json& body, const SweepSpec& spec) {
  Json out = body;
  out["run"] = run_spec_json(spec.run);
  for (const char* mine : {"parent"}) out["run"].erase(mine);
  if (!out.contains("sampling") || !out["sampling"].is_object()) out["sampling"] = Json::object();
  out["sampling"]["seed"] = spec.sampling.seed;
  out["max_total_runs"] = spec.max_total_runs;
  out["max_concurrent_runs"] = or_null(spec.max_concurrent_runs);
  out["max_duration_minutes"] = spec.max_duration_minutes;
  return out;
}

Status check_parameters(const SearchSpace& space, const Json& parameters) {
  for (const auto& dimension : space.dimensions) {
    const bool is_there = parameters.contains(dimension.name);
    if (is_active(dimension, parameters) == is_there) continue;
    const std::string name = printable(dimension.name);
    return fail(ErrorCode::kInvalidArgument,
                is_there ? fmt::format("the parameter \"{}\" has no meaning beside the others; leave it out", name)
                         : fmt::format("the parameter \"{}\" has no value; give every parameter of the sweep one", name));
  }
  for (const auto& item : parameters.items()) {
    const bool is_known = std::any_of(space.dimensions.begin(), space.dimensions.end(),
                                      [&](const Dimension& dimension) { return dimension.name == item.key(); });
    if (!is_known) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the sweep has no parameter \"{}\"", printable(item.key())));
    }
    if (!item.value().is_primitive() || item.value().is_null()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the value of \"{}\" must be a number, a text, true or false", printable(item.key())));
    }
  }
  return {};
}

void give_outputs(RunSpec& spec, const std::string& content) {
  constexpr const char* kName = "resume_from";
  RunInput input;
  input.name = kName;
  input.content = content;
  const auto is_taken = [&](const RunInput& other) { return other.name == input.name; };
  while (std::any_of(spec.inputs.begin(), spec.inputs.end(), is_taken)) input.name += "_";
  const std::string path = fmt::format("$AZUREML_DATAREFERENCE_{}/outputs", input.name);
  spec.inputs.push_back(std::move(input));
  if (spec.command.empty()) {
    spec.arguments.push_back("--resume-from");
    spec.arguments.push_back(path);
  } else {
    spec.command += fmt::format(" --resume-from \"{}\"", path);
  }
}

std::optional<std::int64_t> trial_number(std::string_view run) {
  const auto underscore = run.rfind('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const std::string_view digits = run.substr(underscore + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  return number;
}

std::string parameter_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_text(value);
}

RunSpec child_spec(const SweepSpec& sweep, const Json& parameters) {
  RunSpec spec = sweep.run;
  for (const auto& dimension : sweep.space.dimensions) {
    const auto found = parameters.find(dimension.name);
    if (found == parameters.end()) continue;
    const std::string name = dimension.name.starts_with("-") ? dimension.name : "--" + dimension.name;
    const std::string value = parameter_text(*found);
    if (spec.command.empty()) {
      spec.arguments.push_back(name);
      spec.arguments.push_back(value);
    } else {
      spec.command += fmt::format(" {} {}", shell_quote(name), shell_quote(value));
    }
    spec.environment_variables[variable_name(dimension.name)] = value;
  }
  return spec;
}

}  // namespace roost

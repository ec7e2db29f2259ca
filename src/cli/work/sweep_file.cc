#include "cli/work/sweep_file.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/work/run_spec.h"
#include "cli/work/sweep_policy.h"
#include "cli/work/sweep_space.h"
#include "cli/work/yaml_document.h"

namespace roost {
namespace {

const std::vector<std::string> kKeys = {
    // what a trial runs
    "experiment", "compute", "source", "script", "arguments", "command", "python", "environment", "pins",
    "environment_variables", "nodes", "processes", "processes_per_node", "mpi", "display_name", "tags", "priority",
    "max_retries", "time_limit",
    // what is searched, and how
    "sampling", "parameter_space", "policy", "metric", "goal", "primary_metric_name", "primary_metric_goal",
    "max_total_runs", "max_concurrent_runs", "max_duration_minutes", "resume_from", "resume_child_runs"};

class SweepFileReader {
 public:
  explicit SweepFileReader(const YamlDocument& file) : file_(file) {}
  Result<SweepFile> read();

 private:
  Status read_run();
  Result<RunRequest> run_request() const;
  Status read_command(RunRequest& request, Json& what) const;
  Status read_search();
  Result<Json> read_sampling(Json& space, std::string& space_path) const;
  Result<Json> read_metric() const;
  Status read_limits();

  const Json& value(const std::string& key) const { return child(file_.root, key.c_str()); }
  bool has(const std::string& key) const { return !value(key).is_null(); }
  tl::unexpected<Error> wrong(const std::string& key, const std::string& text) const {
    return file_.wrong("/" + key, text);
  }

  Result<std::string> text(const std::string& key) const;
  Result<std::optional<std::int64_t>> whole(const std::string& key, std::int64_t least, std::int64_t most) const;
  Result<std::vector<std::string>> words(const std::string& key) const;
  Result<std::vector<std::string>> pairs(const std::string& key) const;

  const YamlDocument& file_;
  SweepFile out_;
};

// Numbers and truths are words too where words are asked for: `arguments: [--epochs, 4]`.
bool is_word(const Json& value) { return value.is_string() || value.is_number() || value.is_boolean(); }

Result<std::string> SweepFileReader::text(const std::string& key) const {
  const Json& found = value(key);
  if (found.is_null()) return std::string();
  if (!is_word(found)) return wrong(key, "must be a text");
  return value_text(found);
}

Result<std::optional<std::int64_t>> SweepFileReader::whole(const std::string& key, std::int64_t least,
                                                           std::int64_t most) const {
  const Json& found = value(key);
  if (found.is_null()) return std::optional<std::int64_t>();
  if (found.is_number_integer() && found.get<std::int64_t>() >= least && found.get<std::int64_t>() <= most) {
    return std::optional<std::int64_t>(found.get<std::int64_t>());
  }
  return wrong(key, fmt::format("must be a whole number from {} to {}", least, most));
}

Result<std::vector<std::string>> SweepFileReader::words(const std::string& key) const {
  std::vector<std::string> out;
  const Json& found = value(key);
  if (found.is_null()) return out;
  if (!found.is_array()) return wrong(key, "must be a list, like [--epochs, 4]");
  for (const Json& word : found) {
    if (!is_word(word)) return wrong(key, "must be a list of words and numbers; quote an empty one as ''");
    out.push_back(value_text(word));
  }
  return out;
}

// As the options of `roost submit` have them: "KEY=value".
Result<std::vector<std::string>> SweepFileReader::pairs(const std::string& key) const {
  std::vector<std::string> out;
  const Json& found = value(key);
  if (found.is_null()) return out;
  if (!found.is_object()) return wrong(key, "must be like {KEY: value}");
  for (const auto& [name, one] : found.items()) {
    if (!one.is_null() && !is_word(one)) return wrong(key + "/" + name, "must be a text");
    if (name.empty() || name.find('=') != std::string::npos) return wrong(key, "a name is empty or has a = in it");
    out.push_back(name + "=" + value_text(one));
  }
  return out;
}

Status SweepFileReader::read_command(RunRequest& request, Json& what) const {
  if (has("script") == has("command")) {
    return wrong(has("script") ? "command" : "script",
                 has("script") ? "script and command both say what to run; keep one of them"
                               : "nothing says what to run; add `script: train.py` or `command: python train.py`");
  }
  if (has("command")) {
    if (has("arguments")) return wrong("arguments", "belong to a script; write them into the command");
    if (value("command").is_array()) {
      ROOST_TRY(request.command, words("command"));
      what = {{"command", shell_line(request.command)}};
    } else {
      ROOST_TRY(const std::string line, text("command"));
      request.command = {line};
      what = {{"command", line}};
    }
    if (request.command.empty() || trim(request.command.front()).empty()) return wrong("command", "is empty");
    return {};
  }
  ROOST_TRY(const std::string name, text("script"));
  if (name.empty()) return wrong("script", "is empty");
  Json arguments = Json::array();
  ROOST_TRY(const std::vector<std::string> given, words("arguments"));
  for (const std::string& word : given) arguments.push_back(word);
  what = {{"script", name}};
  if (!arguments.empty()) what["arguments"] = std::move(arguments);
  request.command = {name};
  return {};
}

Result<RunRequest> SweepFileReader::run_request() const {
  constexpr std::int64_t kMany = 1'000'000;
  RunRequest request;
  ROOST_TRY(request.experiment, text("experiment"));
  if (request.experiment.empty()) return wrong("experiment", "is missing; add a line like `experiment: birds`");
  ROOST_TRY(request.compute, text("compute"));
  ROOST_TRY(request.name, text("display_name"));
  ROOST_TRY(request.python, text("python"));
  ROOST_TRY(request.environment, text("environment"));
  ROOST_TRY(request.pins, text("pins"));
  ROOST_TRY(request.tags, pairs("tags"));
  ROOST_TRY(request.variables, pairs("environment_variables"));
  ROOST_TRY(request.nodes, whole("nodes", 1, kMany));
  ROOST_TRY(request.processes, whole("processes", 1, kMany));
  ROOST_TRY(request.per_node, whole("processes_per_node", 1, kMany));
  if (request.processes && request.per_node) {
    return wrong("processes_per_node", "processes counts those of all nodes, this those of each; keep one of them");
  }
  if (has("mpi") && !value("mpi").is_boolean()) return wrong("mpi", "must be true or false");
  request.mpi = value("mpi") == true;
  ROOST_TRY(const auto priority, whole("priority", -1000, 1000));
  request.priority = priority.value_or(0);
  ROOST_TRY(const auto retries, whole("max_retries", 0, 100));
  request.max_retries = retries.value_or(0);
  return request;
}

Status SweepFileReader::read_run() {
  ROOST_TRY(RunRequest request, run_request());
  Json what;
  ROOST_CHECK(read_command(request, what));
  auto spec = make_spec(request);
  if (!spec) return file_.wrong("", spec.error().message);
  if (what.contains("script")) spec->erase("command");
  spec->update(what);
  if (has("time_limit")) {
    ROOST_TRY(const std::string limit, text("time_limit"));
    const auto seconds = parse_duration(limit, "");
    if (!seconds || *seconds < 1) return wrong("time_limit", "is no duration; write it like 90s, 15m or 2h");
    (*spec)["max_run_duration_seconds"] = *seconds;
  }
  out_.picks_python = request.python.empty() && request.environment.empty();
  out_.spec["run"] = std::move(*spec);
  return {};
}

// `sampling: tpe` or {type, seed}; as Azure's command line has it, the space may be inside.
Result<Json> SweepFileReader::read_sampling(Json& space, std::string& space_path) const {
  const Json& found = value("sampling");
  Json sampling = found.is_object() ? found : Json{{"type", found.is_null() ? Json("random") : found}};
  ROOST_CHECK(file_.expect_only("/sampling", sampling, {"type", "seed", "parameter_space"}));
  if (const Json& inside = child(sampling, "parameter_space"); !inside.is_null()) {
    if (has("parameter_space")) return wrong("parameter_space", "is in sampling too; keep one of them");
    space = inside;
    space_path = "/sampling/parameter_space";
    sampling.erase("parameter_space");
  }
  const std::vector<std::string> types = {"random", "sobol", "grid", "tpe", "gp", "bayesian"};
  std::string type = sampling.contains("type") ? lower(text_field(sampling, "type")) : "random";
  if (type.ends_with("parametersampling")) type.resize(type.size() - 17);
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    return file_.wrong(found.is_object() ? "/sampling/type" : "/sampling",
                       fmt::format("\"{}\" is none of {}", printable(type), fmt::join(types, ", ")));
  }
  sampling["type"] = type;
  if (const Json& seed = child(sampling, "seed"); seed.is_null()) {
    sampling.erase("seed");
  } else if (!seed.is_number_integer() || seed.get<std::int64_t>() < 0) {
    return file_.wrong("/sampling/seed", "must be a whole number of 0 or more");
  }
  return sampling;
}

Result<Json> SweepFileReader::read_metric() const {
  const Json& metric = value("metric");
  if (has("metric") && has("primary_metric_name")) return wrong("primary_metric_name", "metric says it too; keep one of them");
  if (has("goal") && has("primary_metric_goal")) return wrong("primary_metric_goal", "goal says it too; keep one of them");
  std::string name;
  std::string goal;
  const char* goal_key = has("primary_metric_goal") ? "primary_metric_goal" : "goal";
  if (metric.is_object()) {
    ROOST_CHECK(file_.expect_only("/metric", metric, {"name", "goal"}));
    name = text_field(metric, "name");
    goal = text_field(metric, "goal");
    if (!goal.empty()) goal_key = "metric/goal";
  } else {
    ROOST_TRY(name, text(has("metric") ? "metric" : "primary_metric_name"));
  }
  if (name.empty()) return wrong("metric", "is missing; name what the script logs, like `metric: accuracy`");
  if (goal.empty()) {
    ROOST_TRY(goal, text(goal_key));
  }
  if (lower(goal) != "maximize" && lower(goal) != "minimize") {
    return wrong(goal_key, goal.empty() ? "is missing; add `goal: maximize` or `goal: minimize`"
                                        : fmt::format("\"{}\" must be maximize or minimize", printable(goal)));
  }
  return Json{{"name", name}, {"goal", lower(goal)}};
}

Status SweepFileReader::read_limits() {
  constexpr std::int64_t kMostRuns = 1'000'000;
  Json& spec = out_.spec;
  ROOST_TRY(auto total, whole("max_total_runs", 1, kMostRuns));
  if (!total && text_field(child(spec, "sampling"), "type") == "grid") {
    // A grid has an end of its own.
    if (const std::int64_t points = space_points(spec["space"]); points > 0 && points <= kMostRuns) total = points;
  }
  if (!total) return wrong("max_total_runs", "is missing; add how many trials there are to be, like `max_total_runs: 20`");
  spec["max_total_runs"] = *total;
  ROOST_TRY(const auto concurrent, whole("max_concurrent_runs", 1, kMostRuns));
  if (concurrent) spec["max_concurrent_runs"] = *concurrent;
  ROOST_TRY(const auto minutes, whole("max_duration_minutes", 1, 5'256'000));
  if (minutes) spec["max_duration_minutes"] = *minutes;
  for (const char* key : {"resume_from", "resume_child_runs"}) {
    if (!has(key)) continue;
    ROOST_TRY(const std::vector<std::string> ids, words(key));
    spec[key] = ids;
  }
  return {};
}

Status SweepFileReader::read_search() {
  Json space = value("parameter_space");
  std::string space_path = "/parameter_space";
  ROOST_TRY(out_.spec["sampling"], read_sampling(space, space_path));
  ROOST_TRY(out_.spec["space"], read_sweep_space(file_, space_path, space, out_.notes));
  const std::string type = text_field(out_.spec["sampling"], "type");
  if (type == "grid" && space_points(out_.spec["space"]) == 0) {
    return file_.wrong("/sampling", "a grid needs choices (or randint) only; take random or tpe, or list the values");
  }
  ROOST_TRY(out_.spec["metric"], read_metric());
  ROOST_TRY(out_.spec["policy"], read_sweep_policy(file_, "/policy", value("policy")));
  return read_limits();
}

Result<SweepFile> SweepFileReader::read() {
  ROOST_CHECK(file_.expect_only("", file_.root, kKeys));
  ROOST_CHECK(read_run());
  ROOST_CHECK(read_search());
  ROOST_TRY(out_.source, text("source"));
  return std::move(out_);
}

}  // namespace

Result<SweepFile> parse_sweep_file(std::string_view text, const std::string& name) {
  ROOST_TRY(const YamlDocument document, parse_yaml_document(text, name));
  return SweepFileReader(document).read();
}

}  // namespace roost

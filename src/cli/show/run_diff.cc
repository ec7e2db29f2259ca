#include "cli/show/run_diff.h"

#include <map>

#include "cli/show/run_text.h"

namespace roost {
namespace {

using Facts = std::map<std::string, Json>;

// Objects are taken apart, so that one changed variable is one difference.
void flatten(const std::string& name, const Json& value, Facts& facts) {
  if (value.is_null()) return;
  if (!value.is_object()) {
    facts[name] = value;
    return;
  }
  for (const auto& [key, part] : value.items()) flatten(name + "." + key, part, facts);
}

Facts spec_facts(const Json& run) {
  Facts facts;
  const Json& spec = child(run, "spec");
  if (const std::string command = spec_command(spec); !command.empty()) facts["command"] = command;
  for (const char* name : {"experiment", "compute", "environment", "git"}) {
    flatten(name, child(run, name), facts);
  }
  for (const char* name : {"environment_variables", "node_count", "priority", "max_retries",
                           "max_run_duration_seconds", "tags"}) {
    const Json& of_run = child(run, name);
    flatten(name, of_run.is_null() ? child(spec, name) : of_run, facts);
  }
  flatten("params", logged_params(run), facts);
  return facts;
}

std::vector<Difference> differences(const Facts& a, const Facts& b, bool with_equal) {
  std::vector<Difference> all;
  std::map<std::string, bool> names;
  for (const auto& fact : a) names[fact.first] = true;
  for (const auto& fact : b) names[fact.first] = true;
  for (const auto& [name, unused] : names) {
    const auto in_a = a.find(name);
    const auto in_b = b.find(name);
    const Json value_a = in_a == a.end() ? Json() : in_a->second;
    const Json value_b = in_b == b.end() ? Json() : in_b->second;
    if (with_equal || value_a != value_b) all.push_back({name, value_a, value_b});
  }
  return all;
}

Facts last_values(const Json& metrics) {
  Facts facts;
  for (const Json& metric : metrics) facts[text_field(metric, "name")] = child(metric, "last");
  return facts;
}

Facts entries(const Json& snapshot) {
  Facts facts;
  for (const Json& entry : child(snapshot, "entries")) facts[text_field(entry, "path")] = entry;
  return facts;
}

}  // namespace

std::vector<Difference> spec_differences(const Json& run_a, const Json& run_b) {
  return differences(spec_facts(run_a), spec_facts(run_b), false);
}

std::vector<Difference> metric_comparison(const Json& metrics_a, const Json& metrics_b) {
  return differences(last_values(metrics_a), last_values(metrics_b), true);
}

std::vector<Difference> entry_differences(const Json& snapshot_a, const Json& snapshot_b) {
  return differences(entries(snapshot_a), entries(snapshot_b), false);
}

}  // namespace roost

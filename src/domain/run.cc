#include "domain/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "domain/secret_variables.h"

namespace roost {

namespace {
Json time_or_null(const std::optional<Micros>& time) {
  return time ? Json(format_time(*time)) : Json();
}

// The names stay, for those who want to know what a run depends on.
void mask_values(Json& owner, const char* name, Variables variables) {
  if (!owner.is_object() || !owner.contains(name) || !owner[name].is_object()) return;
  if (variables == Variables::kShown) return mask_secret_values(owner[name]);
  for (auto& item : owner[name].items()) item.value() = kMaskedValue;
}
}  // namespace

void mask_spec(Json& spec, Variables variables) {
  mask_values(spec, "environment_variables", variables);
  if (spec.is_object() && spec.contains("environment")) mask_values(spec["environment"], "variables", variables);
}

Json run_json(const Run& run, Variables variables) {
  Json body = {{"id", run.id},
          {"workspace", run.workspace},
          {"experiment", run.experiment},
          {"number", run.number},
          {"display_name", run.display_name},
          {"status", status_name(run.status)},
          {"type", run.type},
          {"parent", or_null(run.parent)},
          {"compute", run.compute},
          {"priority", run.priority},
          {"created_by", run.created_by},
          {"created_at", format_time(run.created)},
          {"started_at", time_or_null(run.started)},
          {"ended_at", time_or_null(run.ended)},
          {"attempt", run.attempt},
          {"max_retries", run.max_retries},
          {"snapshot", or_null(run.snapshot)},
          {"spec", run.spec},
          {"environment", run.environment},
          {"git", run.git},
          {"tags", run.tags},
          {"properties", run.properties},
          {"exit_code", or_null(run.exit_code)},
          {"signal", or_null(run.signal)},
          {"error", run.error},
          {"notices", run.notices},
          {"node", or_null(run.node)},
          {"archived", run.archived},
          {"deleted_at", time_or_null(run.deleted)}};
  mask_values(body["environment"], "variables", variables);
  mask_spec(body["spec"], variables);
  return body;
}

Json event_json(const RunEvent& event) {
  return {{"seq", event.seq},   {"attempt", event.attempt},
          {"from", event.from}, {"to", event.to},
          {"at", format_time(event.at)}, {"reason", event.reason}};
}

bool has_no_node(const Run& run) { return run.type == kInteractiveType || run.type == kSweepType; }

std::int64_t nodes_needed(const Run& run) {
  return run.spec.is_object() ? std::max<std::int64_t>(1, integer_at(run.spec, "node_count", 1)) : 1;
}

std::optional<std::int64_t> time_limit_seconds(const Run& run) {
  const auto limit = run.spec.is_object() ? run.spec.find("max_run_duration_seconds") : run.spec.end();
  if (!run.spec.is_object() || limit == run.spec.end() || !limit->is_number_integer()) return std::nullopt;
  return limit->get<std::int64_t>();
}

std::string new_run_id(const std::string& experiment, Micros now) {
  return fmt::format("{}_{}_{}", experiment, now / kSecond, random_hex(4));
}

Json stage_seconds(const std::vector<RunEvent>& events, Micros now) {
  Json out = Json::object();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto status = status_from_name(events[i].to);
    if (!status || is_terminal(*status)) continue;
    const Micros end = i + 1 < events.size() ? events[i + 1].at : now;
    // The clock may have been set back between the two.
    const double seconds = static_cast<double>(std::max<Micros>(0, end - events[i].at)) / kSecond;
    out[events[i].to] = number_at(out, events[i].to) + seconds;
  }
  return out;
}

}  // namespace roost

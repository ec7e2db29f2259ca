#include "cli/show/run_page.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/fact_list.h"
#include "domain/resource_ask.h"
#include "cli/show/queue_text.h"
#include "cli/show/rank_table.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"
#include "cli/show/timeline.h"
#include "cli/show/times.h"

namespace roost {
namespace {

std::string time_text(const Json& run, const char* name, Micros now) {
  const auto time = time_field(run, name);
  return time
             ? fmt::format("{}  ({})", format_time(*time).substr(0, 19) + "Z", time_ago(*time, now))
             : "";
}

std::string git_text(const Json& git) {
  std::string text = text_field(git, "repository_uri");
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "  ") + part;
  };
  add(text_field(git, "branch"));
  add(text_field(git, "commit").substr(0, 12));
  if (child(git, "dirty") == true) add("(changed since)");
  return text;
}

std::string attempt_text(const Json& run) {
  const std::string attempt = text_field(run, "attempt");
  const std::string retries = text_field(run, "max_retries");
  if (attempt.empty() || attempt == "0") return "";
  if ((attempt == "1") && (retries.empty() || retries == "0")) return "";
  return fmt::format("{} (at most {} retries)", attempt, retries.empty() ? "0" : retries);
}

void add_nodes(FactList& facts, const Json& run) {
  std::string names;
  const Json& nodes = child(run, "nodes");
  for (const Json& node : nodes) names += (names.empty() ? "" : ", ") + value_text(node);
  facts.add(nodes.size() > 1 ? "nodes" : "node", names.empty() ? text_field(run, "node") : names);
}

std::string asked_text(const Json& spec) {
  const ResourceAsk ask = resource_ask_of_spec(spec);
  if (ask.is_open()) return "";
  const Amounts amounts{ask.gpus.value_or(0), ask.cpus, ask.memory_mb};
  const std::string text = amounts.is_nothing() ? "no GPU" : amounts_text(amounts);
  return text + " on each node";
}

// What of the machine each node has for itself, and how it is held to that.
std::string leases_text(const Json& leases) {
  std::string text;
  for (const Json& lease : leases) {
    std::vector<std::string> gpus;
    for (const Json& gpu : child(lease, "gpus")) gpus.push_back(value_text(gpu));
    std::string one;
    const auto add = [&](const std::string& part) { one += (one.empty() ? "" : ", ") + part; };
    if (!gpus.empty()) add(fmt::format("{} ({})", gpus_text(std::ssize(gpus)), fmt::join(gpus, ", ")));
    const Json& enforced = child(lease, "enforced");
    if (const auto cpus = integer_at(lease, "cpus"); cpus > 0) {
      const std::string by = text_field(enforced, "cpus");
      add(cpus_text(cpus) + (by == "cgroup" ? " (limited by its control group)" : by == "affinity" ? " (bound to them)" : ""));
    }
    if (const auto memory = integer_at(lease, "memory_mb"); memory > 0) {
      const std::string by = text_field(enforced, "memory");
      add(memory_text(memory) + (by == "cgroup" ? " (limited by its control group)" : by == "none" ? " (kept free, not limited)" : ""));
    }
    if (one.empty()) continue;
    if (leases.size() > 1) one = text_field(lease, "node") + ": " + one;
    text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

void add_facts(FactList& facts, const Json& run, Micros now) {
  const Json& spec = child(run, "spec");
  facts.add("experiment", text_field(run, "experiment"));
  facts.add("workspace", text_field(run, "workspace"));
  facts.add("command", spec_command(spec));
  facts.add("compute", text_field(run, "compute"));
  add_nodes(facts, run);
  if (const std::string priority = text_field(run, "priority"); priority != "0") {
    facts.add("priority", priority);
  }
  facts.add("attempt", attempt_text(run));
  facts.add("created", time_text(run, "created_at", now));
  facts.add("by", text_field(run, "created_by"));
  facts.add("started", time_text(run, "started_at", now));
  facts.add("ended", time_text(run, "ended_at", now));
  facts.add("asks for", asked_text(spec));
  facts.add("has", leases_text(child(run, "leases")));
  if (const Json& limit = child(spec, "max_run_duration_seconds"); limit.is_number()) {
    facts.add("time limit", human_duration(limit.get<double>()));
  }
  facts.add("parent", text_field(run, "parent"));
  facts.add("snapshot", text_field(run, "snapshot"));
  facts.add("git", git_text(child(run, "git")));
  facts.add("tags", tags_text(child(run, "tags")));
  facts.add("properties", tags_text(child(run, "properties")));
}

std::string params_text(const Json& run, const Style& style) {
  FactList facts;
  const Json params = logged_params(run);
  for (const auto& [name, value] : params.items()) facts.add(name, value_text(value));
  return facts.empty() ? "" : "\n" + style(Tone::kBold, "Parameters") + "\n" + facts.text(style, 2);
}

std::string isolation_text(const Json& environment) {
  const Json& isolated = child(environment, "isolated");
  if (!isolated.is_boolean()) return "";
  return isolated == true ? "yes, in an image" : "no, on the host: it has the files of its machine as the server's user has them, but for the data folder";
}

std::string environment_text(const Json& run, const Style& style) {
  FactList facts;
  const Json& environment = child(run, "environment");
  if (const std::string name = text_field(environment, "name"); !name.empty()) {
    facts.add("name", name + ":" + text_field(environment, "version"));
  }
  facts.add("digest", text_field(environment, "digest"));
  facts.add("python", text_field(environment, "python"));
  facts.add("isolated", isolation_text(environment));
  for (const Json* variables : {&child(child(run, "environment"), "variables"),
                                &child(child(run, "spec"), "environment_variables")}) {
    if (!variables->is_object()) continue;
    for (const auto& [name, value] : variables->items()) facts.add(name, value_text(value));
  }
  return facts.empty() ? ""
                       : "\n" + style(Tone::kBold, "Environment") + "\n" + facts.text(style, 2);
}

std::string quoted_lines(const Json& lines, const Style& style) {
  std::string out;
  for (const Json& line : lines) {
    for (const std::string& part : split(value_text(line), '\n')) {
      out += style(Tone::kDim, "  │ ") + one_line(part) + "\n";
    }
  }
  return out;
}

std::string error_text(const Json& error, const Json& ranks, const Style& style) {
  if (!error.is_object()) return "";
  std::string out = "\n" + style(Tone::kRed, "Error") + "  " + text_field(error, "code");
  if (const std::string rank = text_field(error, "rank"); !rank.empty()) out += "  of rank " + rank;
  if (const std::string node = text_field(error, "node"); !node.empty()) out += "  on " + node;
  out += "\n";
  for (const std::string& line : split(trim(text_field(error, "message")), '\n')) {
    out += "  " + one_line(line) + "\n";
  }
  out += others_text(ranks, style);
  const Json& traceback = child(error, "traceback");
  const Json& last = child(error, "last_lines");
  if (traceback.is_array() && !traceback.empty()) {
    out += quoted_lines(traceback, style);
  } else if (last.is_array() && !last.empty()) {
    out += style(Tone::kDim, "  the last lines of its output:") + "\n" + quoted_lines(last, style);
  }
  return out;
}

// Why it waited again, each time that it had been given nodes and lost them.
std::string returns_text(const Json& events, Micros now, const Style& style) {
  std::string out;
  for (const Json& event : events) {
    const std::string reason = text_field(event, "reason");
    const auto at = time_field(event, "at");
    if (text_field(event, "to") != "Queued" || text_field(event, "attempt") == "0" || reason.empty() || !at) continue;
    out += style(Tone::kYellow, fmt::format("  back in the queue {}: {}", time_ago(*at, now), one_line(reason))) + "\n";
  }
  return out;
}

}  // namespace

std::string run_page(const RunPageFacts& page_facts, Micros now, int width, const Style& style) {
  const auto& [run, events, ranks, wait] = page_facts;
  const std::string id = text_field(run, "id");
  const std::string name = text_field(run, "display_name");
  std::string out = style(Tone::kBold, id) + "  " +
                    style(status_tone(text_field(run, "status")), run_outcome(run, now)) + "\n";
  if (!name.empty() && name != id) out += one_line(name) + "\n";
  FactList facts;
  facts.add("waits", wait_text(wait, now));
  add_facts(facts, run, now);
  out += facts.text(style, 2);
  out += params_text(run, style);
  out += environment_text(run, style);
  if (const std::string bars = timeline(stages_of(events, now), width - 2, style); !bars.empty()) {
    out += "\n" + style(Tone::kBold, "Stages") + "\n";
    for (const std::string& line : split(trim(bars), '\n')) out += "  " + line + "\n";
    out += returns_text(events, now, style);
  }
  if (ranks.is_array() && !ranks.empty()) {
    out += "\n" + style(Tone::kBold, "Ranks") + "\n" + rank_table(ranks, width, style);
  }
  out += error_text(child(run, "error"), ranks, style);
  for (const Json& notice : child(run, "notices")) {
    out += style(Tone::kYellow, "note: " + one_line(value_text(notice))) + "\n";
  }
  return out;
}

}  // namespace roost

#include "cli/show/compute_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/fact_list.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"
#include "cli/show/times.h"

namespace roost {
namespace {

std::string resources_text(const Json& compute) {
  const Json& resources = child(compute, "resources");
  std::string text;
  if (const std::string cpus = text_field(resources, "cpus"); !cpus.empty()) text = cpus + " CPUs";
  if (const Json& memory = child(resources, "memory_mb"); memory.is_number()) {
    text += fmt::format(", {} memory",
                        human_bytes(static_cast<std::uint64_t>(memory.get<double>() * 1e6)));
  }
  if (const std::string gpus = text_field(resources, "gpus"); !gpus.empty() && gpus != "0") {
    text += fmt::format(", {} GPU{}", gpus, gpus == "1" ? "" : "s");
  }
  return text;
}

// "partition gpu, gres gpu:4"
std::string slurm_text(const Json& slurm) {
  std::string text;
  for (const auto& item : slurm.items()) {
    const std::string value = value_text(item.value());
    if (!value.empty() && value != "0") text += fmt::format("{}{} {}", text.empty() ? "" : ", ", item.key(), value);
  }
  return text.empty() ? "the cluster's defaults" : text;
}

std::string scale_text(const Json& compute) {
  return fmt::format("{} of {} to {}", text_field(compute, "current_node_count"),
                     text_field(compute, "min_nodes"), text_field(compute, "max_nodes"));
}

}  // namespace

std::string node_counts_text(const Json& compute) {
  std::string text;
  const Json& counts = child(compute, "node_state_counts");
  for (const char* state : {"running", "idle", "preparing", "leaving", "unusable", "preempted"}) {
    const std::string count = text_field(counts, state);
    if (count.empty() || count == "0") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
  }
  return text;
}

TextTable compute_table(const Json& computes) {
  TextTable table(
      {{"COMPUTE"}, {"VM SIZE"}, {"NODES"}, {"DOING", false, true}, {"STATE"}, {"PRIORITY"}});
  for (const Json& compute : computes) {
    const std::string counts = node_counts_text(compute);
    table.add({{text_field(compute, "name"), Tone::kBold},
               text_field(compute, "vm_size"),
               scale_text(compute),
               counts.empty() ? "none started" : counts,
               {text_field(compute, "allocation_state"), Tone::kDim},
               {text_field(compute, "vm_priority"), Tone::kDim}});
  }
  return table;
}

std::string compute_page(const Json& compute, const Json& nodes, Micros now, const Style& style,
                         int width) {
  std::string out = style(Tone::kBold, one_line(text_field(compute, "name"))) + "\n";
  FactList facts;
  facts.add("size", text_field(compute, "vm_size"));
  if (const Json& slurm = child(compute, "slurm"); slurm.is_object()) {
    facts.add("slurm", slurm_text(slurm));
  } else {
    facts.add("each node", resources_text(compute));
  }
  facts.add("priority", text_field(compute, "vm_priority"));
  facts.add("nodes", scale_text(compute));
  facts.add("doing", node_counts_text(compute));
  if (const Json& idle = child(compute, "idle_seconds_before_scaledown"); idle.is_number()) {
    facts.add("scales down", "after " + human_duration(idle.get<double>()) + " idle");
  }
  if (const std::string most = text_field(compute, "max_nodes_per_user"); !most.empty() && most != "0") {
    facts.add("each user", fmt::format("at most {} node{} at a time", most, most == "1" ? "" : "s"));
  }
  if (const std::string most = text_field(compute, "max_runs_per_user"); !most.empty() && most != "0") {
    facts.add("each user", fmt::format("at most {} run{} at a time", most, most == "1" ? "" : "s"));
  }
  facts.add("state", text_field(compute, "provisioning_state") + ", " +
                         text_field(compute, "allocation_state"));
  if (const auto created = time_field(compute, "created_at")) {
    facts.add("created", time_ago(*created, now));
  }
  out += facts.text(style, 2);
  for (const Json& notice : child(compute, "notices")) {
    out += style(Tone::kYellow, "note: " + one_line(value_text(notice))) + "\n";
  }
  if (!nodes.is_array() || nodes.empty()) return out;
  TextTable table(
      {{"NODE"}, {"STATE"}, {"PID", true}, {"RUN", false, true, true}, {"STARTED"}, {"SEEN"}});
  for (const Json& node : nodes) {
    const auto started = time_field(node, "started_at");
    const auto seen = time_field(node, "last_seen_at");
    const std::string state = text_field(node, "state");
    table.add({text_field(node, "id"),
               {state, status_tone(state)},
               text_field(node, "pid"),
               text_field(node, "run"),
               started ? time_ago(*started, now) : "",
               seen ? time_ago(*seen, now) : ""});
  }
  return out + "\n" + table.text(style, width);
}

}  // namespace roost

#include <memory>

#include <fmt/format.h>

#include "cli/show/compute_text.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "net/router.h"

namespace roost {
namespace {

struct ComputeOptions {
  std::string name;
  std::string vm_size;
  std::string vm_priority;
  std::optional<std::int64_t> min_nodes;
  std::optional<std::int64_t> max_nodes;
  std::string idle;
  std::optional<std::int64_t> nodes_per_user;
  std::optional<std::int64_t> runs_per_user;
  std::string node;
  bool drain = false;
  std::string engine;
  std::map<std::string, std::string> slurm;
  std::optional<std::int64_t> cpus;
  bool quiet = false;
};

std::string compute_path(const Console& console, const std::string& name) {
  return console.in_workspace("/computes/" + percent_encode(name));
}

Result<Json> body_of(const ComputeOptions& options) {
  Json body = Json::object();
  if (!options.vm_size.empty()) body["vm_size"] = options.vm_size;
  if (!options.vm_priority.empty()) body["vm_priority"] = options.vm_priority;
  if (options.min_nodes) body["min_nodes"] = *options.min_nodes;
  if (options.max_nodes) body["max_nodes"] = *options.max_nodes;
  if (options.nodes_per_user) body["max_nodes_per_user"] = *options.nodes_per_user;
  if (options.runs_per_user) body["max_runs_per_user"] = *options.runs_per_user;
  if (!options.idle.empty()) {
    ROOST_TRY(const std::int64_t seconds, parse_duration(options.idle, "--idle-seconds"));
    body["idle_seconds_before_scaledown"] = seconds;
  }
  return body;
}

int print_compute(Console& console, const Json& compute, const Json& nodes) {
  if (!console.json()) {
    return Console::print(
        compute_page(compute, nodes, now_micros(), console.out(), terminal_width(1)));
  }
  Json document = compute;
  if (!nodes.is_null()) document["nodes"] = nodes;
  return console.print_json(document);
}

Result<int> create(Console& console, const ComputeOptions& options) {
  ROOST_TRY(Json body, body_of(options));
  body["name"] = options.name;
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json compute, client->post(console.in_workspace("/computes"), body));
  return print_compute(console, compute, nullptr);
}

// Only Slurm can be attached so far; the word is there because users of other engines will come.
Result<int> attach(Console& console, const ComputeOptions& options) {
  if (options.engine != "slurm") {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" cannot be attached; only slurm can", options.engine));
  }
  ROOST_TRY(Json body, body_of(options));
  body["name"] = options.name;
  body["slurm"] = options.slurm;
  if (options.cpus) body["slurm"]["cpus"] = *options.cpus;
  std::erase_if(body["slurm"].get_ref<Json::object_t&>(), [](const auto& item) { return item.second == ""; });
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json compute, client->post(console.in_workspace("/computes"), body));
  return print_compute(console, compute, nullptr);
}

Result<int> list(Console& console, const ComputeOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json computes, all_items(*client, console.in_workspace("/computes")));
  if (console.json()) return console.print_json(computes);
  const Json& items = child(computes, "items");
  if (options.quiet) {
    for (const Json& compute : items) Console::print(text_field(compute, "name") + "\n");
    return 0;
  }
  return Console::print(compute_table(items).text(console.out(), terminal_width(1)));
}

Result<int> show(Console& console, const ComputeOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json compute, client->get(compute_path(console, options.name)));
  ROOST_TRY(const Json nodes, all_items(*client, compute_path(console, options.name) + "/nodes"));
  return print_compute(console, compute, child(nodes, "items"));
}

Result<int> update(Console& console, const ComputeOptions& options) {
  ROOST_TRY(const Json body, body_of(options));
  if (body.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "nothing to change: give --min-nodes, --max-nodes, --idle-seconds, --max-nodes-per-user or "
                "--max-runs-per-user");
  }
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json compute, client->call("PATCH", compute_path(console, options.name), &body));
  return print_compute(console, compute, nullptr);
}

Result<int> remove(Console& console, const ComputeOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer,
            client->call("DELETE", compute_path(console, options.name) + (options.drain ? "?drain=true" : ""),
                         nullptr));
  if (console.json()) return console.print_json(answer);
  if (options.drain) {
    return Console::print(fmt::format("{} takes no new runs, and goes after the last of those it has\n", options.name));
  }
  return Console::print(fmt::format("removed {}\n", options.name));
}

Result<int> preempt(Console& console, const ComputeOptions& options) {
  Json body = Json::object();
  if (!options.node.empty()) body["node"] = options.node;
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer, client->post(compute_path(console, options.name) + "/preempt", body));
  if (console.json()) return console.print_json(answer);
  for (const Json& node : child(answer, "nodes")) Console::print(fmt::format("took {}\n", value_text(node)));
  for (const Json& run : child(answer, "runs")) {
    Console::print(fmt::format("{} is being stopped and will wait for nodes again\n", value_text(run)));
  }
  if (child(answer, "nodes").empty()) return Console::print(fmt::format("{} has no node to take\n", options.name));
  return 0;
}

Verb& scale_options(Verb& verb, ComputeOptions& options) {
  return verb
      .option("--min-nodes", options.min_nodes, "N", "nodes kept when there is nothing to do")
      .option("--max-nodes", options.max_nodes, "N", "most nodes at a time")
      .option("--idle-seconds", options.idle, "TIME",
              "how long a node idles before it is ended: 120, 10m")
      .option("--max-nodes-per-user", options.nodes_per_user, "N", "most nodes of one user at a time; 0: no limit")
      .option("--max-runs-per-user", options.runs_per_user, "N", "most runs of one user at a time; 0: no limit");
}

}  // namespace

void register_compute(Verb& root, Console& console) {
  auto options = std::make_shared<ComputeOptions>();
  const auto act = [&console, options](Result<int> (*what)(Console&, const ComputeOptions&)) {
    return [&console, options, what] { return what(console, *options); };
  };
  Verb& verb = root.verb("compute", "Make and look after elastic clusters").group(kComputeGroup);
  scale_options(verb.verb("create", "Make a cluster; its nodes start when runs need them")
                    .argument("NAME", options->name, "2 to 16 letters, digits and dashes")
                    .option("--vm-size", options->vm_size, "SIZE",
                            "CPUs, memory and GPUs of a node, by Azure's names"),
                *options)
      .option("--vm-priority", options->vm_priority, "KIND", "dedicated (default) or lowpriority")
      .example("roost compute create gpu-cluster --vm-size STANDARD_NC6 --max-nodes 4")
      .action(act(create));
  verb.verb("attach", "Use an existing cluster: every run gets a job there")
      .argument("ENGINE", options->engine, "slurm")
      .argument("NAME", options->name, "2 to 16 letters, digits and dashes")
      .option("--partition", options->slurm["partition"], "NAME", "as of sbatch")
      .option("--account", options->slurm["account"], "NAME", "as of sbatch")
      .option("--qos", options->slurm["qos"], "NAME", "as of sbatch")
      .option("--gres", options->slurm["gres"], "LIST", "of each node: gpu:4")
      .option("--constraint", options->slurm["constraint"], "LIST", "as of sbatch")
      .option("--reservation", options->slurm["reservation"], "NAME", "as of sbatch")
      .option("--cpus", options->cpus, "N", "of each node; with neither this nor --gres it is not shared")
      .option("--memory", options->slurm["memory"], "SIZE", "of each node: 64G")
      .option("--max-nodes", options->max_nodes, "N", "most nodes that Roost asks for at a time")
      .example("roost compute attach slurm a100 --partition gpu --gres gpu:4 --account lab7")
      .action(act(attach));
  verb.verb("ls", "List clusters and what their nodes do")
      .flag("-q,--quiet", options->quiet, "print names only")
      .action(act(list));
  verb.verb("show", "Show a cluster and its nodes")
      .argument("NAME", options->name, "the cluster")
      .action(act(show));
  scale_options(verb.verb("update", "Change how far a cluster scales")
                    .argument("NAME", options->name, "the cluster"),
                *options)
      .example("roost compute update gpu-cluster --max-nodes 8")
      .action(act(update));
  verb.verb("preempt", "Take nodes away from a low-priority cluster; their runs wait and go on")
      .argument("NAME", options->name, "the cluster")
      .option("--node", options->node, "ID", "only this node; all unless told")
      .example("roost compute preempt spot --node spot-0-1a2b3c")
      .action(act(preempt));
  verb.verb("rm", "Remove a cluster; refused while runs use it")
      .argument("NAME", options->name, "the cluster")
      .flag("--drain", options->drain, "take no new runs, and remove it after the last it has")
      .action(act(remove));
}

}  // namespace roost

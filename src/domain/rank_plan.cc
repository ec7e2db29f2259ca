#include "domain/rank_plan.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/log_names.h"

namespace roost {
namespace {

constexpr std::int64_t kMostProcesses = 100'000;
constexpr std::string_view kLogStem = "azureml-logs/70_driver_log";
constexpr std::string_view kNewLogStem = "user_logs/std_log";

constexpr std::pair<Gang::Kind, std::string_view> kKinds[] = {{Gang::Kind::kSingle, "single"},
                                                              {Gang::Kind::kPyTorch, "pytorch"},
                                                              {Gang::Kind::kMpi, "mpi"},
                                                              {Gang::Kind::kTensorFlow, "tensorflow"}};

Status check_size(std::int64_t nodes, std::int64_t processes) {
  if (nodes >= 1 && processes <= kMostProcesses) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("the run asks for {} nodes and {} processes; at least 1 and at "
                                                       "most {} are started",
                                                       nodes, processes, kMostProcesses));
}

// "4 processes cannot be shared out evenly over 3 nodes; ask for 3 or 6"
Error uneven(std::string_view field, std::int64_t processes, std::int64_t nodes) {
  const std::int64_t below = processes / nodes * nodes;
  const std::string ask = below > 0 ? fmt::format("{} or {}", below, below + nodes) : std::to_string(nodes);
  return {ErrorCode::kInvalidArgument,
          fmt::format("{} counts the processes of all nodes together: {} cannot be shared out evenly over {} nodes; "
                      "ask for {}",
                      field, processes, nodes, ask)};
}

bool on_one_machine(const std::vector<NodeFacts>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const NodeFacts& node) {
    return !node.machine.empty() && node.machine == nodes.front().machine && node.shared == nodes.front().shared;
  });
}

std::string endpoint(const NodeFacts& node, std::size_t port) {
  return fmt::format("{}:{}", node.address, port < node.ports.size() ? node.ports[port] : 0);
}

std::string tf_config(const Gang& gang, const std::vector<NodeFacts>& nodes, int rank) {
  Json cluster = Json::object();
  for (int i = 0; i < gang.processes(); ++i) {
    const auto& node = nodes[static_cast<std::size_t>(i / gang.per_node)];
    cluster[i < gang.workers ? "worker" : "ps"].push_back(
        endpoint(node, static_cast<std::size_t>(1 + i % gang.per_node)));
  }
  const bool works = rank < gang.workers;
  return to_text({{"cluster", cluster},
                  {"task", {{"type", works ? "worker" : "ps"}, {"index", works ? rank : rank - gang.workers}}},
                  {"environment", "cloud"}});
}

}  // namespace

Result<Gang> gang_of(const Json& distributed, std::int64_t node_count) {
  Gang gang;
  if (distributed.is_null()) {
    ROOST_CHECK(check_size(node_count, node_count));
    gang.nodes = static_cast<int>(node_count);
    if (node_count > 1) {
      gang.kind = Gang::Kind::kPyTorch;  // one process per node, which may find the others
      gang.counted = false;
    }
    return gang;
  }
  JsonFields fields(distributed, "\"distributed\"");
  const std::string kind = fields.required_string("kind");
  const auto nodes = fields.integer("node_count", node_count, 1, kMostProcesses);
  const auto total = fields.integer("process_count", 0, 0, kMostProcesses);
  const auto per_node = fields.integer("process_count_per_node", 1, 1, kMostProcesses);
  const auto workers = fields.integer("worker_count", 1, 1, kMostProcesses);
  const auto servers = fields.integer("parameter_server_count", 0, 0, kMostProcesses);
  gang.backend = fields.string("communication_backend");
  ROOST_CHECK(fields.done());
  const auto known = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const auto& entry) { return entry.second == kind; });
  if (known == std::end(kKinds) || known->first == Gang::Kind::kSingle) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"kind\" in \"distributed\" is \"{}\"; it must be mpi, pytorch or tensorflow",
                            printable(kind)));
  }
  if (node_count != 1 && fields.has("node_count") && nodes != node_count) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"node_count\" is {} for the run and {} in \"distributed\"; leave one of them out",
                            node_count, nodes));
  }
  gang.kind = known->first;
  gang.nodes = static_cast<int>(nodes);
  std::int64_t processes = nodes;
  if (gang.kind == Gang::Kind::kMpi) processes = nodes * per_node;
  if (gang.kind == Gang::Kind::kPyTorch && total > 0) processes = total;
  gang.counted = gang.kind != Gang::Kind::kPyTorch || total > 0;
  if (gang.kind == Gang::Kind::kTensorFlow) {
    processes = workers + servers;
    gang.workers = static_cast<int>(workers);
  }
  ROOST_CHECK(check_size(nodes, processes));
  if (processes % nodes != 0) {
    return fail(uneven(gang.kind == Gang::Kind::kPyTorch ? "\"process_count\"" : "workers and parameter servers",
                       processes, nodes));
  }
  gang.per_node = static_cast<int>(processes / nodes);
  return gang;
}

Gang gang_of_spec(const Json& spec) {
  return gang_of(member(spec, "distributed"), integer_at(spec, "node_count", 1)).value_or(Gang{});
}

Json gang_json(const Gang& gang) {
  std::string_view kind;
  for (const auto& [known, name] : kKinds) {
    if (known == gang.kind) kind = name;
  }
  return {{"kind", kind}, {"nodes", gang.nodes}, {"per_node", gang.per_node}, {"workers", gang.workers},
          {"backend", gang.backend}, {"counted", gang.counted}};
}

Result<Gang> parse_gang(const Json& json) {
  JsonFields fields(json, "the gang");
  Gang gang;
  const std::string kind = fields.required_string("kind");
  gang.nodes = static_cast<int>(fields.integer("nodes", 1, 1, kMostProcesses));
  gang.per_node = static_cast<int>(fields.integer("per_node", 1, 1, kMostProcesses));
  gang.workers = static_cast<int>(fields.integer("workers", 0, 0, kMostProcesses));
  gang.backend = fields.string("backend");
  gang.counted = fields.boolean("counted", true);
  ROOST_CHECK(fields.done());
  for (const auto& [known, name] : kKinds) {
    if (name == kind) gang.kind = known;
  }
  return gang;
}

Json node_facts_json(const NodeFacts& facts) {
  return {{"name", facts.name}, {"address", facts.address}, {"network", facts.network}, {"ports", facts.ports}, {"machine", facts.machine},
          {"shared", facts.shared}};
}

Result<NodeFacts> parse_node_facts(const Json& json) {
  JsonFields fields(json, "a node's facts");
  NodeFacts facts;
  facts.name = fields.required_string("name");
  facts.address = fields.required_string("address");
  facts.network = fields.string("network");
  const Json ports = fields.array("ports");
  facts.machine = fields.string("machine");
  facts.shared = fields.string("shared");
  ROOST_CHECK(fields.done());
  for (const auto& port : ports) {
    if (!port.is_number_integer() || port < 1 || port > 65535) {
      return fail(ErrorCode::kInvalidArgument, "\"ports\" in a node's facts must be numbers from 1 to 65535");
    }
    facts.ports.push_back(port.get<int>());
  }
  return facts;
}

int ports_needed(const Gang& gang) {
  return gang.kind == Gang::Kind::kTensorFlow ? 1 + gang.per_node : 1;
}

std::string init_method(const std::vector<NodeFacts>& nodes, const std::string& run) {
  const NodeFacts& master = nodes.front();
  if (on_one_machine(nodes) && !master.shared.empty()) return fmt::format("file://{}/{}/init", master.shared, run);
  return "tcp://" + endpoint(master, 0);
}

std::vector<RankProcess> plan_ranks(const Gang& gang, const std::vector<NodeFacts>& nodes, int node_rank,
                                    const std::string& run) {
  std::vector<RankProcess> plan;
  if (gang.is_single()) return {RankProcess{}};
  const NodeFacts& master = nodes.front();
  const std::string port = std::to_string(master.ports.empty() ? 0 : master.ports.front());
  for (int local = 0; local < gang.per_node; ++local) {
    RankProcess process;
    process.rank = node_rank * gang.per_node + local;
    process.local_rank = local;
    auto& variables = process.variables;
    variables["MASTER_ADDR"] = master.address;
    variables["MASTER_PORT"] = port;
    variables["NODE_RANK"] = std::to_string(node_rank);
    variables["AZ_BATCH_MASTER_NODE"] = master.address + ":" + port;
    variables["AZUREML_NODE_COUNT"] = std::to_string(gang.nodes);
    variables["AZ_BATCHAI_TASK_INDEX"] = std::to_string(process.rank);
    if (gang.kind == Gang::Kind::kMpi) {
      variables["AZ_BATCHAI_MPI_MASTER_NODE"] = master.address;
      // Open MPI sets these too; scripts read them under every MPI.
      variables["OMPI_COMM_WORLD_RANK"] = std::to_string(process.rank);
      variables["OMPI_COMM_WORLD_SIZE"] = std::to_string(gang.processes());
      variables["OMPI_COMM_WORLD_LOCAL_RANK"] = std::to_string(local);
      variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = std::to_string(gang.per_node);
    } else {
      variables["RANK"] = std::to_string(process.rank);
      variables["WORLD_SIZE"] = std::to_string(gang.processes());
      // Lightning and others take these to mean that each process was started for them, and start none.
      if (gang.counted) {
        variables["LOCAL_RANK"] = std::to_string(local);
        variables["LOCAL_WORLD_SIZE"] = std::to_string(gang.per_node);
      }
      variables["GROUP_RANK"] = std::to_string(node_rank);
    }
    if (gang.kind == Gang::Kind::kPyTorch) variables["AZ_BATCHAI_PYTORCH_INIT_METHOD"] = init_method(nodes, run);
    if (gang.kind == Gang::Kind::kTensorFlow) variables["TF_CONFIG"] = tf_config(gang, nodes, process.rank);
    plan.push_back(std::move(process));
  }
  return plan;
}

std::string rank_log(const Gang& gang, int rank) {
  if (gang.processes() == 1) return fmt::format("{}.txt", kLogStem);
  return fmt::format("{}_{}.txt", kLogStem, rank);
}

std::string launcher_log(int node_rank) {
  return node_rank == 0 ? "azureml-logs/60_mpi_log.txt" : fmt::format("azureml-logs/60_mpi_log_node_{}.txt", node_rank);
}

int rank_of_log(std::string_view name) {
  std::string_view rest = name;
  if (rest.starts_with(kLogStem)) {
    rest.remove_prefix(kLogStem.size());
  } else if (rest.starts_with(kNewLogStem)) {
    rest.remove_prefix(kNewLogStem.size());
    if (rest.starts_with("_process")) rest.remove_prefix(8);
  } else {
    return -1;
  }
  if (!rest.ends_with(".txt")) return -1;
  rest.remove_suffix(4);
  if (rest.empty()) return 0;
  if (!rest.starts_with('_')) return -1;
  rest.remove_prefix(1);
  int rank = -1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
  return error == std::errc() && end == rest.data() + rest.size() && rank >= 0 ? rank : -1;
}

std::string log_of_run(const Gang& gang, const std::string& told) {
  const std::string name = stored_log_name(told);
  const int rank = rank_of_log(name);
  return rank < 0 || rank >= gang.processes() ? name : rank_log(gang, rank);
}

std::string gpus_of_rank(const std::string& node_gpus, int local_rank, int per_node) {
  const std::vector<std::string> all = node_gpus.empty() ? std::vector<std::string>() : split(node_gpus, ',');
  const auto share = static_cast<int>(all.size()) / std::max(per_node, 1);
  if (share == 0) return all.empty() ? std::string() : all[static_cast<std::size_t>(local_rank) % all.size()];
  std::string list;
  for (int i = local_rank * share; i < (local_rank + 1) * share; ++i) {
    if (!list.empty()) list += ',';
    list += all[static_cast<std::size_t>(i)];
  }
  return list;
}

}  // namespace roost

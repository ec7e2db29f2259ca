#include "mpi/mpirun_line.h"

#include <algorithm>

namespace roost::mpi {
namespace {

std::string joined(const std::vector<std::string>& items, const std::string& after_each) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ",") + item + after_each;
  return text;
}

bool on_loopback(const Plan& plan) {
  return std::all_of(plan.networks.begin(), plan.networks.end(),
                     [](const std::string& network) { return network.starts_with("127."); });
}

// Every node finds its own interface among them, whatever that is called there.
std::string networks(const Plan& plan) {
  std::vector<std::string> unique;
  for (const auto& network : plan.networks) {
    if (std::find(unique.begin(), unique.end(), network) == unique.end()) unique.push_back(network);
  }
  return joined(unique, "");
}

std::string hosts_with_slots(const Plan& plan) { return joined(plan.hosts, ":" + std::to_string(plan.per_node)); }

std::string processes(const Plan& plan) {
  return std::to_string(plan.per_node * static_cast<int>(plan.hosts.size()));
}

// What Open MPI chooses anyway where there is only TCP, after a quarter of a second in which each rank looks for other
// networks.
void choose_tcp(const Plan& plan, std::vector<std::string>& words) {
  if (plan.only_tcp) words.insert(words.end(), {"--mca", "pml", "ob1"});
}

std::vector<std::string> open_mpi_4(const Plan& plan, const std::string& agent) {
  std::vector<std::string> words = {"--allow-run-as-root",
                                    // The daemons stay in the foreground, under their runners.
                                    "--leave-session-attached",
                                    "--mca", "plm", "rsh",
                                    "--mca", "plm_rsh_agent", agent,
                                    // All daemons are asked for from here, none by another daemon.
                                    "--mca", "plm_rsh_no_tree_spawn", "1",
                                    "--mca", "orte_keep_fqdn_hostnames", "1",
                                    // Nodes of one machine are several all the same.
                                    "--mca", "if_base_do_not_resolve", "1",
                                    "--host", hosts_with_slots(plan),
                                    "-np", processes(plan),
                                    "--map-by", "slot", "--bind-to", "none", "--oversubscribe"};
  choose_tcp(plan, words);
  // On hosts of their own a rank that offered its loopback address would meet another's neighbour there.
  if (on_loopback(plan)) words.insert(words.end(), {"--mca", "if_base_retain_loopback", "1"});
  for (const char* layer : {"oob_tcp_if_include", "btl_tcp_if_include"}) {
    words.insert(words.end(), {"--mca", layer, networks(plan)});
  }
  return words;
}

std::vector<std::string> open_mpi_5(const Plan& plan, const std::string& agent) {
  std::vector<std::string> words = {"--allow-run-as-root",
                                    "--leave-session-attached",
                                    "--prtemca", "plm", "ssh",
                                    "--prtemca", "plm_ssh_agent", agent,
                                    "--prtemca", "plm_ssh_no_tree_spawn", "1",
                                    "--prtemca", "prte_keep_fqdn_hostnames", "1",
                                    "--prtemca", "prte_do_not_resolve", "1",
                                    "--host", hosts_with_slots(plan),
                                    "-np", processes(plan),
                                    "--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "none"};
  choose_tcp(plan, words);
  // Its daemons never use the loopback interface: on one machine they find another by themselves.
  if (plan.networks.empty() || on_loopback(plan)) return words;
  words.insert(words.end(), {"--prtemca", "prte_if_include", networks(plan)});
  words.insert(words.end(), {"--mca", "btl_tcp_if_include", networks(plan)});
  return words;
}

std::vector<std::string> hydra(const Plan& plan, const std::string& agent, const std::string& launcher) {
  return {"-" + launcher, "rsh",
          "-" + launcher + "-exec", agent,
          "-hosts", joined(plan.hosts, ""),
          "-ppn", std::to_string(plan.per_node),
          "-n", processes(plan)};
}

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

}  // namespace

Flavour flavour_of(std::string_view version) {
  if (has(version, "Intel(R) MPI")) return Flavour::kIntel;
  if (has(version, "HYDRA")) return Flavour::kMpich;
  if (has(version, "OpenRTE") || has(version, "Open MPI) 4") || has(version, "Open MPI) 3")) return Flavour::kOpenMpi4;
  if (has(version, "Open MPI") || has(version, "PRRTE")) return Flavour::kOpenMpi5;
  return Flavour::kUnknown;
}

Flavour flavour_of_file(std::string_view path) {
  return path.substr(path.rfind('/') + 1) == "orterun" ? Flavour::kOpenMpi4 : Flavour::kUnknown;
}

Line mpirun_line(Flavour flavour, const std::string& mpirun, const Plan& plan, const std::string& agent,
                 const std::vector<std::string>& rank) {
  Line line;
  switch (flavour) {
    case Flavour::kOpenMpi4:
      line.words = open_mpi_4(plan, agent);
      break;
    case Flavour::kOpenMpi5:
      line.words = open_mpi_5(plan, agent);
      break;
    case Flavour::kMpich:
    case Flavour::kUnknown:
      line.words = hydra(plan, agent, "launcher");
      // Names that mean this machine would not be started by the agent, although they are other nodes.
      line.variables = {{"HYDRA_LAUNCHER_AUTOFORK", "0"}};
      break;
    case Flavour::kIntel:
      line.words = hydra(plan, agent, "bootstrap");
      line.variables = {{"I_MPI_HYDRA_BOOTSTRAP_AUTOFORK", "0"}};
      break;
  }
  line.words.insert(line.words.begin(), mpirun);
  line.words.insert(line.words.end(), rank.begin(), rank.end());
  return line;
}

}  // namespace roost::mpi

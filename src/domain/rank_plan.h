#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// How many processes a run has, where, and by which contract they find one another.
struct Gang {
  enum class Kind { kSingle, kPyTorch, kMpi, kTensorFlow };
  Kind kind = Kind::kSingle;
  int nodes = 1;
  int per_node = 1;  // processes on each node
  bool counted = true;  // false: nobody said how many; the one on each node may be a launcher of more
  int workers = 0;   // TensorFlow: the processes after these are parameter servers
  std::string backend;

  int processes() const { return nodes * per_node; }
  bool is_single() const { return kind == Kind::kSingle; }
};

// From "distributed" of a run (or null) and its node count. Refuses what cannot be shared out evenly.
Result<Gang> gang_of(const Json& distributed, std::int64_t node_count);
// The same from a run's stored specification, which has been checked.
Gang gang_of_spec(const Json& spec);
Json gang_json(const Gang& gang);
Result<Gang> parse_gang(const Json& json);

// What a node says of itself before the processes start.
struct NodeFacts {
  std::string name;
  std::string address;
  std::string network;     // that address's, as "10.0.0.0/24"
  std::vector<int> ports;  // free ones; the first is for the rendezvous, the rest one per process
  std::string machine;     // equal on two nodes if they share a kernel
  std::string shared;      // a folder that the nodes of this machine share
};
Json node_facts_json(const NodeFacts& facts);
Result<NodeFacts> parse_node_facts(const Json& json);

// How many free ports a node of the gang has to find.
int ports_needed(const Gang& gang);

struct RankProcess {
  int rank = 0;
  int local_rank = 0;
  std::map<std::string, std::string> variables;
};

// The processes of one node: a pure function, the same on every node that is given the same facts.
// `nodes` has the facts of every node by node rank. `run` names the folder of the rendezvous file.
std::vector<RankProcess> plan_ranks(const Gang& gang, const std::vector<NodeFacts>& nodes, int node_rank,
                                    const std::string& run);

// Where all ranks of the older PyTorch contract meet: a file if the nodes share a folder, else TCP.
std::string init_method(const std::vector<NodeFacts>& nodes, const std::string& run);

// The log of a rank: "azureml-logs/70_driver_log.txt" of a single process, else "..._<rank>.txt".
std::string rank_log(const Gang& gang, int rank);
// The log of what starts the ranks of an MPI run: mpirun on the first node, its daemons on the others.
std::string launcher_log(int node_rank);
// The rank whose log that is, by either of its two names; -1 if it is none.
int rank_of_log(std::string_view name);

// The stream that `name` means in such a run: any rank's log goes by both runtimes' names, and without a
// rank it is the first one's. Other names stay.
std::string log_of_run(const Gang& gang, const std::string& name);

// CUDA_VISIBLE_DEVICES of one process that was asked to see only its own share of the node's GPUs.
std::string gpus_of_rank(const std::string& node_gpus, int local_rank, int per_node);

}  // namespace roost

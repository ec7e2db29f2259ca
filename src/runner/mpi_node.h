#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/rank_plan.h"
#include "runner/launch.h"

namespace roost {

// One node's share of an MPI run: speaks with roost-mpi (src/mpi), which stands on both sides of mpirun, through
// files in a folder of the attempt. What is in that folder may have been written by the run itself: it is read
// with care. Used by one thread.
class MpiNode {
 public:
  // `helper` is the program roost-mpi.
  MpiNode(std::filesystem::path folder, std::filesystem::path helper)
      : folder_(std::move(folder)), helper_(std::move(helper)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path rank_log(int rank) const { return rank_file(rank, "log"); }
  std::filesystem::path launcher_log() const { return folder_ / "mpirun.log"; }

  // Writes down what each rank of this node will be, for roost-mpi to start.
  Status write_rank(int rank, const LaunchProcess& process, const std::filesystem::path& code) const;

  // What to launch on the first node: mpirun. `variables` are those of the node, without a rank's.
  LaunchProcess launcher(const Gang& gang, const std::vector<NodeFacts>& nodes,
                         const std::map<std::string, std::string>& variables) const;
  // What to launch on another: the daemon that mpirun will ask for, by a command that is yet to be added.
  LaunchProcess daemon(const std::map<std::string, std::string>& variables) const;

  // A command that mpirun wants to have started on another node.
  struct Ask {
    std::string node;
    std::string command;
  };
  // Those that were not taken yet.
  std::vector<Ask> take_asks(const std::vector<NodeFacts>& nodes);
  // Tells mpirun that the command there ended.
  Status answer(const std::string& node, int exit_code) const;

  bool has_started(int rank) const;
  std::optional<ProcessEnd> end_of(int rank) const;
  // Why mpirun was not even started, or what it did wrong; "" if all is well.
  std::string failure() const;
  // The last lines of what mpirun or the daemon said, without what Roost itself wrote there.
  std::string last_words() const;

 private:
  std::filesystem::path rank_file(int rank, const char* what) const;
  LaunchProcess process(std::vector<std::string> program, const std::map<std::string, std::string>& variables) const;

  std::filesystem::path folder_;
  std::filesystem::path helper_;
  std::map<std::string, bool> asked_;
};

// Where two nodes are one machine, MPICH's UCX would take them for one: it has to use the network.
void add_mpi_variables(const std::vector<NodeFacts>& nodes, std::map<std::string, std::string>& set);

// "exit 3 1763240000000000", "signal 15 ..." or "launch 2 ...": as roost-mpi and the supervisor write it.
std::optional<ProcessEnd> parse_process_end(const std::string& text);

}  // namespace roost

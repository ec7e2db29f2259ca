#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roost::mpi {

// The kinds of mpirun that spell their options differently. MPICH's and Intel's are both called hydra.
enum class Flavour { kOpenMpi4, kOpenMpi5, kMpich, kIntel, kUnknown };

// By what `mpirun --version` prints.
Flavour flavour_of(std::string_view version);
// By the file that mpirun's name leads to; kUnknown if that tells nothing.
Flavour flavour_of_file(std::string_view path);

struct Plan {
  std::vector<std::string> hosts;      // names of the nodes, by node rank; the first is this one
  std::vector<std::string> networks;   // theirs, as "10.0.0.0/24"
  int per_node = 1;
  bool only_tcp = false;  // there is no other network to be used
};

struct Line {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> variables;  // to be set for it
};

// What starts `rank` as often as planned on every node, ranks in the order of the nodes, with `agent`
// (called as AGENT HOST COMMAND...) in place of ssh. Nothing of the machine's own resource manager is used.
Line mpirun_line(Flavour flavour, const std::string& mpirun, const Plan& plan, const std::string& agent,
                 const std::vector<std::string>& rank);

}  // namespace roost::mpi

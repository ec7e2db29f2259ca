#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "domain/rank_plan.h"

namespace roost {

// Ports that are free now and that no other node on this machine will take while this lives, of whichever server it is.
// A script binds its port only once it has loaded its libraries, which may take minutes: so they are none that the
// kernel gives away by itself, and each is held by the name of an abstract socket, which is there as far as the port is.
class PortHold {
 public:
  // `preferred` and the next ones that are free.
  static Result<PortHold> take(int preferred, int count);
  const std::vector<int>& ports() const { return ports_; }

 private:
  std::vector<int> ports_;
  std::vector<Fd> names_;
};

// The port that Azure ML gives to the rendezvous.
inline constexpr int kMasterPort = 6105;

// Equal for two processes under the same kernel, whatever their namespaces.
std::string machine_id();

// The network interface that has the address; "" if none has it.
std::string interface_of(const std::string& address);

// The network of that interface, as "10.0.0.0/24"; the address alone if none has it.
std::string network_of(const std::string& address);

// What keeps gloo, NCCL and others on the network between the nodes. The operator's own settings, which
// are in `set` already, stay.
void add_network_variables(const std::string& address, std::map<std::string, std::string>& set);

// An /etc/hosts by which every node of a gang finds the others by name, and all else that is in the present one.
std::string hosts_file(const std::vector<NodeFacts>& nodes, std::string_view present);

}  // namespace roost

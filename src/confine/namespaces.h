#pragma once

namespace roost {

// Who a process is in a user namespace of its own: who it was.
struct IdMaps {
  IdMaps();
  char user[64];
  char group[64];
};

// Called in a process that was cloned into new pid and mount namespaces: keeps its mounts to itself and
// gives it the /proc of its own processes. `maps` if the user namespace is new as well. Neither allocates
// nor locks. False with errno set if that is not allowed.
bool settle_in_namespaces(const IdMaps* maps);

}  // namespace roost

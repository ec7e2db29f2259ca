#pragma once

#include <functional>
#include <set>
#include <string>

#include "base/json.h"
#include "execute/execute_parts.h"

namespace roost {

// What a node says of itself every few seconds.
struct Heartbeat {
  std::string run;  // "" if it has none
  std::int64_t attempt = 0;
  Json usage = Json::object();  // of the machine
  double idle_seconds = 0;      // its processes have done nothing for so long
  bool names_parts = false;     // an older runner does not say what it has
  std::set<PartName> parts;
};
Result<Heartbeat> parse_heartbeat(const Json& body);

// Keeps a sample of a node's use, for observe/; inside a transaction.
using KeepSample =
    std::function<Status(Tx& tx, std::int64_t run, const std::string& node, Micros now, const Json& usage)>;

// The node was heard of: a run that was NotResponding is what it was before once all its nodes were; one whose ranks all
// stand still is said to hang. True if the node is to end what it does for the run: it was given up.
Result<bool> take_heartbeat(const ExecuteParts& execute, const std::string& node, Heartbeat heartbeat,
                            const KeepSample& keep_sample);

}  // namespace roost

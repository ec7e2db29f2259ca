#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ages.h"
#include "domain/compute.h"
#include "execute/execute_parts.h"

namespace roost {

// Notices what nobody reports: nodes that fall silent or die, runs that take too long, work that nobody has. Each
// watch() decides by the records and by what was heard, so it carries on after a restart; how long something has been
// so is counted in ServingTime. For one thread, which calls each of them a few times a second.
class RunWatch {
 public:
  // The parts must outlive this.
  explicit RunWatch(const ExecuteParts& execute) : execute_(execute), ages_(execute.serving) {}

  // Silent and lost nodes, and those that do not leave.
  void watch_nodes();
  // Time limits.
  void watch_deadlines();
  // A node that does not end its share of a run that failed, and does not answer either, is lost: the
  // others must not wait for it.
  void watch_stopping();
  // A node that answers but does not have what it was given: the order never came, or what came of it was never
  // heard. Nobody will ever report it.
  void watch_parts();
  // However a canceled run hangs, it ends: what its nodes have not reported by now is given up.
  void watch_canceled();
  // What of the machine lost nodes had: free once nothing can use it any more.
  void watch_leases();
  // After a round of all of them.
  void end_round() { ages_.sweep(); }

 private:
  void watch_node(const Node& node);
  void mark_silent_runs(const Node& node);
  void note_eviction(const Node& node);
  void end_late_run(std::int64_t run);
  void lose(const Node& node, const std::string& reason);

  const ExecuteParts& execute_;
  Ages ages_;
  // When runs with a time limit are due, by row, with the deadline that was stored.
  struct Due {
    Micros deadline = 0;
    Micros at = 0;
  };
  std::map<std::int64_t, Due> due_;
  bool has_seen_deadlines_ = false;
};

}  // namespace roost

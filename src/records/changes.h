#pragma once

#include <string>

#include "db/database.h"
#include "domain/run.h"
#include "records/attempt_records.h"
#include "records/change_hub.h"
#include "records/run_changes.h"

namespace roost {

// Who is told of what: whoever changed a record says so here, after the transaction, and those who follow it look at the
// records again. Thread-safe.
class Changes {
 public:
  void run_changed(const std::string& run) {
    runs_.add(run);
    hub_.publish("run/" + run);
    hub_.publish("runs");
  }
  void node_changed(const std::string& node) { hub_.publish("node/" + node); }
  void endpoint_changed(const std::string& name) {
    hub_.publish("endpoint/" + name);
    hub_.publish("endpoints");
  }
  // Something changed that every node of the run's newest attempt has to hear of.
  void nodes_changed(Database& db, const Run& run) {
    std::vector<std::string> nodes;
    (void)db.read([&](Tx& tx) -> Status {
      ROOST_TRY(nodes, nodes_of_run(tx, run.seq, run.attempt));
      return {};
    });
    for (const auto& node : nodes) node_changed(node);
  }

  // "run/<id>", "node/<id>", "stacks/<id>", "endpoint/<name>", and "runs" or "endpoints" for any.
  ChangeHub& hub() { return hub_; }
  // Which rows of the run table changed.
  const RunChanges& runs() const { return runs_; }

 private:
  ChangeHub hub_;
  RunChanges runs_;
};

}  // namespace roost

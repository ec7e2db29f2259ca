#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/database.h"
#include "domain/run.h"
#include "domain/run_spec.h"
#include "records/changes.h"
#include "sweeps/trial_series.h"

namespace roost {

// A child to be started: what it runs, and what goes into the transaction that makes its run.
struct ChildOrder {
  RunSpec spec;  // with id and parent
  std::string workspace;
  std::string user;
  std::function<Result<bool>(Tx&)> may_start;         // false: it is there already, or no longer wanted
  std::function<Status(Tx&, const Run&)> was_made;
};

// What sweeps use. Other rooms, which they must not know, are functions that server/rooms.cc fills in.
struct SweepParts {
  Database& db;
  Changes& changes;
  const Clock& clock;
  // The numbers of a metric of the run in that row and its attempt, from that one on; none if it has no such metric.
  std::function<Result<std::vector<LoggedValue>>(Tx&, std::int64_t run, std::int64_t attempt, const std::string& metric,
                                                 std::int64_t from)>
      read_values;
  std::function<Status(const ChildOrder&)> start_child;
  std::function<void(const std::string& run, const std::string& reason)> cancel_child;
  // Takes it off its nodes; what is in ./outputs is there when it is released and goes on.
  std::function<void(const std::string& run, const std::string& reason)> hold_child;
  std::function<void(const std::string& run, const std::string& reason)> release_child;
  std::function<Status(Tx&, Run&, RunStatus, const std::string& reason, Micros)> end_parent;
  std::function<void(const std::string& run, const std::string& text)> append_log;
};

}  // namespace roost

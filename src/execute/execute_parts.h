#pragma once

#include <functional>
#include <map>
#include <string>

#include "access/access.h"
#include "base/clock.h"
#include "base/sealing.h"
#include "base/serving_time.h"
#include "base/wake.h"
#include "db/database.h"
#include "domain/node_handles.h"
#include "execute/log_tails.h"
#include "execute/shell_sessions.h"
#include "execute/stack_requests.h"
#include "records/changes.h"
#include "records/node_watch.h"

namespace roost {

// What an operator can set of it; docs/operations.md explains each.
struct ExecuteSettings {
  double heartbeat_seconds = 2;
  double node_silent_seconds = 20;
  double node_lost_seconds = 60;
  int cancel_grace_seconds = 10;
  double process_silent_seconds = 60;  // of an interactive run
  double process_lost_seconds = 900;
  double hang_seconds = 600;
  std::string hidden;  // the data folder, which no run may see
  std::map<std::string, std::string> variables;  // every run has these, unless it sets them itself
};

// What looking after runs on nodes needs. Built by the object graph; everything in it is thread-safe and outlives it.
struct ExecuteParts {
  Database& db;
  const Access& access;  // makes the tokens of attempts
  const Sealer& sealer;  // opens the secrets of runs
  Changes& changes;
  NodeWatch& nodes;
  NodeHandles& handles;
  StackRequests& stacks;
  ShellSessions& shells;
  Wake& wake;
  const Clock& clock;
  const ServingTime& serving;
  ReadTail read_tail;  // from what observe/ keeps
  // The attempt is over: what finalize/ remembers of its outputs can go. Called inside a transaction.
  std::function<void(const std::string& run, std::int64_t attempt)> attempt_over;
  ExecuteSettings settings;
};

}  // namespace roost

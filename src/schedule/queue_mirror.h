#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "db/database.h"
#include "domain/queued_run.h"
#include "schedule/past_use.h"
#include "schedule/run_queue.h"

namespace roost {

// What the scheduler knows of all queues, kept in memory and brought up to date by the events that came
// since: a cycle costs what changed, not what waits. A new server reads it once. One thread.
class QueueMirror {
 public:
  // Reads what changed. After an error it is as it was before.
  Status refresh(Tx& tx, Micros now);
  // The run was given nodes; that is no event.
  void started(std::int64_t run);

  // Null if nobody waits.
  const RunQueue* queue(const std::string& workspace, const std::string& compute) const;
  const PastUse* past(const std::string& workspace, const std::string& compute) const;
  // Those that have nodes, since the last refresh().
  std::vector<RunningRun> running(const std::string& workspace, const std::string& compute) const;
  // What the last plan promised. Not in the database: after a restart the order is worked out anew.
  std::vector<std::int64_t>& promised(const std::string& workspace, const std::string& compute) {
    return promised_[{workspace, compute}];
  }

 private:
  using Key = std::pair<std::string, std::string>;  // workspace, compute
  Status read_all(Tx& tx, Micros now);
  void remove(std::int64_t run);

  bool has_read_ = false;
  std::int64_t event_ = 0;
  Micros used_until_ = 0;
  std::map<Key, RunQueue> queues_;
  std::map<Key, PastUse> past_;
  std::map<Key, std::vector<RunningRun>> running_;
  std::map<Key, std::vector<std::int64_t>> promised_;
  std::unordered_map<std::int64_t, Key> places_;
};

}  // namespace roost

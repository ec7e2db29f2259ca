#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "db/database.h"
#include "domain/output_sets.h"
#include "domain/run.h"

namespace roost {

// What a node says of its outputs while its attempt is under way.
struct KeepReport {
  int node_rank = 0;
  Micros ago = 0;      // when it looked
  bool ended = false;  // its processes have ended
  std::vector<FolderReport> folders;
};
Result<KeepReport> parse_keep_report(const Json& body);

// The outputs of all attempts under way that are no sets yet. Only in memory: a node names them again until it hears
// that they are. Thread-safe.
class KeptOutputs {
 public:
  // What makes a set now, of an attempt of so many nodes.
  std::vector<OutputSet> look(const std::string& run, std::int64_t attempt, int nodes, const KeepReport& report, Micros now);
  // Those folders of the report that are sets.
  std::vector<std::string> sets_of(const std::string& run, std::int64_t attempt, const KeepReport& report);
  // The attempt is over, or its sets could not be recorded.
  void forget(const std::string& run, std::int64_t attempt);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::int64_t>, OutputSets> attempts_;
};

// The set is what the next attempt will find. Its blobs must be stored and synced.
Status record_set(Tx& tx, const Run& run, const OutputSet& set, Micros now);

}  // namespace roost

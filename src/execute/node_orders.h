#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/json.h"
#include "execute/execute_parts.h"
#include "records/attempt_records.h"

namespace roost {

// A runner asks for its orders: the node is up, and idle if it was coming up. `pid` is the runner's, as it says.
Status node_came(const ExecuteParts& execute, const std::string& node, std::int64_t pid);

// What a node is to do, as it becomes due. Always worked out from the records, so that a runner that
// connects again is told everything that is still open; it knows by itself what it has already done.
// For one thread at a time.
class NodeOrders {
 public:
  // The parts must outlive this.
  NodeOrders(const ExecuteParts& execute, std::string node) : execute_(execute), node_(std::move(node)) {}

  enum class News { kNothing, kOrders, kGone };
  // Appends a line of JSON for each order that is due and was not told yet. kGone: the node is known no more.
  News next(std::string& lines);

 private:
  // What the node has not been told yet of its part of an attempt.
  Status add_orders(Tx& tx, const AttemptPart& part, Micros now, std::string& lines);
  void add(std::string& lines, const Json& line);

  const ExecuteParts& execute_;
  const std::string node_;
  struct Told {
    bool start = false;
    bool go = false;
    bool exec = false;
    std::set<std::string> ended;  // nodes whose command ended
    bool stop = false;
    bool cancel = false;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Told> told_;  // by run and attempt
  std::set<std::string> asked_;  // for stacks
  std::set<std::string> sessions_;
  bool left_ = false;            // told to leave
  Micros last_sent_ = 0;
};

}  // namespace roost

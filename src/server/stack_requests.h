#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// Somebody wants to know where the processes of a run are. The answer is of now: it is kept in memory
// only, until it was given. Thread-safe.
class StackRequests {
 public:
  // Asks the nodes; answers the request's id.
  std::string ask(const std::string& run, std::int64_t attempt, const std::vector<std::string>& nodes);

  struct Question {
    std::string id;
    std::string run;
    std::int64_t attempt = 0;
  };
  // What the node was asked and has not answered.
  std::vector<Question> asked_of(const std::string& node);
  void answer(const std::string& id, const std::string& node, Json processes);

  struct Answer {
    Json nodes = Json::object();          // by node: its processes
    std::vector<std::string> missing;     // nodes that did not answer in time
  };
  // Waits until every node has answered, or `seconds` have passed. The request is forgotten then.
  Answer wait(const std::string& id, double seconds);

 private:
  struct Request {
    std::string run;
    std::int64_t attempt = 0;
    std::set<std::string> open;
    Json nodes = Json::object();
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Request> requests_;
};

}  // namespace roost

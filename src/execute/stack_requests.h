#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

// Somebody wants to know where the processes of a run are. The answer is of now: it is kept in memory
// only, until it was given. Thread-safe; nothing here waits.
class StackRequests {
 public:
  explicit StackRequests(const Clock& clock) : clock_(clock) {}

  // Asks the nodes; answers the request's id. Who asks the same at the same time shares the answer. To be followed by
  // one leave().
  std::string ask(const std::string& run, std::int64_t attempt, const std::vector<std::string>& nodes);

  struct Question {
    std::string id;
    std::string run;
    std::int64_t attempt = 0;
  };
  // What the node was asked and has not answered.
  std::vector<Question> asked_of(const std::string& node);
  // False if nobody waits for it any more.
  bool answer(const std::string& id, const std::string& node, Json processes);

  struct Answer {
    Json nodes = Json::object();       // by node: its processes
    std::vector<std::string> missing;  // nodes that did not answer yet
  };
  Answer so_far(const std::string& id);
  bool is_complete(const std::string& id);
  // The request is forgotten once all who asked have left.
  void leave(const std::string& id);

 private:
  struct Request {
    std::string run;
    std::int64_t attempt = 0;
    std::set<std::string> asked;
    std::set<std::string> open;
    Json nodes = Json::object();
    Micros at = 0;  // by the monotonic clock
    int waiting = 0;
  };
  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Request> requests_;
};

}  // namespace roost

#pragma once

#include <string>
#include <string_view>

namespace roost {

// What the thread does at the moment, in words for a log: "submit_run (request 5f3a09c1-12)". Whatever runs for long or
// fails deep below can be named by it without every function handing a name on.
class Activity {
 public:
  explicit Activity(std::string name);
  ~Activity();  // what it was before
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  std::string before_;
};

// Of this thread; "something without a name" where nobody said. Valid until the innermost Activity ends.
std::string_view current_activity();

}  // namespace roost

#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// What a run is told of its files that could not be kept: each by name, with the reason.
class Notices {
 public:
  // `path` as it is on disk; it may be no text at all. Of equal paths the first reason stays.
  void add(const std::string& path, const std::string& why);
  // For the report; so many that the names can still be read, then how many more there are.
  Json json() const;
  void remove(const std::string& path) { notices_.erase(path); }
  void add_all(const Notices& more) { notices_.insert(more.notices_.begin(), more.notices_.end()); }
  bool empty() const { return notices_.empty(); }

 private:
  std::map<std::string, std::string> notices_;
};

}  // namespace roost

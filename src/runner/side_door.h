#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runner/side_start.h"

namespace roost {

// By which others get into a run while its processes live: what a rank was started with, and who can start more of the
// same. The attempt opens and closes it; any thread may come in.
class SideDoor {
 public:
  using Variables = std::map<std::string, std::string>;
  struct Way {
    std::shared_ptr<SideStart> start;
    Variables variables;  // of the rank
    int user = -1;        // that the processes are, if not the runner's
    int group = -1;
  };

  void open(std::shared_ptr<SideStart> start, std::map<int, Variables> ranks, int user, int group);
  void close();
  // In the place of that rank, or of the first one here; nothing if the door is closed, or the rank is elsewhere.
  std::optional<Way> way(std::optional<int> rank) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<SideStart> start_;
  std::map<int, Variables> ranks_;
  int user_ = -1;
  int group_ = -1;
};

}  // namespace roost

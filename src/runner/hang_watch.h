#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runner/process_tree.h"

namespace roost {

// For how long the processes of an attempt on one node have got nowhere: no output, no metric, and either no CPU or,
// where several ranks wait for one another, always the same place in their code. Ranks that wait in MPI, or for what a
// GPU does not finish, keep their CPU busy, and no counter of the kernel tells that from work; where Python stands does,
// over many looks. One rank alone may well compute for hours in one line: it is believed.
// Judges only; nothing is done to the processes, and whom it cannot ask it takes to be at work. Not thread-safe.
class HangWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Where the main thread of each of these processes is; those who do not answer are left out.
  using Places = std::function<std::map<int, std::string>(const std::vector<int>& pids)>;

  // Is asked for places only once nothing was printed for a quarter of `hang_seconds`, because that means a signal to
  // each process. With 0 never.
  HangWatch(double hang_seconds, Time now) : hang_seconds_(hang_seconds), last_active_(now), last_bytes_(now) {}

  // To be called every few seconds, with all that was printed or logged so far, in bytes. `ranks` of the run may run
  // elsewhere; 1 if there is only this node's one process, which may be a launcher of more.
  double idle_seconds(Time now, std::int64_t bytes, const std::vector<TreeProcess>& processes, int ranks,
                      const Places& places_of);

 private:
  bool stand_still(Time now, const std::vector<int>& busy, const Places& places_of);

  double hang_seconds_;
  Time last_active_;
  Time last_bytes_;
  Time next_look_;
  std::int64_t bytes_seen_ = 0;
  std::map<int, std::int64_t> ticks_seen_;  // by pid
  std::map<int, std::string> places_seen_;
};

}  // namespace roost

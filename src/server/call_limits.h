#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "net/http.h"
#include "net/router.h"

namespace roost {

// How much of the server one caller can hold at a time. A caller is known by what it sends (token or session), good or
// not, and without any by its address. Thread-safe, and never waits.
class CallLimits {
 public:
  struct Most {
    int requests = 512;   // under way, live streams included
    int uploads = 64;     // of those, such that send a long body
    int for_machines = 8;  // times as many for a run or a node: all nodes of a run share a token
  };
  explicit CallLimits(Most most) : most_(most), counts_(std::make_shared<Counts>()) {}

  // Counts the request until what is returned is gone; kUnavailable if the caller has too many under way.
  Result<std::shared_ptr<void>> admit(const std::string& caller, bool is_machine, bool is_upload);

 private:
  struct Count {
    int requests = 0;
    int uploads = 0;
  };
  struct Counts {
    std::mutex mutex;
    std::unordered_map<std::string, Count> of;
  };
  const Most most_;
  const std::shared_ptr<Counts> counts_;
};

}  // namespace roost

#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "net/router.h"

namespace roost {

struct ServantLoad {
  std::uint64_t in_flight = 0;
  std::uint64_t queued = 0;
  std::uint64_t requests = 0;  // answered since the start
  std::uint64_t errors = 0;    // of those, with 500 and above
};

// What answers requests in a replica: models in ONNX Runtime, or Python workers. All calls from any thread, once start()
// has returned.
class Servant {
 public:
  virtual ~Servant() = default;
  // Loads and warms up; returns when it can answer. The error says why it cannot, in the words of whoever failed.
  virtual Status start() = 0;
  // "/", "/score", "/swagger.json", "/v2/...": what it answers to. Called once, before the listener starts; requests that
  // come before start() returned are kept from it.
  virtual void add_routes(Router& router) = 0;
  virtual bool is_ready() const = 0;
  virtual ServantLoad load() const = 0;
  virtual std::string metrics() const = 0;  // Prometheus text
  // Takes no more; returns when what was under way is answered, or after so long.
  virtual void stop() = 0;
};

}  // namespace roost

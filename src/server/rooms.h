#pragma once

#include "alerts/alert_loop.h"
#include "compute/control_loop.h"
#include "endpoints/endpoint_loop.h"
#include "execute/process_watch.h"
#include "execute/run_watch.h"
#include "keeping/keeping_loop.h"
#include "schedule/scheduler.h"
#include "server/app.h"
#include "sweeps/sweep_loop.h"

namespace roost {

// Puts the rooms together: gives each the parts it uses, and in place of other rooms, which it must not know, the
// interfaces that those fill in. Call it once the stores are open and the server's address is known, and before the first
// request. Engines in the order in which they are asked; a new one is a line there.
void build_rooms(App& app);

// What decides without being asked, and the thread that gives each its turn.
class Deciders {
 public:
  explicit Deciders(App& app);

  void start() {
    loop_.start();
    sweeps_.start();
    endpoints_.start();
    app_.keeping->start();
    app_.alerts->start();
  }
  // Before runs are ended for good: an endpoint would start its replicas again.
  void stop_endpoints() { endpoints_.stop(); }
  void stop() {
    app_.keeping->stop();
    app_.alerts->stop();
    endpoints_.stop();
    sweeps_.stop();
    loop_.stop();
  }

 private:
  App& app_;
  Scheduler scheduler_;
  RunWatch watch_;
  ProcessWatch processes_;
  ControlLoop loop_;
  SweepLoop sweeps_;
  EndpointLoop endpoints_;
};

}  // namespace roost

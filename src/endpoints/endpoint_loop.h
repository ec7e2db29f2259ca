#pragma once

#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "base/wake.h"
#include "endpoints/decide_endpoint.h"
#include "endpoints/endpoint_parts.h"
#include "endpoints/route_table.h"

namespace roost {

// The thread that makes endpoints what their specs say: it wakes when a run or an endpoint changes, and a few times a second
// while there is any. Everything it knows is in the database, so that a restarted server goes on where this one was.
class EndpointLoop {
 public:
  explicit EndpointLoop(EndpointParts parts) : parts_(std::move(parts)), waiter_(wake_) {}
  ~EndpointLoop() { stop(); }

  void start();
  void stop();
  void wake() { wake_.notify(); }

  // One round, as the thread takes it; whether there is anything to look after. For tests besides, and then before
  // start() or after stop() only.
  bool turn();

 private:
  struct Seen {
    std::vector<RoutedEndpoint> endpoints;
    std::vector<ReplicaRow> orphans;  // whose endpoint is gone
  };

  void run(const std::stop_token& stop);
  Result<Seen> look();
  Status turn_of(RoutedEndpoint& routed);
  Status apply(RoutedEndpoint& routed, const EndpointDecision& decision);
  Status start_replica(const EndpointRow& endpoint, const DeploymentSpec& deployment);
  Status note_failed_start(EndpointRow& endpoint, const std::string& deployment, const Error& error);
  void end_orphans(std::vector<ReplicaRow>& orphans);
  void look_at_front();
  Status tell_front(const std::vector<RoutedEndpoint>& endpoints);
  void wait_for_front();
  void report(const std::string& what, const Status& status);

  EndpointParts parts_;
  Wake wake_;
  Wake::Waiter waiter_;
  std::string told_;           // the front, last
  std::int64_t generation_ = 0;
  Micros statistics_at_ = 0;   // steady
  std::map<std::string, std::string> troubles_;  // what was logged of each
  ChangeHub::Subscription runs_changed_;
  ChangeHub::Subscription endpoints_changed_;
  std::jthread thread_;
};

}  // namespace roost

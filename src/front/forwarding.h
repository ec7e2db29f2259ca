#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "front/front_server.h"

namespace roost {

// One request on its way: to a replica and back. Keeps itself alive until it is answered.
class Forwarding : public std::enable_shared_from_this<Forwarding> {
 public:
  // Answers the request, at once or later. What it returns is for when the client has gone.
  static std::function<void()> start(FrontServer& front, Request& request, Answer answer, const FrontServer::Target& target);

 private:
  using Kind = UpstreamOutcome::Kind;

  Forwarding(FrontServer& front, const FrontServer::Target& target, std::shared_ptr<FrontDeployment> deployment);
  // A copy for a deployment that only looks on; false: there are enough under way.
  static void start_shadow(const Forwarding& original, std::shared_ptr<FrontDeployment> deployment);

  void take_from(Request& request);
  void find_replica();
  void send_to(std::shared_ptr<FrontReplica> replica);
  std::string head_for(const FrontReplica& replica) const;
  void came_back(UpstreamOutcome outcome);
  Response pass_on(ClientResponse answer) const;
  Response refusal(ReplicaQueue::Refusal why) const;
  Response failure(const UpstreamOutcome& outcome) const;
  void finish(Response response);
  void client_has_gone();
  std::string name() const;

  FrontServer& front_;
  const std::shared_ptr<const TableEndpoint> table_;
  const std::shared_ptr<FrontDeployment> deployment_;
  const std::string prefix_;
  const std::string rest_;
  const bool is_v2_;
  const std::string version_;  // of the deployment when it came
  const std::chrono::steady_clock::time_point began_;

  Request* request_ = nullptr;  // null for a shadow
  Answer answer_;
  std::string method_;
  std::string id_;
  std::string headers_;  // lines of those that are passed on
  std::shared_ptr<const std::string> body_;
  ReplicaQueue::Ticket ticket_;
  std::optional<std::chrono::steady_clock::time_point> unreachable_since_;
  std::shared_ptr<FrontReplica> replica_;
};

}  // namespace roost

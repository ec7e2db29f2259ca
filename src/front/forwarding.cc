#include "front/forwarding.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "front/passed_headers.h"

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace roost {
namespace {

constexpr std::size_t kMostShadows = 1024;
constexpr std::size_t kMostShadowBytes = 256 << 20;

std::uint64_t micros_since(steady_clock::time_point began) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - began).count());
}

std::string in_words(std::int64_t milliseconds) { return human_duration(static_cast<double>(milliseconds) / 1000); }

}  // namespace

std::function<void()> Forwarding::start(FrontServer& front, Request& request, Answer answer, const FrontServer::Target& target) {
  FrontEndpoint& endpoint = *target.endpoint;
  const std::string wanted = request.header("azureml-model-deployment");
  auto deployment = wanted.empty() ? endpoint.next() : endpoint.find(wanted);
  if (!deployment) {
    // Between the head and the end of the body it has gone.
    Response gone = front_error(503, "endpoint " + endpoint.table->name + " has no deployment to ask now", target.is_v2);
    allow_origin(*endpoint.table, request, gone);
    answer(std::move(gone));
    return {};
  }
  std::shared_ptr<Forwarding> made(new Forwarding(front, target, std::move(deployment)));
  made->request_ = &request;
  made->answer_ = std::move(answer);
  made->take_from(request);
  if (request.method == "POST") {
    for (auto& shadow : endpoint.next_shadows(made->deployment_)) start_shadow(*made, std::move(shadow));
  }
  made->find_replica();
  return [made] { made->client_has_gone(); };
}

Forwarding::Forwarding(FrontServer& front, const FrontServer::Target& target, std::shared_ptr<FrontDeployment> deployment)
    : front_(front),
      table_(target.endpoint->table),
      deployment_(std::move(deployment)),
      prefix_(target.prefix),
      rest_(target.rest),
      is_v2_(target.is_v2),
      version_(deployment_->table.version),
      began_(steady_clock::now()) {}

void Forwarding::take_from(Request& request) {
  method_ = request.method;
  id_ = request.id;
  headers_ = passed_request_headers(request);
  body_ = std::make_shared<const std::string>(std::move(request.body));
}

void Forwarding::start_shadow(const Forwarding& original, std::shared_ptr<FrontDeployment> deployment) {
  FrontServer& front = original.front_;
  const std::size_t size = original.body_->size();
  if (front.is_stopping_ || front.shadows_ >= kMostShadows || front.shadow_bytes_ + size > kMostShadowBytes) {
    ++deployment->counts().shadow_requests;
    ++deployment->counts().shadow_errors;
    return;
  }
  FrontServer::Target target;
  target.endpoint = front.endpoints_.at(original.table_->slug);
  target.prefix = original.prefix_;
  target.rest = original.rest_;
  target.is_v2 = original.is_v2_;
  std::shared_ptr<Forwarding> copy(new Forwarding(front, target, std::move(deployment)));
  copy->method_ = original.method_;
  copy->id_ = original.id_;
  copy->headers_ = original.headers_ + "x-roost-shadow: 1\r\n";
  copy->body_ = original.body_;
  ++front.shadows_;
  front.shadow_bytes_ += size;
  copy->find_replica();
}

void Forwarding::find_replica() {
  ticket_ = deployment_->queue.take([self = shared_from_this()](std::shared_ptr<FrontReplica> replica, ReplicaQueue::Refusal why) {
    replica ? self->send_to(std::move(replica)) : self->finish(self->refusal(why));
  });
}

void Forwarding::send_to(std::shared_ptr<FrontReplica> replica) {
  replica_ = std::move(replica);
  UpstreamCall call;
  call.address = replica_->place.address;
  call.port = replica_->place.port;
  call.method = method_;
  call.head = head_for(*replica_);
  call.body = body_;
  call.deadline = steady_clock::now() + milliseconds(table_->scoring_timeout_ms);
  call.is_dispensable = request_ == nullptr;
  front_.upstreams_->send(std::move(call),
                          [self = shared_from_this()](UpstreamOutcome outcome) { self->came_back(std::move(outcome)); });
}

std::string Forwarding::head_for(const FrontReplica& replica) const {
  std::string head;
  head.reserve(headers_.size() + rest_.size() + 256);
  head.append(method_).append(" ").append(rest_).append(" HTTP/1.1\r\n").append(headers_);
  head.append("x-request-id: ").append(id_).append("\r\nx-roost-replica-key: ").append(replica.place.key);
  head.append("\r\nx-roost-prefix: ").append(prefix_).append("\r\n");
  if (!body_->empty() || method_ == "POST") head.append(fmt::format("content-length: {}\r\n", body_->size()));
  return head.append("\r\n");
}

void Forwarding::came_back(UpstreamOutcome outcome) {
  const auto replica = std::exchange(replica_, nullptr);
  if (outcome.kind == Kind::kNotConnected) {
    // Nothing was sent, so another one may have it.
    if (!unreachable_since_) unreachable_since_ = steady_clock::now();
    deployment_->queue.unreachable(
        replica, *unreachable_since_,
        [self = shared_from_this()](std::shared_ptr<FrontReplica> other, ReplicaQueue::Refusal why) {
          other ? self->send_to(std::move(other)) : self->finish(self->refusal(why));
        },
        ticket_);
    return;
  }
  // First whoever waits for the replica, then the answer.
  deployment_->queue.give_back(replica);
  finish(outcome.kind == Kind::kAnswered ? pass_on(std::move(outcome.response)) : failure(outcome));
}

Response Forwarding::pass_on(ClientResponse answer) const {
  Response response;
  response.status = answer.status == 500 && table_->maps_500_to_502 ? 502 : answer.status;
  response.is_expected = true;
  pass_response_headers(answer, response);
  response.body = std::move(answer.body);
  return response;
}

Response Forwarding::refusal(ReplicaQueue::Refusal why) const {
  using Refusal = ReplicaQueue::Refusal;
  std::string text;
  switch (why) {
    case Refusal::kQueueFull:
      text = fmt::format("all replicas of {} are busy and {} requests wait already; try again later", name(),
                         table_->queue_limit);
      break;
    case Refusal::kBusyTooLong:
      text = fmt::format("all replicas of {} were busy for {}; try again later", name(), in_words(table_->queue_wait_ms));
      break;
    case Refusal::kStartsTooLong:
      text = fmt::format("{} is starting and was not ready within {}; try again later", name(), in_words(table_->hold_ms));
      break;
    case Refusal::kUnreachable: text = name() + " has no replica that can be reached; try again later"; break;
    case Refusal::kStopping: text = "this server is restarting; try again in a moment"; break;
    default: text = name() + " has no replica now; look at the endpoint's state and its logs";
  }
  return front_error(503, text, is_v2_);
}

Response Forwarding::failure(const UpstreamOutcome& outcome) const {
  if (outcome.kind == Kind::kLate) {
    return front_error(
        504, fmt::format("no answer from {} within {} (scoring_timeout_ms)", name(), in_words(table_->scoring_timeout_ms)),
        is_v2_);
  }
  return front_error(502,
                     fmt::format("the replica of {} ended while it worked on this request ({}); it was not sent to "
                                 "another one, as it may have had effects",
                                 name(), outcome.why),
                     is_v2_);
}

void Forwarding::finish(Response response) {
  DeploymentCounts& counts = deployment_->counts_by_version[version_];
  if (!request_) {
    ++counts.shadow_requests;
    if (response.status >= 500) ++counts.shadow_errors;
    --front_.shadows_;
    front_.shadow_bytes_ -= body_->size();
    return;
  }
  counts.add(response.status, micros_since(began_));
  allow_origin(*table_, *request_, response);
  response.headers["x-roost-deployment"] = deployment_->table.name;
  response.headers["x-roost-version"] = version_;
  request_ = nullptr;
  std::exchange(answer_, nullptr)(std::move(response));
}

// What a replica has begun it ends; what still waits for one need not.
void Forwarding::client_has_gone() {
  if (!request_ || replica_ || ticket_.expired()) return;
  deployment_->queue.abandon(ticket_);
  constexpr int kClientClosedRequest = 499;
  finish(front_error(kClientClosedRequest, "the client has gone", is_v2_));
}

std::string Forwarding::name() const { return table_->name + "/" + deployment_->table.name; }

}  // namespace roost

#include "endpoints/endpoint_loop.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "base/report_error.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRest{20};
constexpr milliseconds kTick{200};
constexpr milliseconds kIdleTick{2000};
constexpr Micros kStatisticsEvery = kSecond / 2;
constexpr int kMostLooks = 40;
constexpr milliseconds kLookTime{5};

}  // namespace

void EndpointLoop::start() {
  runs_changed_ = parts_.changes.hub().subscribe("runs", [this] { wake_.notify(); });
  endpoints_changed_ = parts_.changes.hub().subscribe("endpoints", [this] { wake_.notify(); });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void EndpointLoop::stop() {
  runs_changed_.end();
  endpoints_changed_.end();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void EndpointLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    bool has_any = false;
    take_turn("looking after endpoints", [&] { has_any = turn(); });
    waiter_.pause(stop, kRest);
    waiter_.wait_for(stop, has_any ? kTick : kIdleTick);
  }
}

bool EndpointLoop::turn() {
  auto seen = look();
  report("endpoints", seen ? Status() : Status(fail(seen.error())));
  if (!seen) return true;
  end_orphans(seen->orphans);
  const bool has_any = !seen->endpoints.empty();
  if (has_any) {
    look_at_front();
    // Before anybody is told that it is ready: then requests go there.
    report("the front's table", tell_front(seen->endpoints));
  }
  for (auto& routed : seen->endpoints) report(routed.endpoint.slug, turn_of(routed));
  if (has_any || generation_ > 0) report("the front's table", tell_front(seen->endpoints));
  return has_any || !seen->orphans.empty();
}

Result<EndpointLoop::Seen> EndpointLoop::look() {
  Seen seen;
  ROOST_CHECK(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(auto endpoints, list_endpoints(tx));
    ROOST_TRY(auto replicas, open_replicas(tx));
    for (auto& endpoint : endpoints) {
      RoutedEndpoint& routed = seen.endpoints.emplace_back();
      ROOST_TRY(routed.tokens, endpoint_tokens(tx, endpoint.seq, parts_.clock.now()));
      routed.endpoint = std::move(endpoint);
      for (const auto& replica : replicas) {
        if (replica.endpoint == routed.endpoint.seq) routed.replicas.push_back(replica);
      }
    }
    for (const auto& replica : replicas) {
      if (!replica.endpoint) seen.orphans.push_back(replica);
    }
    return {};
  }));
  return seen;
}

Status EndpointLoop::turn_of(RoutedEndpoint& routed) {
  const EndpointSpec& spec = routed.endpoint.spec;
  const EndpointFacts facts{
      routed.endpoint, routed.replicas,
      [&](const std::string& deployment) { return parts_.statistics.load(routed.endpoint.workspace, spec.name, deployment); },
      [&](const std::string& run) { return integer_at(parts_.loads.of(run).load, "in_flight"); }, parts_.clock.now()};
  const EndpointDecision decision = decide_endpoint(facts);
  return apply(routed, decision);
}

Status EndpointLoop::apply(RoutedEndpoint& routed, const EndpointDecision& decision) {
  Json progress = progress_json(decision.progress);
  const bool has_moved = progress != routed.endpoint.progress;
  if (has_moved || !decision.save.empty()) {
    ROOST_CHECK(parts_.db.write([&](Tx& tx) -> Status {
      // Another revision may have come meanwhile: then what was decided was for the one before.
      const auto now = find_endpoint(tx, routed.endpoint.workspace, routed.endpoint.spec.name);
      if (!now || now->seq != routed.endpoint.seq || now->revision != routed.endpoint.revision) {
        return fail(ErrorCode::kUnavailable, "it changed while it was looked at");
      }
      for (const auto& replica : decision.save) {
        ROOST_TRY(ReplicaRow row, find_replica(tx, replica.run));  // it may have said something meanwhile
        row.retired = replica.retired;
        row.is_open = replica.is_open;
        ROOST_CHECK(save_replica(tx, row));
      }
      return has_moved ? save_progress(tx, routed.endpoint.seq, progress) : Status();
    }));
    routed.endpoint.progress = std::move(progress);
    parts_.changes.endpoint_changed(routed.endpoint.spec.name);
  }
  for (const auto& changed : decision.save) {
    for (auto& replica : routed.replicas) {
      if (replica.run != changed.run) continue;
      replica.retired = changed.retired;
      replica.is_open = changed.is_open;
    }
    if (!changed.is_open) parts_.loads.forget(changed.run_id);
  }
  for (const auto& run : decision.end) parts_.end_replica(run, "the endpoint does not need it any more");
  for (const auto& start : decision.start) {
    const DeploymentSpec* deployment = routed.endpoint.spec.find(start.deployment);
    for (std::int64_t i = 0; i < start.count; ++i) {
      const Status started = start_replica(routed.endpoint, *deployment);
      if (!started) return note_failed_start(routed.endpoint, start.deployment, started.error());
    }
  }
  return {};
}

// A model, compute or environment that it names is not there: trying again would not help.
Status EndpointLoop::note_failed_start(EndpointRow& endpoint, const std::string& deployment, const Error& error) {
  const bool may_pass = error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kInternal ||
                        error.code == ErrorCode::kResourceExhausted;
  if (may_pass) return fail(error);
  EndpointProgress progress = stored_progress(endpoint.progress);
  DeploymentProgress& one = progress.deployments[deployment];
  one.has_failed = true;
  one.code = "CannotStart";
  one.message = error.message;
  endpoint.progress = progress_json(progress);
  ROOST_CHECK(parts_.db.write([&](Tx& tx) { return save_progress(tx, endpoint.seq, endpoint.progress); }));
  parts_.changes.endpoint_changed(endpoint.spec.name);
  return {};
}

Status EndpointLoop::start_replica(const EndpointRow& endpoint, const DeploymentSpec& deployment) {
  ReplicaStart order;
  ROOST_CHECK(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto models, parts_.find_models(tx, endpoint.workspace, deployment));
    order.spec = replica_run(endpoint, deployment, models, parts_.is_here(tx, endpoint.workspace, endpoint.spec.compute));
    return {};
  }));
  order.workspace = endpoint.workspace;
  order.user = endpoint.created_by;
  order.may_start = [&](Tx& tx) -> Result<bool> {
    const auto now = find_endpoint(tx, endpoint.workspace, endpoint.spec.name);
    return now && now->seq == endpoint.seq && now->revision == endpoint.revision;
  };
  order.was_made = [&](Tx& tx, const Run& run) {
    ReplicaRow replica;
    replica.run = run.seq;
    replica.endpoint = endpoint.seq;
    replica.deployment = deployment.name;
    replica.revision = deployment.revision;
    replica.version = version_of(deployment);
    replica.created = parts_.clock.now();
    return insert_replica(tx, replica);
  };
  return parts_.start_replica(order);
}

// Nobody is sent to them any more, so what they have under way is all that is waited for.
void EndpointLoop::end_orphans(std::vector<ReplicaRow>& orphans) {
  const Micros now = parts_.clock.now();
  for (auto& replica : orphans) {
    const bool is_over = is_terminal(replica.status);
    if (!is_over && replica.retired) {
      const std::int64_t in_flight = integer_at(parts_.loads.of(replica.run_id).load, "in_flight");
      const bool may_end = replica.status != RunStatus::kCancelRequested && is_drained(replica, in_flight, kUsualTimeoutMs, now);
      if (may_end) parts_.end_replica(replica.run_id, "its endpoint was deleted");
      continue;
    }
    report(replica.run_id, parts_.db.write([&](Tx& tx) -> Status {
      ROOST_TRY(ReplicaRow row, find_replica(tx, replica.run));
      row.retired = row.retired.value_or(now);
      row.is_open = !is_over;
      return save_replica(tx, row);
    }));
    if (is_over) parts_.loads.forget(replica.run_id);
  }
}

void EndpointLoop::look_at_front() {
  const Status there = parts_.front.ensure();
  report("the front", there);
  const Micros now = parts_.clock.steady();
  if (there && now - statistics_at_ < kStatisticsEvery) return;
  statistics_at_ = now;
  const auto said = there ? parts_.front.statistics() : Result<Json>(fail(there.error()));
  if (said) {
    parts_.statistics.take(*said, now, parts_.clock.now());
  } else {
    parts_.statistics.lost();
  }
}

Status EndpointLoop::tell_front(const std::vector<RoutedEndpoint>& endpoints) {
  Json table = route_table(endpoints);
  std::string text = to_text(table);
  if (text == told_) return {};
  table["generation"] = ++generation_;
  ROOST_CHECK(parts_.write_routes(to_text(table) + "\n"));
  told_ = std::move(text);
  wait_for_front();
  return {};
}

// It reads its table within 50 ms. One that does not is not waited for.
void EndpointLoop::wait_for_front() {
  for (int i = 0; i < kMostLooks; ++i) {
    const auto said = parts_.front.statistics();
    if (!said || integer_at(*said, "generation") == generation_) return;
    std::this_thread::sleep_for(kLookTime);
  }
}

void EndpointLoop::report(const std::string& what, const Status& status) {
  if (status || status.error().code == ErrorCode::kUnavailable) {
    troubles_.erase(what);
    return;
  }
  std::string& last = troubles_[what];
  if (last == status.error().message) return;
  last = status.error().message;
  log_warning("serving: {}: {}", what, last);
}

}  // namespace roost

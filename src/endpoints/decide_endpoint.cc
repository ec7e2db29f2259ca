#include "endpoints/decide_endpoint.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace roost {
namespace {

// The front looks at its table every 50 ms: after so long nothing new comes, and the replica has said so.
constexpr Micros kMilli = kSecond / 1000;
constexpr Micros kRetireTime = 1500 * kMilli;
constexpr Micros kLongService = 30 * kSecond;
constexpr std::int64_t kMostFailures = 3;
constexpr std::array<Micros, 8> kBackOff = {0, 0, kSecond / 2, kSecond, 2 * kSecond, 4 * kSecond, 10 * kSecond, 30 * kSecond};

Micros back_off(std::int64_t failures) {
  return kBackOff.at(std::min(static_cast<std::size_t>(failures), kBackOff.size() - 1));
}

bool is_over(const ReplicaRow& replica) { return is_terminal(replica.status); }
bool is_ready(const ReplicaRow& replica) { return !is_over(replica) && replica.state == "ready" && replica.port != 0; }

std::string why_it_ended(const ReplicaRow& replica) {
  if (!replica.message.empty()) return replica.message;
  if (!replica.failure.empty()) return replica.failure;
  return fmt::format("its run {} is {}", replica.run_id, status_name(replica.status));
}

class Decider {
 public:
  explicit Decider(const EndpointFacts& facts) : facts_(facts) { decision_.progress = stored_progress(facts.endpoint.progress); }

  EndpointDecision decide() {
    for (auto& replica : facts_.replicas) {
      if (!facts_.endpoint.spec.find(replica.deployment)) retire(replica);
    }
    for (const auto& deployment : facts_.endpoint.spec.deployments) look_at(deployment);
    auto& known = decision_.progress.deployments;
    std::erase_if(known, [&](const auto& one) { return !facts_.endpoint.spec.find(one.first); });
    for (auto& replica : facts_.replicas) finish(replica);
    return std::move(decision_);
  }

 private:
  void look_at(const DeploymentSpec& deployment) {
    DeploymentProgress& progress = decision_.progress.deployments[deployment.name];
    if (progress.revision != deployment.revision) begin(deployment, progress);
    std::vector<ReplicaRow*> current;
    std::vector<ReplicaRow*> before;
    for (auto& replica : facts_.replicas) {
      if (replica.deployment != deployment.name || replica.retired) continue;
      if (is_over(replica)) {
        if (replica.revision == deployment.revision) note_end(deployment, progress, replica);
        continue;
      }
      (replica.revision == deployment.revision ? current : before).push_back(&replica);
    }
    tell_steps(current);
    const auto ready = std::count_if(current.begin(), current.end(), [](const ReplicaRow* one) { return is_ready(*one); });
    if (ready > 0) progress.was_ready = true;
    set_wanted(deployment, progress, !before.empty());
    const auto alive = static_cast<std::int64_t>(current.size());
    if (!progress.has_failed && alive < progress.wanted && facts_.now >= progress.next_try) {
      decision_.start.push_back({deployment.name, progress.wanted - alive});
    }
    retire_surplus(current, alive - progress.wanted);
    // As many as were asked for at least: whoever has five is not to be left with one.
    if (ready >= std::min(std::max<std::int64_t>(1, deployment.replicas.min), std::max<std::int64_t>(1, progress.wanted))) {
      for (ReplicaRow* replica : before) retire(*replica);
    }
  }

  void begin(const DeploymentSpec& deployment, DeploymentProgress& progress) {
    const std::int64_t restarts = progress.restarts;
    const std::int64_t wanted = progress.wanted;
    progress = {};
    progress.revision = deployment.revision;
    progress.restarts = restarts;
    // The first one is started whatever the load: so it is known whether it can.
    progress.wanted = std::max<std::int64_t>({1, wanted, deployment.replicas.min});
    progress.low_since = facts_.now;
    decision_.progress.steps.clear();
    decision_.progress.add_step(facts_.now, "Registering the environment.");
  }

  void note_end(const DeploymentSpec& deployment, DeploymentProgress& progress, const ReplicaRow& replica) {
    const bool served = replica.ready && facts_.now - *replica.ready >= kLongService;
    progress.failures = served ? 1 : progress.failures + 1;
    ++progress.restarts;
    progress.next_try = facts_.now + back_off(progress.failures);
    progress.message = why_it_ended(replica);
    const bool has_begun = replica.started.has_value();
    progress.code = has_begun ? "CrashLoopBackOff" : "EnvironmentFailed";
    const bool hopeless = replica.status == RunStatus::kFailed && !has_begun;
    if (!progress.was_ready && (hopeless || progress.failures >= kMostFailures)) {
      progress.has_failed = true;
      decision_.progress.add_step(facts_.now, fmt::format("The deployment {} failed.", deployment.name));
    }
  }

  void set_wanted(const DeploymentSpec& deployment, DeploymentProgress& progress, bool replaces) {
    // What comes up for the first time, or in place of another, is not taken back before it has.
    const bool is_new = !progress.was_ready || replaces;
    const Scaling next = scale(deployment, facts_.load(deployment.name), {progress.wanted, progress.low_since}, facts_.now);
    progress.wanted = is_new ? std::max<std::int64_t>(next.wanted, 1) : next.wanted;
    progress.low_since = is_new ? 0 : next.low_since;
  }

  // Those that do not serve yet first, then the newest.
  void retire_surplus(std::vector<ReplicaRow*>& current, std::int64_t surplus) {
    if (surplus <= 0) return;
    std::stable_sort(current.begin(), current.end(),
                     [](const ReplicaRow* a, const ReplicaRow* b) { return is_ready(*a) > is_ready(*b); });
    for (; surplus > 0; --surplus) {
      retire(*current.back());
      current.pop_back();
    }
  }

  void retire(ReplicaRow& replica) {
    if (replica.retired) return;
    replica.retired = facts_.now;
    changed(replica);
  }

  // Its end, whether wanted or not.
  void finish(ReplicaRow& replica) {
    if (is_over(replica)) {
      replica.is_open = false;
      changed(replica);
      return;
    }
    const DeploymentSpec* deployment = facts_.endpoint.spec.find(replica.deployment);
    const std::int64_t timeout = deployment ? deployment->scoring_timeout_ms : kUsualTimeoutMs;
    if (replica.status != RunStatus::kCancelRequested && is_drained(replica, facts_.in_flight(replica.run_id), timeout, facts_.now)) {
      decision_.end.push_back(replica.run_id);
    }
  }

  void changed(const ReplicaRow& replica) {
    std::erase_if(decision_.save, [&](const ReplicaRow& one) { return one.run == replica.run; });
    decision_.save.push_back(replica);
  }

  void tell_steps(const std::vector<ReplicaRow*>& current) {
    for (const ReplicaRow* replica : current) {
      EndpointProgress& progress = decision_.progress;
      if (replica->status == RunStatus::kPreparing) progress.add_step(facts_.now, "Building image..");
      const bool is_placed = replica->status == RunStatus::kQueued || replica->status == RunStatus::kRunning;
      if (!is_placed) continue;
      progress.add_step(facts_.now, "Submitting deployment to compute.");
      if (replica->status != RunStatus::kRunning) continue;
      progress.add_step(facts_.now, fmt::format("Checking the status of deployment {}..", facts_.endpoint.spec.name));
      if (!is_ready(*replica)) continue;
      progress.add_step(facts_.now, fmt::format("Checking the status of inference endpoint {}.", facts_.endpoint.spec.name));
    }
  }

  EndpointFacts facts_;
  EndpointDecision decision_;
};

}  // namespace

bool is_drained(const ReplicaRow& replica, std::int64_t in_flight, std::int64_t timeout_ms, Micros now) {
  if (!replica.retired) return false;
  const Micros since = now - *replica.retired;
  if (replica.state == "starting" || replica.port == 0) return true;  // was never sent anything
  if (since < kRetireTime) return false;
  return in_flight == 0 || since > kRetireTime + timeout_ms * kMilli;
}

EndpointDecision decide_endpoint(const EndpointFacts& facts) { return Decider(facts).decide(); }

}  // namespace roost

#include "endpoints/scale.h"

#include <algorithm>

namespace roost {
namespace {

constexpr Micros kPatience = 60 * kSecond;
// Of a replica that takes any number at a time: beyond so many another one is worth it.
constexpr std::int64_t kUsualConcurrency = 8;

}  // namespace

Scaling scale(const DeploymentSpec& deployment, const DeploymentLoad& load, Scaling now, Micros at) {
  const ReplicaRange& range = deployment.replicas;
  const std::int64_t each = deployment.concurrency() > 0 ? deployment.concurrency() : kUsualConcurrency;
  const std::int64_t busy = load.in_flight + load.waiting;
  const std::int64_t room = each * range.target_utilization;
  const std::int64_t needed = std::clamp((busy * 100 + room - 1) / room, range.min, range.max);
  now.wanted = std::clamp(now.wanted, range.min, range.max);
  if (needed >= now.wanted) return {needed, 0};
  if (now.low_since == 0) return {now.wanted, at};
  const Micros patience = needed == 0 ? range.idle_seconds * kSecond : kPatience;
  if (at - now.low_since < patience) return now;
  return {needed, needed > range.min ? at : 0};
}

}  // namespace roost

#include "front/front_endpoint.h"

#include <utility>

namespace roost {

void FrontEndpoint::set(TableEndpoint given) {
  table = std::make_shared<const TableEndpoint>(std::move(given));
  auto before = std::exchange(deployments_, {});
  for (const auto& deployment : table->deployments) {
    auto& place = deployments_[deployment.name];
    if (const auto known = before.find(deployment.name); known != before.end()) {
      place = std::move(known->second);
      before.erase(known);
    } else {
      place = std::make_shared<FrontDeployment>(loop_);
    }
    place->set(*table, deployment);
  }
  // What waits for one that is gone waits in vain.
  for (const auto& [name, deployment] : before) deployment->queue.set({}, {});
  split_names_.clear();
  std::vector<std::int64_t> shares;
  std::int64_t left = 100;
  for (const auto& share : table->traffic) {
    split_names_.push_back(share.deployment);
    shares.push_back(share.percent);
    left -= share.percent;
  }
  if (!table->default_deployment.empty()) {
    split_names_.push_back(table->default_deployment);
    shares.push_back(left);
  }
  split_.set(std::move(shares));
}

void FrontEndpoint::end() {
  for (const auto& [name, deployment] : std::exchange(deployments_, {})) deployment->queue.set({}, {});
}

std::shared_ptr<FrontDeployment> FrontEndpoint::find(const std::string& deployment) const {
  const auto found = deployments_.find(deployment);
  return found == deployments_.end() ? nullptr : found->second;
}

std::shared_ptr<FrontDeployment> FrontEndpoint::next() {
  if (deployments_.empty()) return nullptr;
  if (deployments_.size() == 1 || split_names_.empty()) return deployments_.begin()->second;
  return find(split_names_[split_.next()]);
}

std::vector<std::shared_ptr<FrontDeployment>> FrontEndpoint::next_shadows(const std::shared_ptr<FrontDeployment>& chosen) {
  std::vector<std::shared_ptr<FrontDeployment>> shadows;
  for (const auto& share : table->shadow) {
    auto deployment = find(share.deployment);
    if (!deployment || deployment == chosen) continue;
    std::int64_t& credit = shadow_credit_[share.deployment];
    credit += share.percent;
    if (credit < 100) continue;
    credit -= 100;
    shadows.push_back(std::move(deployment));
  }
  return shadows;
}

}  // namespace roost

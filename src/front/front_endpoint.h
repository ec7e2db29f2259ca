#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "front/front_deployment.h"
#include "front/routing_table.h"
#include "front/traffic_split.h"

namespace roost {

// One endpoint as the front knows it. All on the loop's thread.
class FrontEndpoint {
 public:
  explicit FrontEndpoint(Loop& loop) : loop_(loop) {}

  void set(TableEndpoint table);
  // The table has it no more: those who wait are told so.
  void end();

  // Null if there is none of that name.
  std::shared_ptr<FrontDeployment> find(const std::string& deployment) const;
  // Whose turn it is by the traffic's shares. Null if the endpoint has no deployment.
  std::shared_ptr<FrontDeployment> next();
  // Those that get a copy of a request which went to `chosen`.
  std::vector<std::shared_ptr<FrontDeployment>> next_shadows(const std::shared_ptr<FrontDeployment>& chosen);
  const std::map<std::string, std::shared_ptr<FrontDeployment>>& deployments() const { return deployments_; }

  std::shared_ptr<const TableEndpoint> table;  // as it is now; who works with it keeps it
  std::string port_error;                      // why its own port is not listened on

 private:
  Loop& loop_;
  std::map<std::string, std::shared_ptr<FrontDeployment>> deployments_;
  TrafficSplit split_;
  std::vector<std::string> split_names_;
  std::map<std::string, std::int64_t> shadow_credit_;
};

}  // namespace roost

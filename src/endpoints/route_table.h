#pragma once

#include <string>
#include <vector>

#include "endpoints/endpoint_progress.h"
#include "records/endpoint_records.h"

namespace roost {

// What the front is told of one endpoint: which replicas take its requests, in which shares, and who may send any.
struct RoutedEndpoint {
  EndpointRow endpoint;
  std::vector<ReplicaRow> replicas;  // its open ones
  std::vector<EndpointToken> tokens;
};

// serving/routes.json, without its generation. Equal facts give equal text.
Json route_table(const std::vector<RoutedEndpoint>& endpoints);

}  // namespace roost

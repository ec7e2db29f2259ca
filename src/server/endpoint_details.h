#pragma once

#include "access/access.h"
#include "db/database.h"
#include "endpoints/replica_loads.h"
#include "records/endpoint_records.h"

namespace roost {

// What an endpoint's answer needs besides its row.
struct EndpointView {
  std::string front;  // "http://host:port" of the front; "" while it is not known
  const ReplicaLoads& loads;
  Micros now = 0;
};

// Who made the endpoint, and owners: they are shown the values of its variables, but for secrets, which nobody is.
bool may_see_variables(const Principal& who, const EndpointRow& endpoint);

Result<Json> endpoint_json(Tx& tx, const EndpointRow& endpoint, const EndpointView& view, const Principal& who);

}  // namespace roost

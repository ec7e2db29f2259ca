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

// Values of variables are shown to who made the endpoint, and to owners.
Result<Json> endpoint_json(Tx& tx, const EndpointRow& endpoint, const EndpointView& view, const Principal& who);

}  // namespace roost

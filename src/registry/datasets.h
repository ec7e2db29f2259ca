#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "records/dataset_records.h"

namespace roost {

Json dataset_json(const Dataset& dataset);

struct NewDataset {
  Dataset dataset;
  bool create_new_version = false;
};
Result<NewDataset> parse_new_dataset(const Json& body);

// Registers it and sets id and version. A name that is taken is refused unless a new version is asked
// for or the definition is the same as the newest one's, which is then returned.
Status register_dataset(Tx& tx, NewDataset& made, Micros now);

}  // namespace roost

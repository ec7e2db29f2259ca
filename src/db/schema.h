#pragma once

#include "db/database.h"

namespace roost {

// Brings the tables to the newest version, from whatever earlier one the file has. A file written by
// a newer Roost is refused.
Status apply_schema(Tx& tx);

}  // namespace roost

#pragma once

#include <cstdint>
#include <string_view>

#include "db/database.h"
#include "domain/run.h"

namespace roost {

// How far a spool file of the run's newest attempt was taken in; 0 if nothing came of it yet.
Result<std::uint64_t> spool_length(Tx& tx, const Run& run, std::string_view name);

}  // namespace roost

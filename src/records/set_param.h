#pragma once

#include <string_view>

#include "db/database.h"
#include "domain/run.h"

namespace roost {

// A name of at most 250 bytes; a longer value than this is cut.
inline constexpr std::size_t kMaxParamName = 250;
inline constexpr std::size_t kMaxParamValue = 6000;

// Sets a parameter of a run: one more, or in place of what its arguments, or a call before this one, said. The run
// table shows it, filters and sorts by it. kInvalidArgument for a bad name, and for one more than 1000.
Status set_param(Tx& tx, const Run& run, std::string_view name, std::string_view value);

// {name: value}, all of them.
Result<Json> params_of_run(Tx& tx, std::int64_t run);

}  // namespace roost

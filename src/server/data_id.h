#pragma once

#include <filesystem>
#include <string>

#include "db/database.h"

namespace roost {

// The header of every answer that says by whose data folder it was made.
inline constexpr const char* kDataIdHeader = "Roost-Data";

// The id of a data folder: random, made at its first start, kept in `file` and in the database, so that it
// outlives the loss of the file. A copy has the same; what tells copies apart is where they are. A disk that is full is
// no reason not to start: then it is kept by a later start.
Result<std::string> open_data_id(const std::filesystem::path& file, Database& db);

}  // namespace roost

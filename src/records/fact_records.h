#pragma once

#include <string>
#include <string_view>

#include "db/database.h"

namespace roost {

// What the database knows of itself, by name. "" if there is no such fact.
Result<std::string> find_fact(Tx& tx, std::string_view name);
Status insert_fact(Tx& tx, std::string_view name, std::string_view value);
Status replace_fact(Tx& tx, std::string_view name, std::string_view value);

}  // namespace roost

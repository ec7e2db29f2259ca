#pragma once

#include <string>
#include <vector>

namespace roost {

// One line of comma-separated values; cells with commas, quotes or line ends are quoted (RFC 4180).
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace roost

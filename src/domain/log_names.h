#pragma once

#include <string>
#include <string_view>

namespace roost {

// Logs are stored under Azure's names, which its SDK promises. People are told plain ones: output (of rank 3 of several:
// output_3), build, mpi (mpi_node_2), sweep; files of ./logs keep theirs.
std::string plain_log_name(std::string_view stored);
// The other way; a name that is not plain stays.
std::string stored_log_name(std::string_view plain);

}  // namespace roost

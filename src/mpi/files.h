#pragma once

#include <optional>
#include <string>
#include <vector>

// The few things of the system that the program needs. It is static and may run in any image: it uses the C++
// library only, none of Roost's.
namespace roost::mpi {

std::optional<std::string> read_file(const std::string& path);
// Appears whole, by a rename. False if it could not be written.
bool write_file(const std::string& path, const std::string& text);
// Texts that are each ended by a NUL.
std::vector<std::string> split_nul(const std::string& text);

long long now_micros();

// The folder by which this node's runner is spoken with: by the environment of the process above, because
// hydra gives every process the environment of node 0, but its daemon has that of its own node.
std::string node_folder();

// The program of that name on PATH; "" if there is none.
std::string find_on_path(const std::string& name);

}  // namespace roost::mpi

#pragma once

#include <string>
#include <vector>

// What the program can be called as; each answers its exit code. See README.md.
namespace roost::mpi {

// start PER_NODE HOST=ADDRESS...
int start(const std::vector<std::string>& arguments);
// [OPTIONS] HOST COMMAND...
int agent(const std::vector<std::string>& arguments);
// Runs the rank that mpirun says this is and ends as it ended. With `alone` there is no mpirun: it is rank 0.
int rank(bool alone);

}  // namespace roost::mpi

#pragma once

#include <string>

#include "base/result.h"

namespace roost {

struct RunnerOptions {
  std::string node;
  std::string server_file;
  std::string folder;
  std::string gpus;
  std::string token;
  std::string data_id;  // of the server's data folder; "": any server is believed
  bool joined = false;  // started by Slurm, on a machine that may share nothing with the server
  std::string address = "127.0.0.1";
};

// The node agent: takes orders from the server and runs them, one attempt at a time, until it is told
// to leave, is given up by the server, or has been idle without a server for a minute.
Status run_runner(const RunnerOptions& options);

}  // namespace roost

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/resource_ask.h"
#include "domain/slurm_options.h"

namespace roost {

// A job that brings up nodes for one run, or an array of such jobs for many runs of the same shape.
struct SlurmSubmission {
  std::string name;   // by which Roost finds it again; Slurm's numbers are used twice after a crash
  std::string title;  // for people who look at the queue
  SlurmOptions options;
  std::int64_t nodes = 1;
  ResourceAsk resources;      // of each node, as its runs ask; before what the compute asks for all
  std::int64_t minutes = 0;   // 0: the partition's own limit
  std::int64_t elements = 0;  // of an array; 0: none
  std::string token;          // opens the server to the job's runners

  std::string url;      // where the runners find the server
  std::string ca;       // its certificate, if it has one of its own
  std::string folder;   // for nodes to work in; "" for one below $TMPDIR
  std::string program;  // where roost is on this machine, and perhaps on the nodes too
  std::uint64_t program_size = 0;
  std::string program_digest;
};

// The words of sbatch; the script goes to its input.
std::vector<std::string> sbatch_words(const SlurmSubmission& job);
// Gets the program to each node if it is not there, and starts a runner there that joins the server.
std::string job_script(const SlurmSubmission& job);

}  // namespace roost

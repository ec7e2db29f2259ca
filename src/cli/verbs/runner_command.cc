#include <memory>

#include "cli/verbs/server_verbs.h"
#include "runner/join.h"
#include "runner/runner.h"

namespace roost {

void register_runner(Verb& root) {
  auto options = std::make_shared<RunnerOptions>();
  auto join = std::make_shared<JoinOptions>();
  root.verb("runner", "Run as a node; the server starts these")
      .group(kServerGroup)
      .hidden()
      .option("--node", options->node, "ID", "this node's name")
      .option("--connect", options->server_file, "FILE", "the server file to find the server by")
      .required_option("--folder", options->folder, "DIR", "where to work")
      .option("--gpus", options->gpus, "LIST", "GPUs of this node, as CUDA_VISIBLE_DEVICES has them")
      .option("--data-id", options->data_id, "ID", "of the data folder whose server is believed")
      .option("--address", options->address, "IP", "by which the other nodes of a run reach this one")
      .option("--join", join->allocation, "JOB", "become a node of this Slurm job of Roost's")
      .option("--index", join->index, "N", "which element of the job's array this is; -1: it has none")
      .option("--rank", join->rank, "N", "which node of the job this is")
      .option("--server", join->server, "URL", "the server to join")
      .option("--ca", join->ca_file, "FILE", "the server's certificate, if it is its own")
      .action([options, join]() -> Result<int> {
        if (!join->allocation.empty()) {
          join->folder = options->folder;
          join->gpus = options->gpus;
          ROOST_TRY(*options, join_server(*join));
        }
        ROOST_CHECK(run_runner(*options));
        return 0;
      });
}

}  // namespace roost

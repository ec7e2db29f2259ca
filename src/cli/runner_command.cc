#include <memory>

#include "cli/server_verbs.h"
#include "runner/runner.h"

namespace roost {

void register_runner(Verb& root) {
  auto options = std::make_shared<RunnerOptions>();
  root.verb("runner", "Run as a node; the server starts these")
      .group(kServerGroup)
      .hidden()
      .required_option("--node", options->node, "ID", "this node's name")
      .required_option("--connect", options->server_file, "FILE", "the server file to find the server by")
      .required_option("--folder", options->folder, "DIR", "where to work")
      .option("--gpus", options->gpus, "LIST", "GPUs of this node, as CUDA_VISIBLE_DEVICES has them")
      .option("--address", options->address, "IP", "by which the other nodes of a run reach this one")
      .action([options]() -> Result<int> {
        ROOST_CHECK(run_runner(*options));
        return 0;
      });
}

}  // namespace roost

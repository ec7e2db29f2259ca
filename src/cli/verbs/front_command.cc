#include <memory>

#include "cli/verbs/server_verbs.h"
#include "cli/work/interrupt.h"
#include "client/api_client.h"
#include "front/run_front.h"

namespace roost {

void register_front(Verb& root, Console& console) {
  auto options = std::make_shared<RunFrontOptions>();
  root.verb("front", "Take the requests of endpoints; the server starts this")
      .group(kServerGroup)
      .hidden()
      .option("--address", options->address, "IP", "where to listen")
      .option("--port", options->port, "PORT", "where to listen; 0: where the last one did, else any free one")
      .option("--tls-certificate", options->tls.certificate, "FILE", "PEM, the chain")
      .option("--tls-key", options->tls.key, "FILE", "PEM")
      .action([options, &console]() -> Result<int> {
        const InterruptWatch interrupts;
        options->data = data_folder(console.data());
        ROOST_CHECK(run_front(*options, interrupts.token()));
        return 0;
      });
}

}  // namespace roost

#include <memory>

#include "cli/verbs/server_verbs.h"
#include "cli/work/interrupt.h"
#include "serve/serve.h"

namespace roost {

void register_serve(Verb& root) {
  auto options = std::make_shared<ServeOptions>();
  root.verb("serve", "Serve a model on a port of this machine")
      .group(kServeGroup)
      .optional_arguments("MODEL", options->models, "an .onnx file, a folder with NAME/VERSION/model.onnx, or a score.py")
      .option("--name", options->name, "NAME", "of the model, instead of its file's")
      .option("-p,--port", options->port, "PORT", "where to listen; any free one by default")
      .option("--address", options->address, "IP", "where to listen (127.0.0.1)")
      .option("--model-dir", options->model_dir, "DIR", "AZUREML_MODEL_DIR of a score.py")
      .option("--workers", options->workers, "N", "Python processes of a score.py (1)")
      .option("--max-batch", options->max_batch, "N", "rows of requests that may run together (32)")
      .option("--max-delay-us", options->max_delay_us, "N", "how long a request may wait for others (0)")
      .option("--threads", options->threads, "N", "threads of one run of a model; decided by default")
      .option("--queue-limit", options->queue_limit, "N", "requests that may wait; one more is answered 503 (256)")
      .option("--queue-wait-ms", options->queue_wait_ms, "N", "how long they may wait for a worker (500)")
      .option("--scoring-timeout-ms", options->scoring_timeout_ms, "N", "how long one request may take (60000)")
      .option("--max-body-bytes", options->max_body_bytes, "N", "of one request (104857600)")
      .option("--cors-origins", options->cors_origins, "LIST", "whose pages may call it: origins with commas, or *")
      .details("Answers the Open Inference Protocol v2 below /v2, the ONNX Runtime Server's JSON and plain JSON on /score.\n"
               "Without a key: for this machine, for trying out and for measuring. `roost deploy` makes an endpoint of a\n"
               "registered model. Without MODEL it is the replica of an endpoint, and does what ROOST_REPLICA orders.")
      .example("roost serve model.onnx --port 8080")
      .example("curl localhost:8080/v2/models/model")
      .action([options]() -> Result<int> {
        const InterruptWatch interrupts;
        return run_serve(*options, interrupts.token());
      });
}

}  // namespace roost

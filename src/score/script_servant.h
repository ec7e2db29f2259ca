#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "infer/servant.h"

namespace roost {

struct ScriptServantOptions {
  std::string python = "python";        // a path, or a name to be found on PATH; where there is no python, python3
  std::filesystem::path app_root;       // the workers' working folder: code, and azureml-models below it
  std::string entry_script;             // relative to the app root, or to source_directory; "" with runtime sklearn
  std::string source_directory;         // of the app root, or ""
  std::string model_dir;                // AZUREML_MODEL_DIR, relative to the app root; "" for none
  bool sklearn = false;                 // no script: the model of model_dir is asked itself
  int workers = 1;                      // processes, each with init() of its own
  std::uint64_t queue_limit = 256;      // requests that may wait for a worker; further ones get 503
  std::uint64_t queue_wait_ms = 500;    // how long one waits, then 503; 0: it does not
  std::uint64_t scoring_timeout_ms = 60'000;
  std::uint64_t max_body_bytes = 100 << 20;
  std::string cors_origins;             // as AML_CORS_ORIGINS: a comma list, or "*"
  std::string service_name = "ML service";
  std::filesystem::path sdk;            // the folder that has roost/ and azureml/; "" if PYTHONPATH has it already
  std::string prefix_header = "x-roost-prefix";  // lower case; what paths of the swagger begin with
  bool log_access = true;
  // Before a worker is called hung after its own alarm went off, and killed.
  std::chrono::milliseconds kill_grace{2000};
  // Ends in a row, without an answered request between them, after which no more are started.
  int most_crashes = 5;
  std::chrono::milliseconds first_back_off{100};  // doubles with each end in a row, up to 5 s
  std::chrono::milliseconds drain{30'000};        // how long stop() waits for what is under way
};

// Takes what the deployment's environment variables say over what is there: WORKER_COUNT, AML_CORS_ORIGINS,
// SERVICE_NAME, AZUREML_LOG_LEVEL. kInvalidArgument names the variable that makes no sense.
Status take_variables(ScriptServantOptions& options);

// score.py behind HTTP: Python processes that import the script, each asked one request at a time. Requests wait in order
// for an idle one. The handlers block while they wait and while Python works, so the listener needs
// threads_wanted() worker threads. A worker that ends or hangs is replaced; a script that cannot start any more
// makes is_ready() false, with the exception's own text in failure().
class ScriptServant : public Servant {
 public:
  // "" while it serves. From any thread.
  virtual std::string failure() const = 0;
  virtual int threads_wanted() const = 0;
};

// kInvalidArgument if there is no such script below the app root.
Result<std::unique_ptr<ScriptServant>> make_script_servant(ScriptServantOptions options);

}  // namespace roost

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

struct OutputFile {
  std::string path;  // "outputs/model.pt"
  std::string digest;
  std::uint64_t size = 0;
};

// What a runner says of an attempt that ended.
struct FinishReport {
  // "exited": the process ran. "launch_failed", "staging_failed", "outputs_failed": see message.
  std::string outcome;
  std::string message;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  Micros exited = 0;
  std::vector<OutputFile> outputs;
  // How long each log and spool file is: the server must have all of it before the run may end.
  std::map<std::string, std::uint64_t> streams;
};
Result<FinishReport> parse_finish_report(const Json& body);

// Records the outputs (whose blobs must be stored and synced) and ends the run: Finalizing, then
// Completed, Failed or Canceled with exit code or signal, reason and the last lines it printed.
Status finish_run(Tx& tx, Run& run, const FinishReport& report,
                  const std::vector<std::string>& last_lines, Micros now);

struct Artifact {
  std::string path;
  std::string digest;
  std::uint64_t size = 0;
  Micros at = 0;
};
Status put_artifact(Tx& tx, std::int64_t run, const OutputFile& file, Micros now);
Result<std::vector<Artifact>> list_artifacts(Tx& tx, std::int64_t run, std::string_view prefix,
                                             std::string_view after, std::int64_t limit);
Result<Artifact> find_artifact(Tx& tx, const Run& run, std::string_view path);

// "SIGSEGV (segmentation fault)"
std::string signal_text(std::int64_t signal);

}  // namespace roost

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "db/database.h"
#include "domain/output_sets.h"
#include "domain/root_cause.h"
#include "domain/run.h"

namespace roost {

// The outcome of a part whose node was told to end: what it did goes on elsewhere.
inline constexpr const char* kEvicted = "evicted";

// What a runner says of its part of an attempt that ended.
struct FinishReport {
  // "exited": the processes ran. "launch_failed", "staging_failed", "outputs_failed": see message.
  // "launcher_failed": mpirun did not end well; message tells if no rank can be blamed. kEvicted.
  std::string outcome;
  std::string message;
  int node_rank = 0;
  std::vector<RankEnd> ranks;
  Micros exited = 0;
  std::vector<OutputFile> outputs;
  std::vector<std::string> gone;  // outputs that were kept meanwhile, and that the run then removed
  // How long each log and spool file is: the server must have all of it before the run may end.
  std::map<std::string, std::uint64_t> streams;
  std::vector<std::string> notices;  // what could not be kept, and why
};
Result<FinishReport> parse_finish_report(const Json& body);
// [{"path", "digest", "size"}]
Result<std::vector<OutputFile>> parse_output_files(const Json& list);
// What is kept of a report, and back; the outputs are not.
Json report_json(const FinishReport& report);
FinishReport stored_report(const Json& json);

// Records a part's outputs, whose blobs must be stored and synced. Where two nodes of the attempt, begun
// at `since`, wrote a file of the same name, that of the first node stays.
Status record_outputs(Tx& tx, const Run& run, const FinishReport& report, Micros since, Micros now);

// How a whole attempt ended, by the reports of all its nodes.
struct RunEnd {
  std::string outcome = "exited";  // of the first part that did not just exit
  std::string message;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  bool out_of_memory = false;
  Micros exited = 0;
  std::optional<RootCause> cause;
  std::string node;
  std::vector<std::string> last_lines;  // of the rank that is the cause
  bool is_gang = false;

  bool succeeded() const { return outcome == "exited" && !cause && exit_code == 0; }
};

// Ends the run: Finalizing, then Completed, Failed or Canceled with exit code or signal, reason and
// the last lines it printed.
Status finish_run(Tx& tx, Run& run, const RunEnd& end, Micros now);

struct Artifact {
  std::string path;
  std::string digest;
  std::uint64_t size = 0;
  Micros at = 0;
};
// The outputs of a node of several wait with its report until all have reported: what a part of the nodes left is no
// checkpoint to go on from if the others are lost.
void hold_outputs(const FinishReport& report, Json& part_report);
Result<FinishReport> held_outputs(const Json& part_report, int node_rank);

Status put_artifact(Tx& tx, std::int64_t run, const OutputFile& file, Micros now);
Status remove_artifact(Tx& tx, std::int64_t run, const std::string& path);
Result<std::vector<Artifact>> list_artifacts(Tx& tx, std::int64_t run, std::string_view prefix,
                                             std::string_view after, std::int64_t limit);
Result<Artifact> find_artifact(Tx& tx, const Run& run, std::string_view path);

}  // namespace roost

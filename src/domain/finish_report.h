#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "domain/output_sets.h"
#include "domain/root_cause.h"

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
  // How long before it was sent its processes began and had ended, where the runner knows.
  std::optional<Micros> started_ago;
  std::optional<Micros> exited_ago;
  Micros exited = 0;  // when they had ended: what earlier runners say by their node's calendar, or as it was stored
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

// The outputs of a node of several wait with its report until all have reported: what a part of the nodes left is no
// checkpoint to go on from if the others are lost.
void hold_outputs(const FinishReport& report, Json& part_report);
Result<FinishReport> held_outputs(const Json& part_report, int node_rank);


}  // namespace roost

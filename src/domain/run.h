#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "domain/run_state.h"

namespace roost {

inline constexpr const char* kScriptType = "script";  // azureml.scriptrun to those who know Azure's words
inline constexpr std::string_view kInteractiveType = "interactive";
inline constexpr std::string_view kSweepType = "hyperdrive";
inline constexpr std::string_view kReplicaType = "roost.replica";  // of an endpoint
// The property of a run that finds in ./outputs what another has left there.
inline constexpr const char* kGoesOnFrom = "roost.goes_on_from";

// Everything kept about one run. `seq` is its row, growing with time.
struct Run {
  std::int64_t seq = 0;
  std::string id;
  std::string workspace;
  std::string experiment;
  std::int64_t experiment_row = 0;
  std::int64_t number = 0;
  std::string display_name;
  RunStatus status = RunStatus::kNotStarted;
  std::string type = kScriptType;
  std::optional<std::string> parent;
  std::string compute;
  std::int64_t priority = 0;
  std::string created_by;
  Micros created = 0;
  std::optional<Micros> started;
  std::optional<Micros> ended;
  std::int64_t attempt = 0;  // 0: not placed on a node yet
  std::int64_t max_retries = 0;
  std::optional<std::string> snapshot;
  Json spec;
  Json environment;
  Json git;
  Json tags = Json::object();
  Json properties = Json::object();
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  Json error;  // null or {"code", "message", "last_lines", "node"}
  Json notices = Json::array();
  std::optional<std::string> node;
  std::string cancel_reason;
  std::optional<Micros> deadline;
  bool archived = false;  // out of the run table unless it is asked for
  bool held = false;      // is given no node until it is released
  std::optional<Micros> deleted;  // since when it is in the bin
};

// Which runs or experiments a list has by whether they are in the bin.
enum class InBin { kLeftOut, kOnly, kToo };

struct RunEvent {
  std::int64_t seq = 0;
  std::int64_t attempt = 0;
  std::string from;
  std::string to;
  Micros at = 0;
  std::string reason;
};

// The values of variables that were given to a run are not shown to everybody; those of secrets to nobody.
enum class Variables { kShown, kMasked };

Json run_json(const Run& run, Variables variables);
// What a spec (RunSpec as JSON) may show.
void mask_spec(Json& spec, Variables variables);
Json event_json(const RunEvent& event);

// A record that others report to: an interactive run, or the parent of a sweep.
bool has_no_node(const Run& run);

// How many nodes the run starts on, all at once or not at all.
std::int64_t nodes_needed(const Run& run);
std::optional<std::int64_t> time_limit_seconds(const Run& run);

// "<experiment>_<unix seconds>_<8 hex>", as Azure ML names them.
std::string new_run_id(const std::string& experiment, Micros now);

// Seconds spent in each state so far, from the events of a run in order.
Json stage_seconds(const std::vector<RunEvent>& events, Micros now);

}  // namespace roost

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

// An attempt is one try of a run on its nodes; only while it is open are its writes taken.
struct Attempt {
  std::int64_t run = 0;
  std::int64_t attempt = 0;
  std::string node;  // the first
  bool open = true;
  Micros created = 0;
  std::optional<Micros> stopping;  // since when its processes are being ended, because one failed
  std::optional<std::string> preempted;  // why its nodes were taken away
};

// What one node does for an attempt.
enum class PartState { kAssigned, kReady, kStarted, kFinished, kLost };
std::string_view part_state_name(PartState state);

struct AttemptPart {
  std::int64_t run = 0;
  std::int64_t attempt = 0;
  int node_rank = 0;
  std::string node;
  PartState state = PartState::kAssigned;
  Json facts;   // what the node said of itself when it was ready
  Json report;  // what it said at its end, or {"lost": reason}
  Json command; // what MPI asked it to start
  Micros ended = 0;

  bool is_over() const { return state == PartState::kFinished || state == PartState::kLost; }
};

Status insert_attempt(Tx& tx, const Attempt& attempt, const std::vector<std::string>& nodes,
                      std::string_view token_hash, Micros now);
Status close_attempt(Tx& tx, std::int64_t run, std::int64_t attempt);
// Notes that the processes of the attempt have to end; false if that was so already.
Result<bool> stop_attempt(Tx& tx, std::int64_t run, std::int64_t attempt, Micros now);
// Notes why the nodes of the attempt are taken away; false if its processes are being ended already.
Result<bool> preempt_attempt(Tx& tx, std::int64_t run, std::int64_t attempt, const std::string& why, Micros now);
// The attempts of the run whose nodes were taken away.
Result<std::vector<std::int64_t>> preempted_attempts(Tx& tx, std::int64_t run);
Result<std::optional<Attempt>> attempt_for_token(Tx& tx, std::string_view token_hash);
Result<std::optional<Attempt>> open_attempt(Tx& tx, std::int64_t run);
// kGivenUp once the attempt has ended or was given up.
Status check_attempt_open(Tx& tx, const Run& run, std::int64_t attempt);
// An attempt as runners name it.
struct AttemptName {
  std::string run;  // its id
  std::int64_t attempt = 0;
};
// The run, if that attempt of it is open.
Result<Run> find_open_run(Tx& tx, const AttemptName& name);
Result<std::int64_t> count_open_attempts(Tx& tx);
// The time limits of runs that have nodes: their rows and when each is due, by the wall clock.
Result<std::vector<std::pair<std::int64_t, Micros>>> open_deadlines(Tx& tx);
// Open attempts that are being stopped.
Result<std::vector<Attempt>> stopping_attempts(Tx& tx);
// What nodes have to do or are doing now, with the id of the run; of each part only its place.
Result<std::vector<std::pair<std::string, AttemptPart>>> all_open_parts(Tx& tx);
// What nodes have still to report of runs that were canceled.
Result<std::vector<AttemptPart>> canceled_parts(Tx& tx);

// What the node has to do or is doing now.
Result<std::vector<AttemptPart>> open_parts(Tx& tx, std::string_view node);
// All parts of an attempt, by node rank.
Result<std::vector<AttemptPart>> attempt_parts(Tx& tx, std::int64_t run, std::int64_t attempt);
// The part of a node that has still to report, of the run's newest attempt; else kGivenUp.
Result<AttemptPart> unreported_part(Tx& tx, const Run& run, int node_rank);
Status save_part(Tx& tx, const AttemptPart& part);
// The nodes of the run's newest attempt.
Result<std::vector<std::string>> nodes_of_run(Tx& tx, std::int64_t run, std::int64_t attempt);

}  // namespace roost

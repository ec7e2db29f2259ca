#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "db/database.h"
#include "domain/compute.h"
#include "domain/run.h"
#include "records/attempt_records.h"

namespace roost {

// An attempt is one try of a run on its nodes. Everything a runner does for it is taken only while it
// is open, so that a node that was given up cannot overwrite its successor.

// Gives the run to the nodes, by node rank: a new attempt, the nodes running. The run's state changes
// when a runner reports that it started.
Status start_attempt(Tx& tx, Run& run, std::vector<Node>& nodes, const std::string& token_hash, Micros now);

// The node has everything it needs and waits for the others. True if it was the last.
Result<bool> mark_ready(Tx& tx, const Run& run, int node_rank, const Json& facts);
// What all nodes are told once each of them is ready: the facts of all, by node rank. Null until then.
Json facts_of_all(const std::vector<AttemptPart>& parts);

// The node will not report any more: the processes on the others have to end.
Status lose_part(Tx& tx, AttemptPart& part, const std::string& reason, Micros now);

// When something happened of which a runner says how long ago it was: not before what is known of the run already, nor
// after `now`. `run` has an open attempt.
Result<Micros> time_of_news(Tx& tx, const Run& run, Micros ago, Micros now);

// Running since `started`. Sets the deadline by the run's time limit. Reporting twice changes nothing.
Status mark_started(Tx& tx, Run& run, int node_rank, Micros started);
// Finalizing: the last process ended at `exited`; its outputs are still being collected.
Status mark_exited(Tx& tx, Run& run, Micros exited);

// Asks for the end of a run: at once Canceled while nothing runs, else CancelRequested until its
// runner has ended it, also if its process has ended and only the outputs are still to come. `error` says more, if there
// is more to say. A run that has ended is refused; one that was failed before ends as that.
Status request_cancel(Tx& tx, Run& run, const std::string& reason, Micros now, const Json& error = nullptr);

// Ends a run as Failed with `error`, whatever it does or meets from then on: at once while nothing runs, else once its
// runner has ended it. `by_itself`: its own script says so, and is left to end as it likes. A run that has ended is refused;
// of one that was canceled or failed before nothing changes.
Status request_fail(Tx& tx, Run& run, Json error, bool by_itself, Micros now);

// Ends a run that has no node: its own process said so, or somebody canceled it.
Status end_interactive(Tx& tx, Run& run, RunStatus to, const std::string& reason, Micros now);

// The node was not heard of for a while; it may come back.
Status mark_silent(Tx& tx, Run& run, const std::string& reason, Micros now);
Status mark_heard(Tx& tx, Run& run, Micros now);

// A node of the attempt was lost: closes the attempt, then queues the run again if it has retries left,
// else fails it with the reason. An attempt that never began costs no retry.
Status give_up_attempt(Tx& tx, Run& run, const std::string& reason, Micros now);

// What a runner is told to do: everything it needs to run its part of the attempt. What an earlier
// attempt left in ./outputs is added by whoever knows the artifacts.
Result<Json> make_order(Tx& tx, const Run& run, int node_rank, const std::string& token, Micros now);

}  // namespace roost

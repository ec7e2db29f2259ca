#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "domain/run.h"
#include "records/workspace_records.h"

namespace roost {

// The bin: where runs and experiments are from the moment somebody deletes them until they are taken out again or deleted
// for good. What is in it is left out of every list, search and count that does not ask for it (InBin), can be read by its
// id (`deleted` says since when it is there), and is not written to. All work inside a caller's transaction; `who` stands
// in the history of each run. They return the ids of the runs that went in or came out, for Changes::run_changed.

// The run and all below it. kFailedPrecondition, with whom to cancel, if one of them has not ended; a run that is there
// already changes nothing.
Result<std::vector<std::string>> put_run_in_bin(Tx& tx, const Run& run, std::string_view who, Micros now);
// Takes it out, with what went in below it at the same time. What it lies in comes out too: the runs above it and its
// experiment, without their other runs.
Result<std::vector<std::string>> take_run_out_of_bin(Tx& tx, const Run& run, std::string_view who, Micros now);

// The experiment with all its runs, and what is below these.
Result<std::vector<std::string>> put_experiment_in_bin(Tx& tx, const Experiment& experiment, std::string_view who, Micros now);
// Takes it out with the runs that went in with it; those that somebody had deleted before stay there.
Result<std::vector<std::string>> take_experiment_out_of_bin(Tx& tx, const Experiment& experiment, std::string_view who,
                                                            Micros now);

inline bool is_in_bin(const Run& run) { return run.deleted.has_value(); }
inline bool is_in_bin(const Experiment& experiment) { return experiment.deleted.has_value(); }

// kFailedPrecondition, with how to take it out, for whoever wants to change it or to add to it.
Status check_not_in_bin(const Run& run);
Status check_not_in_bin(const Experiment& experiment);

}  // namespace roost

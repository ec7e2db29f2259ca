#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "domain/run.h"
#include "records/workspace_records.h"

namespace roost {

// Deleting for good what is in the bin. First it is written down what is to go (request_...); then, run by run and piece
// by piece, everything of it is removed; the run's own row goes last. So a server that is killed between any two of these
// goes on where it was. All work inside a caller's transaction.

// The run and all below it, which are in the bin. kFailedPrecondition if it is not, or while a sweep that goes on needs
// one of them. What is being deleted cannot be taken out any more.
Status request_purge(Tx& tx, const Run& run, std::string_view who, Micros now);
Status request_purge(Tx& tx, const Experiment& experiment, std::string_view who, Micros now);
// All that went into the bin before `before`, of one workspace or ("") of all; how many runs. What a sweep needs stays.
Result<std::int64_t> request_purge_of_old(Tx& tx, std::string_view workspace, Micros before, std::string_view who, Micros now);

struct BinFacts {
  std::int64_t runs = 0;
  std::int64_t experiments = 0;
  std::int64_t being_deleted = 0;  // of the runs
  std::optional<Micros> oldest;
};
Result<BinFacts> bin_facts(Tx& tx, std::string_view workspace);

struct PurgedRun {
  std::int64_t seq = 0;
  std::string id;
};
// The one to go on with: those below before those above.
Result<std::optional<PurgedRun>> next_purged(Tx& tx);
// Removes at most about `limit` rows of what belongs to the run; whether there was any.
Result<bool> purge_some(Tx& tx, std::int64_t run, std::int64_t limit);
// Once nothing belongs to it any more. What refers to it keeps as text what it was.
Status finish_purge(Tx& tx, const PurgedRun& run, Micros now);
// Experiments of which all runs are gone.
Status purge_empty_experiments(Tx& tx);

}  // namespace roost

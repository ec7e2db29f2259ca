#pragma once

#include <functional>

#include "db/database.h"
#include "domain/run.h"
#include "execute/execute_parts.h"
#include "execute/log_tails.h"

namespace roost {

// Ends the run, or queues it again, if no node works on its attempt any more: a rank that failed is the
// cause before a node that was lost, unless the rank only missed that node. Changes nothing while a
// node has still to report. What the ranks printed last is taken from `tails`; it fails if something is missing there,
// see write_concluding(). Here is decided how a run ends; what its nodes left was checked before (finalize/).
Status conclude_attempt(const ExecuteParts& execute, Tx& tx, const LogTails& tails, Run& run, Micros now);

// Database::write() for work that concludes attempts. A log it misses is read after the transaction was undone, and
// `work` is done again from its beginning.
Status write_concluding(const ExecuteParts& execute, const std::function<Status(Tx&, const LogTails&)>& work);

}  // namespace roost

#pragma once

#include "server/app.h"

namespace roost {

// Ends the run, or queues it again, if no node works on its attempt any more: a rank that failed is the
// cause before a node that was lost, unless the rank only missed that node. Changes nothing while a
// node has still to report.
Status conclude_attempt(App& app, Tx& tx, Run& run, Micros now);

}  // namespace roost

#pragma once

#include "runner/attempt.h"

namespace roost {

// The first hook. Makes the attempt's folder and lays out what its processes find in it: the snapshot in ./code, the
// inputs where the order wants them, ./outputs with what an earlier attempt left and ./logs, and the run's copy of the
// server file; on a joined node the environment, too. From now on ./logs and the spool are streams. Nothing is laid out
// through a link, and nothing in Roost's own folder but the attempt's. What had to be left out is in `notices`. Goes on
// while the server is away. An error is one that a repetition would not change, and fails the run with its words.
Status stage_attempt(Attempt& attempt, Notices& notices);

}  // namespace roost

#pragma once

#include "base/sealing.h"
#include "records/alert_records.h"

namespace roost {

// What is secret of a channel (a webhook's address, a mail password) is in the database sealed, and open only while
// something is sent.
void seal_channel(Channel& channel, const Sealer& sealer);
// kFailedPrecondition if the key of the data folder is another by now: then it has to be given anew.
Status open_channel(Channel& channel, const Sealer& sealer);

}  // namespace roost

#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "records/alert_records.h"

namespace roost {

// What a webhook is sent. `id` is the same each time it is tried.
Json webhook_body(const Alert& alert, const std::string& url);
// As Slack and what is like it take it.
Json slack_body(const Alert& alert, const std::string& url);

// Sends the alert, over the network, and returns once the receiver has taken it. A webhook is signed: X-Roost-Signature is
// "sha256=" and the HMAC of "<X-Roost-Timestamp>.<body>" by the channel's secret. No redirect is followed: who
// configured the channel chose its host. kUnavailable and kDeadlineExceeded pass; anything else will not by itself, but may be put
// right at the receiver, so it is tried again as well.
Status deliver(const Channel& channel, const Alert& alert, const std::string& url, Micros now);

}  // namespace roost

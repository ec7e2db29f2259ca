#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// What people can be told of. Values are bits of AlertEvents, which are stored.
enum class AlertEvent : std::uint32_t {
  kEnd = 1,          // a run ended, however
  kFailure = 2,      // a run failed
  kHang = 4,         // a run seems to hang
  kDivergence = 8,   // a metric became NaN or infinite
  kIdleGpu = 16,     // the GPUs of a run have had nothing to do for a while
  kLowDisk = 32,     // of the server
};
using AlertEvents = std::uint32_t;

inline AlertEvents alert_bit(AlertEvent event) { return static_cast<AlertEvents>(event); }
std::string_view alert_event_name(AlertEvent event);
// Names in their order, "end", "failure", ...
std::vector<std::string> alert_event_names(AlertEvents events);
// kInvalidArgument names those there are. None: end.
Result<AlertEvents> parse_alert_events(const std::vector<std::string>& names);

// A channel to be told by, as submits and rules name it: "NAME" or "NAME:failure,hang".
struct Notify {
  std::string channel;
  AlertEvents events = 0;
};
Result<Notify> parse_notify(std::string_view text);

// Where alerts go. `settings` may be shown to anybody, `secret` to nobody.
struct ChannelSpec {
  std::string kind;  // "webhook", "slack", "mail", "desktop"
  Json settings = Json::object();  // webhook, slack: {"host"}; mail: {"to", "from", "host", "port", "security", "user"}
  Json secret = Json::object();    // webhook: {"url", "secret"}; slack: {"url"}; mail: {"password"}
};
Result<ChannelSpec> parse_channel(const Json& body);
Status check_channel_name(std::string_view name);

}  // namespace roost

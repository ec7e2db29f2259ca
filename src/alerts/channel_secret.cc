#include "alerts/channel_secret.h"

#include <fmt/format.h>

#include "base/json.h"

namespace roost {
namespace {

std::string place_of(const Channel& channel) { return "channel " + channel.name; }

}  // namespace

void seal_channel(Channel& channel, const Sealer& sealer) {
  channel.spec.secret = sealer.seal(to_text(channel.spec.secret), place_of(channel));
}

Status open_channel(Channel& channel, const Sealer& sealer) {
  if (!channel.spec.secret.is_string()) return {};
  const auto opened = sealer.open(channel.spec.secret.get_ref<const std::string&>(), place_of(channel));
  if (!opened) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("what is secret of the channel {0} cannot be opened: {1}; give it anew: roost alerts add {0}", channel.name,
                            opened.error().message));
  }
  channel.spec.secret = stored_json(*opened);
  return {};
}

}  // namespace roost

#include "runner/attempt_stream.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "net/router.h"

namespace roost {
namespace {

// A run says that its event files are not to be read with ROOST_TENSORBOARD=0 among its variables.
bool wants_events(const Attempt& attempt) {
  const std::string wish = lower(text_at(object_at(attempt.order, "variables"), "ROOST_TENSORBOARD"));
  return wish != "0" && wish != "false" && wish != "off" && wish != "no";
}

}  // namespace

AttemptStream::AttemptStream(Attempt& attempt)
    : attempt_(attempt), space_(attempt.clock, kForSpace, [&attempt] {
        return attempt.orders.is_abandoned() || attempt.orders.is_canceled();
      }) {}

void AttemptStream::begin() {
  begun_ = next_ship_ = attempt_.clock.steady();
  next_look_ = next_ship_ + kBeforeTold;
  if (!wants_events(attempt_)) return;
  const NodeSettings& node = attempt_.settings;
  auto server = std::make_unique<ServerLink>(node.server_file, node.data_id, text_at(attempt_.order, "token"),
                                             attempt_.orders.abandoned());
  events_.emplace(EventReader::Place{attempt_.code(), attempt_.folder / kEventSpool,
                                     "/runs/" + percent_encode(attempt_.run_id) + "/artifacts", attempt_.launched},
                  std::move(server), attempt_.clock, attempt_.orders.abandoned());
}

void AttemptStream::end() {
  if (events_) events_->finish(space_);
  attempt_.streams.end();
}

bool AttemptStream::has_failure_to_tell() const {
  return !attempt_.failure.is_null() && attempt_.gang.nodes > 1 && !attempt_.failure.contains("told");
}

void AttemptStream::go_on() {
  is_urgent_ = has_output_ || has_failure_to_tell();
  if (attempt_.clock.steady() < (is_urgent_ ? next_ship_ : next_look_)) return;
  if (events_ && attempt_.clock.steady() >= begun_ + kBeforeEvents) events_->begin();
  has_output_ = false;
  tell_start();
  const auto shipped = attempt_.streams.ship(attempt_.server);
  const bool sent = shipped && !shipped->failed;
  const Micros now = attempt_.clock.steady();
  next_ship_ = now + (sent ? kBetweenShips : kAfterFailure);
  next_look_ = std::max(next_ship_, now + kLook);
  if (!shipped && is_given_up(shipped.error())) attempt_.orders.abandon();
  if (shipped) attempt_.bytes_shipped += static_cast<std::int64_t>(shipped->bytes);
  if (sent && shipped->more) next_look_ = next_ship_ = now;
  tell_failure();
}

Micros AttemptStream::until_due() const {
  return std::clamp((is_urgent_ ? next_ship_ : next_look_) - attempt_.clock.steady(), Micros(0), kLook);
}

// Whatever the server says to it, output is shipped and orders are obeyed; its end tells of its start too.
void AttemptStream::tell_start() {
  if (is_start_told_ || attempt_.clock.steady() < next_tell_) return;
  Json body = {{"node_rank", attempt_.node_rank}};
  if (attempt_.started) body["started_ago_us"] = attempt_.ago(*attempt_.started);
  is_start_told_ = attempt_.tell("started", body).has_value();
  next_tell_ = attempt_.clock.steady() + kAfterFailure;
}

// The other nodes of the run hear of a failure through the server; however long that takes, the
// processes here end.
void AttemptStream::tell_failure() {
  if (!has_failure_to_tell()) return;
  if (attempt_.tell("failed", attempt_.failure)) attempt_.failure["told"] = true;
}

bool AttemptStream::ship_all(bool wait_for_space) {
  Backoff backoff({}, attempt_.orders.abandoned());
  bool told = false;
  is_server_full_ = false;
  while (!attempt_.orders.is_abandoned()) {
    const auto shipped = attempt_.streams.ship(attempt_.server);
    if (shipped && shipped->bytes == 0) return true;
    if (shipped && !shipped->failed) continue;
    if (!shipped && is_given_up(shipped.error())) {
      attempt_.orders.abandon();
      break;
    }
    is_server_full_ = shipped ? shipped->full : shipped.error().code == ErrorCode::kResourceExhausted;
    if (is_server_full_ && (!wait_for_space || space_.gives_up())) return true;
    if (!shipped && !std::exchange(told, true)) {
      log_warning("run {}: {}; trying again", attempt_.run_id, shipped.error().message);
    }
    backoff.pause();
  }
  return false;
}

}  // namespace roost

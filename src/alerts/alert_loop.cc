#include "alerts/alert_loop.h"

#include <algorithm>

#include <fmt/format.h>

#include "alerts/channel_secret.h"
#include "alerts/deliver.h"
#include "base/digest.h"
#include "base/report_error.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRest{50};
constexpr std::chrono::seconds kLook{60};
constexpr Micros kLookEvery = 60 * kSecond;
constexpr Micros kDay = 86'400 * kSecond;
constexpr Micros kLongestPause = 3600 * kSecond;
constexpr std::int64_t kAtOnce = 100;
constexpr double kLowShare = 0.05;      // of the disk, below which it is told
constexpr double kEnoughShare = 0.08;   // above which it may be told again
constexpr double kIdlePercent = 5;
constexpr std::int64_t kKept = 10'000;  // alerts in the log
constexpr Micros kKeptFor = 30 * kDay;

}  // namespace

void AlertLoop::start() {
  // Runs that changed are what most alerts are about; the change is told after its transaction.
  runs_changed_ = parts_.changes.hub().subscribe("runs", [this] { wake_.notify(); });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void AlertLoop::stop() {
  runs_changed_.end();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void AlertLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    take_turn("sending alerts", [&] {
      look_around();
      send_due(stop);
    });
    waiter_.pause(stop, kRest);
    waiter_.wait_for(stop, until_next_due());
  }
}

std::chrono::nanoseconds AlertLoop::until_next_due() {
  std::optional<Micros> due;
  (void)parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(due, next_alert_due(tx));
    return {};
  });
  if (!due) return kLook;
  const Micros wait = std::max<Micros>(0, *due - parts_.clock.now());
  return std::min<std::chrono::nanoseconds>(kLook, std::chrono::microseconds(wait));
}

void AlertLoop::send_due(const std::stop_token& stop) {
  // A receiver that does not answer holds up nobody but itself.
  std::map<std::string, Micros> failed;  // until when
  for (std::size_t found = kAtOnce; found == kAtOnce && !stop.stop_requested();) {
    std::vector<Alert> due;
    report_error(parts_.db.read([&](Tx& tx) -> Status {
      ROOST_TRY(due, due_alerts(tx, parts_.clock.now(), kAtOnce));
      return {};
    }), "looking for alerts to send");
    found = due.size();
    for (auto& alert : due) {
      if (stop.stop_requested()) return;
      send_one(std::move(alert), failed);
    }
  }
}

void AlertLoop::send_one(Alert alert, std::map<std::string, Micros>& failed) {
  Result<Channel> channel = fail(ErrorCode::kInternal, "");
  (void)parts_.db.read([&](Tx& tx) -> Status {
    channel = find_channel(tx, alert.channel);
    return {};
  });
  const bool is_held_up = failed.contains(alert.channel);
  const bool is_gone = !channel && channel.error().code == ErrorCode::kNotFound;
  const Status opened = channel ? open_channel(*channel, parts_.sealer) : Status();
  if (!channel && !is_gone) return;  // the database has trouble; the next turn comes
  const Status sent = is_gone      ? Status(fail(ErrorCode::kNotFound, "the channel was removed"))
                      : is_held_up ? Status(fail(ErrorCode::kUnavailable, "the receiver has failed for another alert just now"))
                                   : !opened      ? opened
                                   : deliver(*channel, alert, parts_.url, parts_.clock.now());
  const Micros now = parts_.clock.now();
  if (!is_held_up) ++alert.tries;
  if (sent) {
    alert.state = AlertState::kSent;
    alert.sent = now;
    alert.error.clear();
  } else if (is_held_up) {
    alert.next_at = failed[alert.channel];
  } else {
    alert.error = sent.error().message;
    const auto doubled = static_cast<double>(std::int64_t{1} << std::clamp<std::int64_t>(alert.tries - 1, 0, 20));
    const auto pause = static_cast<Micros>(parts_.first_pause_seconds * kSecond * doubled);
    alert.next_at = now + std::min(pause, kLongestPause);
    failed[alert.channel] = alert.next_at;
    if (is_gone || now - alert.at > kDay) alert.state = AlertState::kFailed;
  }
  report_error(parts_.db.write([&](Tx& tx) { return save_alert(tx, alert); }), "noting that an alert was sent");
  parts_.changes.hub().publish("alerts");
}

Result<Alert> AlertLoop::test(const std::string& name, const std::string& who) {
  Channel channel;
  Alert alert{0, random_hex(12), "", "", "", "test", fmt::format("{} asks whether alerts arrive here", who), name, parts_.clock.now()};
  ROOST_CHECK(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(channel, find_channel(tx, name));
    return {};
  }));
  ROOST_CHECK(open_channel(channel, parts_.sealer));
  const Status sent = deliver(channel, alert, parts_.url, alert.at);
  alert.tries = 1;
  alert.state = sent ? AlertState::kSent : AlertState::kFailed;
  if (sent) alert.sent = parts_.clock.now();
  if (!sent) alert.error = sent.error().message;
  ROOST_CHECK(parts_.db.write([&](Tx& tx) { return insert_test(tx, alert); }));
  parts_.changes.hub().publish("alerts");
  return alert;
}

void AlertLoop::look_around() {
  const Micros now = parts_.clock.now();
  if (looked_ != 0 && now >= looked_ && now - looked_ < kLookEvery) return;
  looked_ = now;
  look_at_gpus();
  look_at_disk();
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    ROOST_CHECK(forget_alerts(tx, now - kKeptFor, kKept, 1000));
    return {};
  }), "forgetting old alerts");
}

void AlertLoop::look_at_gpus() {
  const Micros now = parts_.clock.now();
  const auto since = now - static_cast<Micros>(parts_.idle_gpu_seconds * kSecond);
  std::vector<Run> idle;
  report_error(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto runs, runs_watched_for(tx, AlertEvent::kIdleGpu));
    for (const auto& run : runs) {
      ROOST_TRY(const auto busiest, parts_.busiest_gpu(tx, run.seq, since));
      if (busiest && *busiest < kIdlePercent) idle.push_back(run);
    }
    return {};
  }), "looking at GPUs");
  if (idle.empty()) return;
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    for (const auto& run : idle) {
      const std::string message = fmt::format("the GPUs of {} have had nothing to do for {:.0f} minutes", run.id,
                                              parts_.idle_gpu_seconds / 60);
      ROOST_CHECK(raise_alert(tx, run, {AlertEvent::kIdleGpu}, message, now));
    }
    return {};
  }), "telling of idle GPUs");
}

void AlertLoop::look_at_disk() {
  const double share = parts_.free_share();
  if (share > kEnoughShare) disk_was_low_ = false;
  if (share >= kLowShare || disk_was_low_) return;
  disk_was_low_ = true;
  const Micros now = parts_.clock.now();
  report_error(parts_.db.write([&](Tx& tx) {
    return raise_for_all(tx, AlertEvent::kLowDisk,
                         fmt::format("the disk of the data folder has {:.1f} % free; `roost disk` shows what takes it", share * 100), now);
  }), "telling of a full disk");
}

}  // namespace roost

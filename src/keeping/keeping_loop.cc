#include "keeping/keeping_loop.h"

#include <charconv>

#include "base/report_error.h"
#include "keeping/apply_rules.h"
#include "keeping/purger.h"
#include "records/fact_records.h"
#include "records/purge_records.h"

namespace roost {
namespace {

// Ages are days: nobody waits for the minute.
constexpr std::chrono::minutes kLook{10};
constexpr Micros kDay = 86'400 * kSecond;
constexpr Micros kHour = 3600 * kSecond;
constexpr double kLowShare = 0.1;  // of the disk, below which garbage is looked for every hour
constexpr const char* kCollectedAt = "garbage_collected_at";

}  // namespace

void KeepingLoop::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void KeepingLoop::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void KeepingLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    take_turn("keeping the data folder small", [&] {
      empty_bin();
      purge_requested(parts_, stop);
      apply_retention_rules(parts_, stop);
      collect_if_due();
    });
    waiter_.wait_for(stop, kLook);
  }
}

void KeepingLoop::empty_bin() {
  if (parts_.bin_seconds == 0) return;
  const Micros now = parts_.clock.now();
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    ROOST_CHECK(request_purge_of_old(tx, "", now - parts_.bin_seconds * kSecond, "the bin's time limit", now));
    return {};
  }), "emptying the bin");
}

// When it was last done is kept: a server that is started every morning does not do it every morning.
void KeepingLoop::collect_if_due() {
  const Micros now = parts_.clock.now();
  const Micros pause = parts_.free_share() < kLowShare ? kHour : kDay;
  bool is_due = false;
  report_error(parts_.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(const std::string text, find_fact(tx, kCollectedAt));
    Micros last = 0;
    std::from_chars(text.data(), text.data() + text.size(), last);
    // A data folder that was just made has nothing to collect.
    is_due = last != 0 && (now - last >= pause || now < last);
    if (is_due || last == 0) ROOST_CHECK(replace_fact(tx, kCollectedAt, std::to_string(now)));
    return {};
  }), "looking when garbage was last collected");
  if (is_due) parts_.collect_garbage();
}

}  // namespace roost

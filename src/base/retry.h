#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "base/result.h"

namespace roost {

// The one list of what an error of a call to a server means for calling again.

// Nobody answered, or not in time: a server that restarts is back soon.
bool is_away(const Error& error);
// Whoever calls works for something that is over; no other answer says that.
bool is_given_up(const Error& error);
// The server found the request itself wrong, and will not think otherwise of it later.
bool is_refusal(const Error& error);

// Growing pauses between tries: the first one, then always twice as long, up to the longest. Not thread-safe.
class Backoff {
 public:
  using Time = std::chrono::milliseconds;
  using IsOver = std::function<bool()>;
  using Sleep = std::function<void(Time)>;
  struct Pauses {
    Time first{10};
    Time longest{1000};
  };

  // A pause ends early, within 50 ms, once `is_over` says so.
  explicit Backoff(Pauses pauses, IsOver is_over = nullptr, Sleep sleep = nullptr);
  Backoff(Pauses pauses, const std::atomic<bool>& stop) : Backoff(pauses, [&stop] { return stop.load(); }) {}
  Backoff(Pauses pauses, std::stop_token stop) : Backoff(pauses, [stop] { return stop.stop_requested(); }) {}

  void pause();
  Time next() const { return next_; }
  bool is_over() const { return is_over_ && is_over_(); }
  // There was some progress: the next pause is the first again.
  void reset() { next_ = pauses_.first; }

 private:
  const Pauses pauses_;
  const IsOver is_over_;
  const Sleep sleep_;
  Time next_;
};

// Repeats a call, until it succeeds or that is not worth it any more:
//   for (Retry retry(rule, backoff, clock);;) {
//     auto answer = call();
//     if (answer || !retry.again(answer.error())) return answer;
//   }
class Retry {
 public:
  struct Rule {
    bool (*is_worth_it)(const Error&) = is_away;
    std::optional<Micros> patience = {};  // from the beginning; what would only begin after it is not tried
    std::optional<int> tries = {};        // in a row without progress
  };
  Retry(Rule rule, Backoff backoff, const Clock& clock)
      : rule_(rule), backoff_(std::move(backoff)), clock_(clock), begun_(clock.steady()) {}

  // After an error: waits and answers true if it should be tried again.
  bool again(const Error& error);
  void note_progress();

 private:
  const Rule rule_;
  Backoff backoff_;
  const Clock& clock_;
  const Micros begun_;
  int tried_ = 0;
};

}  // namespace roost

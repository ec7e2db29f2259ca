#include "base/retry.h"

#include <algorithm>
#include <thread>

namespace roost {
namespace {

constexpr Backoff::Time kSlice{50};  // a long pause must not hold up the end

Micros micros(Backoff::Time time) { return std::chrono::microseconds(time).count(); }

}  // namespace

bool is_away(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDeadlineExceeded;
}

bool is_given_up(const Error& error) {
  return error.code == ErrorCode::kGivenUp || error.code == ErrorCode::kUnauthenticated;
}

bool is_refusal(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kTooLarge ||
         error.code == ErrorCode::kMethodNotAllowed || error.code == ErrorCode::kUnimplemented;
}

Backoff::Backoff(Pauses pauses, IsOver is_over, Sleep sleep)
    : pauses_(pauses),
      is_over_(std::move(is_over)),
      sleep_(sleep ? std::move(sleep) : [](Time time) { std::this_thread::sleep_for(time); }),
      next_(pauses.first) {}

void Backoff::pause() {
  Time left = next_;
  next_ = std::min(next_ * 2, pauses_.longest);
  while (left > Time(0) && !is_over()) {
    const Time slice = is_over_ ? std::min(left, kSlice) : left;
    sleep_(slice);
    left -= slice;
  }
}

bool Retry::again(const Error& error) {
  if (!rule_.is_worth_it(error) || backoff_.is_over()) return false;
  if (rule_.tries && ++tried_ >= *rule_.tries) return false;
  if (rule_.patience && clock_.steady() + micros(backoff_.next()) > begun_ + *rule_.patience) return false;
  backoff_.pause();
  return !backoff_.is_over();
}

void Retry::note_progress() {
  tried_ = 0;
  backoff_.reset();
}

}  // namespace roost

#include "score/script_workers.h"

#include <signal.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "score/worker_seat.h"

namespace roost {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::uint64_t kMostAnswer = 1ULL << 30;
constexpr std::chrono::seconds kSeeingTheEnd{5};

}  // namespace

ScriptWorkers::ScriptWorkers(const ScriptServantOptions& options, WorkerLaunch launch)
    : options_(options), launch_(std::move(launch)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (int i = 0; i < options_.workers; ++i) seats_.push_back(std::make_unique<Seat>());
}

ScriptWorkers::~ScriptWorkers() { stop(milliseconds(0)); }

Status ScriptWorkers::start() {
  supervisor_ = std::jthread([this](const std::stop_token& stop) { supervise(stop); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    const bool all = std::ranges::all_of(seats_, [](const auto& seat) { return seat->state == Seat::kIdle; });
    return all || stopping_ || !failure_.empty();
  });
  if (!failure_.empty()) return fail(ErrorCode::kFailedPrecondition, failure_);
  if (stopping_) return fail(ErrorCode::kUnavailable, "the service was stopped while its script started");
  started_ = true;
  return {};
}

// Asking.

Asked ScriptWorkers::ask(const Json& head, std::string_view body) {
  std::chrono::nanoseconds waited{0};
  for (;;) {
    Asked asked;
    Seat* const seat = take(waited, asked.outcome);
    asked.waited = waited;
    if (!seat) return asked;
    if (seat->process->is_unusable()) {  // since it was idle: another one can be asked
      lose(*seat, Asked::kDied, "");
      continue;
    }
    asked = exchange(*seat, head, body);
    asked.waited = waited;
    if (asked.outcome != Asked::kUnread) return asked;
  }
}

ScriptWorkers::Seat* ScriptWorkers::take(std::chrono::nanoseconds& waited, Asked::Outcome& why_not) {
  std::unique_lock lock(mutex_);
  if (stopping_ || !failure_.empty()) {
    why_not = Asked::kStopped;
    return nullptr;
  }
  if (waiters_.empty()) {
    for (const auto& seat : seats_) {
      if (seat->state != Seat::kIdle) continue;
      seat->state = Seat::kBusy;
      return seat.get();
    }
  }
  if (waiters_.size() >= options_.queue_limit) {
    why_not = Asked::kQueueFull;
    return nullptr;
  }
  const auto began = steady_clock::now();
  const auto left = std::max(milliseconds(options_.queue_wait_ms) - waited, std::chrono::nanoseconds(0));
  Waiter me;
  waiters_.push_back(&me);
  me.given.wait_for(lock, left, [&] { return me.seat || stopping_ || !failure_.empty(); });
  waiters_.remove(&me);
  waited += steady_clock::now() - began;
  if (!me.seat) why_not = stopping_ || !failure_.empty() ? Asked::kStopped : Asked::kNoWorker;
  return me.seat;
}

Asked ScriptWorkers::exchange(Seat& seat, const Json& head, std::string_view body) {
  const bool is_limited = options_.scoring_timeout_ms > 0;
  const auto limit = milliseconds(options_.scoring_timeout_ms) + options_.kill_grace;
  const SteadyTime deadline = is_limited ? steady_clock::now() + limit : SteadyTime::max();
  const WorkerLine line = seat.process->line();
  const Status sent = send_frame(line, head, body, deadline);
  auto frame = sent ? receive_frame(line, kMostAnswer, deadline) : fail(sent.error());
  if (frame) {
    give_back(seat);
    Asked asked;
    asked.outcome = Asked::kAnswered;
    asked.frame = std::move(*frame);
    return asked;
  }
  const Error& error = frame.error();
  if (error.code == ErrorCode::kUnavailable) return lose(seat, was_not_read(error) ? Asked::kUnread : Asked::kDied, "");
  seat.process->signal(SIGKILL);
  if (error.code == ErrorCode::kDeadlineExceeded) return lose(seat, Asked::kHung, "");
  return lose(seat, Asked::kBroken, error.message);
}

void ScriptWorkers::give_back(Seat& seat) {
  const std::lock_guard lock(mutex_);
  ends_in_a_row_ = 0;
  offer_locked(seat);
}

void ScriptWorkers::offer_locked(Seat& seat) {
  for (Waiter* waiter : waiters_) {
    if (waiter->seat) continue;
    seat.state = Seat::kBusy;
    waiter->seat = &seat;
    waiter->given.notify_one();
    return;
  }
  seat.state = Seat::kIdle;
  changed_.notify_all();
}

Asked ScriptWorkers::lose(Seat& seat, Asked::Outcome outcome, std::string text) {
  std::unique_lock lock(mutex_);
  const auto end = seat.end;
  seat.state = Seat::kDead;
  changed_.notify_all();
  wake();
  changed_.wait_for(lock, kSeeingTheEnd, [&] { return !end->empty(); });
  Asked asked;
  asked.outcome = outcome;
  asked.text = text.empty() ? *end : std::move(text);
  return asked;
}

// What it is like.

std::string ScriptWorkers::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool ScriptWorkers::serves() const {
  const std::lock_guard lock(mutex_);
  return started_ && !stopping_ && failure_.empty();
}

std::uint64_t ScriptWorkers::busy() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint64_t>(
      std::ranges::count_if(seats_, [](const auto& seat) { return seat->state == Seat::kBusy; }));
}

std::uint64_t ScriptWorkers::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiters_.size();
}

std::uint64_t ScriptWorkers::restarts() const {
  const std::lock_guard lock(mutex_);
  return restarts_;
}

}  // namespace roost

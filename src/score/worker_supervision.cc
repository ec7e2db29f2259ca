// How workers are started, greeted, buried and replaced: all on the thread of the supervisor, because a worker is killed
// when the thread that started it ends.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "score/access_log.h"
#include "score/worker_seat.h"

namespace roost {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kTermGrace{2000};
constexpr milliseconds kLongestPause{5000};
constexpr std::chrono::seconds kLongLife{60};  // who lived so long does not count as having ended in a row
constexpr std::chrono::seconds kGreeting{60};  // from the first byte of "ready" to its last
constexpr std::uint64_t kMostGreeting = 64 << 20;

bool is_readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, 0) > 0;
}

}  // namespace

void ScriptWorkers::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void ScriptWorkers::supervise(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { wake(); });
  while (!stop.stop_requested()) {
    start_due();
    wait_for_news();
    for (const auto& seat : seats_) look_at(*seat);
  }
  end_all();
}

void ScriptWorkers::start_due() {
  for (const auto& seat : seats_) {
    {
      const std::lock_guard lock(mutex_);
      if (!failure_.empty() || stopping_) return;
      if (seat->state != Seat::kEmpty || seat->start_at > steady_clock::now()) continue;
    }
    auto process = WorkerProcess::start(launch_);
    if (!process) {
      bury(*seat, process.error().message);
      continue;
    }
    log_service(ServiceLevel::kInfo, fmt::format("Booting worker with pid: {}", process->pid()));
    const std::lock_guard lock(mutex_);
    seat->process = std::move(*process);
    seat->end = std::make_shared<std::string>();
    seat->state = Seat::kStarting;
    if (started_) ++restarts_;
  }
}

// Until a process said something or ended, a thread that asks wants one buried, or one is to be started.
void ScriptWorkers::wait_for_news() {
  std::vector<pollfd> waits = {{wake_.get(), POLLIN, 0}};
  int limit = -1;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& seat : seats_) {
      if (seat->state == Seat::kDead) return;
      if (seat->state == Seat::kEmpty && failure_.empty() && !stopping_) {
        const auto left = std::chrono::ceil<milliseconds>(seat->start_at - steady_clock::now()).count();
        const int wanted = static_cast<int>(std::clamp<long long>(left, 0, 60'000));
        limit = limit < 0 ? wanted : std::min(limit, wanted);
      }
      if (seat->state != Seat::kStarting && seat->state != Seat::kIdle) continue;
      const WorkerLine line = seat->process->line();
      waits.push_back({line.ended, POLLIN, 0});
      waits.push_back({line.socket, POLLIN, 0});
    }
  }
  ::poll(waits.data(), waits.size(), limit);
  std::uint64_t notices = 0;
  [[maybe_unused]] const ssize_t count = ::read(wake_.get(), &notices, sizeof notices);
}

void ScriptWorkers::look_at(Seat& seat) {
  bool is_starting = false;
  {
    const std::lock_guard lock(mutex_);
    is_starting = seat.state == Seat::kStarting;
    if (seat.state == Seat::kIdle && seat.process->is_unusable()) seat.state = Seat::kDead;
    if (!is_starting && seat.state != Seat::kDead) return;
  }
  const bool has_ended = seat.process->has_ended();  // asked first: its last words are there by then
  if (is_starting && is_readable(seat.process->line().socket)) return greet(seat);
  if (is_starting && !has_ended) return;
  // Who did not end, but let go of its socket or spoke unasked, is of no more use.
  auto how = seat.process->wait(milliseconds(100));
  if (!how) {
    seat.process->signal(SIGKILL);
    how = seat.process->wait(std::chrono::minutes(1));
  }
  bury(seat, how.value_or("could not be killed"));
}

void ScriptWorkers::greet(Seat& seat) {
  auto frame = receive_frame(seat.process->line(), kMostGreeting, steady_clock::now() + kGreeting);
  if (frame && text_at(frame->head, "kind") == "ready") {
    const std::lock_guard lock(mutex_);
    if (about_.head.is_null()) about_ = std::move(*frame);
    seat.ready_since = steady_clock::now();
    return offer_locked(seat);
  }
  const bool told = frame && text_at(frame->head, "kind") == "failed";
  if (!told) seat.process->signal(SIGKILL);
  auto how = seat.process->wait(kTermGrace);
  if (!how) {
    seat.process->signal(SIGKILL);
    how = seat.process->wait(std::chrono::minutes(1));
  }
  if (!told) return bury(seat, how.value_or("could not be killed"));
  std::string text = text_at(frame->head, "message");
  if (!frame->body.empty()) text += "\n" + frame->body;
  bury(seat, std::move(text), true);
}

void ScriptWorkers::bury(Seat& seat, std::string how, bool is_own_text) {
  const std::lock_guard lock(mutex_);
  const bool was_ready = seat.ready_since != SteadyTime{};
  if (was_ready && steady_clock::now() - seat.ready_since > kLongLife) ends_in_a_row_ = 0;
  if (stopping_) {
    how = "the service was stopped";
  } else if (!is_own_text) {
    how = fmt::format("the worker process{} {}", was_ready ? "" : ", which had not called init() to its end,", how);
  }
  if (!stopping_) log_service(ServiceLevel::kError, how.substr(0, how.find('\n')));
  *seat.end = how;
  seat.process.reset();
  seat.ready_since = {};
  seat.state = Seat::kEmpty;
  ++ends_in_a_row_;
  const auto pause = options_.first_back_off * (1 << std::clamp(ends_in_a_row_ - 2, 0, 10));
  seat.start_at = steady_clock::now() + (ends_in_a_row_ == 1 ? milliseconds(0) : std::min<milliseconds>(pause, kLongestPause));
  if (!stopping_ && (!started_ || ends_in_a_row_ > options_.most_crashes)) {
    if (started_) how = fmt::format("workers ended {} times in a row; at last: {}", ends_in_a_row_, how);
    failure_ = std::move(how);
    for (Waiter* waiter : waiters_) waiter->given.notify_one();
  }
  changed_.notify_all();
}

void ScriptWorkers::stop(milliseconds drain) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    for (Waiter* waiter : waiters_) waiter->given.notify_one();
    changed_.notify_all();
    changed_.wait_for(lock, drain, [this] {
      return std::ranges::none_of(seats_, [](const auto& seat) { return seat->state == Seat::kBusy; });
    });
  }
  if (!supervisor_.joinable()) return;
  supervisor_.request_stop();
  supervisor_.join();
}

// SIGTERM, and SIGKILL for who is there two seconds later. Busy ones are given back by those who ask them, once they end.
void ScriptWorkers::end_all() {
  const auto patience = steady_clock::now() + kTermGrace;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& seat : seats_) {
      if (seat->process) seat->process->signal(SIGTERM);
    }
  }
  for (const auto& seat : seats_) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, patience, [&] { return seat->state != Seat::kBusy; });
    if (seat->state == Seat::kBusy) seat->process->signal(SIGKILL);
    changed_.wait(lock, [&] { return seat->state != Seat::kBusy; });
    if (!seat->process) continue;
    seat->state = Seat::kDead;
    lock.unlock();
    const auto left = std::chrono::ceil<milliseconds>(patience - steady_clock::now());
    auto how = seat->process->wait(std::max(left, milliseconds(0)));
    if (!how) {
      seat->process->signal(SIGKILL);
      how = seat->process->wait(std::chrono::minutes(1));
    }
    bury(*seat, how.value_or("could not be killed"));
  }
}

}  // namespace roost

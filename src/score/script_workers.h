#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"
#include "score/script_servant.h"
#include "score/worker_process.h"

namespace roost {

// What came of a question to a worker.
struct Asked {
  enum Outcome {
    kAnswered,   // `frame` has it
    kQueueFull,  // nothing was asked: too many wait already
    kNoWorker,   // nothing was asked: none became idle within the queue's wait
    kStopped,    // nothing was asked: the servant ends, or has failed
    kDied,       // the worker ended at work; `text` says how
    kHung,       // the worker did not answer in time, and was killed
    kUnread,     // the worker ended before it had read the question: another one can be asked
    kBroken,     // the worker answered something that cannot be used; `text` says what
  };
  Outcome outcome = kStopped;
  WorkerFrame frame;
  std::string text;
  std::chrono::nanoseconds waited{0};  // for a worker
};

// The Python processes of a script. ask() gives a request to an idle one, in the order of arrival; a thread of its own
// starts them, sees them end, and starts others in their place: the first at once, further ones after growing pauses.
// All calls from any thread, ask() once start() has returned.
class ScriptWorkers {
 public:
  ScriptWorkers(const ScriptServantOptions& options, WorkerLaunch launch);
  ~ScriptWorkers();  // stops

  // Returns when every worker has imported the script and called init(); the error is what the first one raised.
  Status start();
  // The head of the first worker's "ready", and its swagger documents.
  const WorkerFrame& about() const { return about_; }
  Asked ask(const Json& head, std::string_view body);
  // Asks no more; what is under way has so long to end. Then the workers get SIGTERM, and SIGKILL two seconds later.
  void stop(std::chrono::milliseconds drain);

  std::string failure() const;  // "" unless workers ended too often in a row
  bool serves() const;
  std::uint64_t busy() const;
  std::uint64_t waiting() const;
  std::uint64_t restarts() const;

 private:
  struct Seat;
  struct Waiter;

  Seat* take(std::chrono::nanoseconds& waited, Asked::Outcome& why_not);
  Asked exchange(Seat& seat, const Json& head, std::string_view body);
  void give_back(Seat& seat);
  Asked lose(Seat& seat, Asked::Outcome outcome, std::string text);
  void offer_locked(Seat& seat);

  // The supervisor's (worker_supervision.cc).
  void supervise(const std::stop_token& stop);
  void start_due();
  void wait_for_news();
  void look_at(Seat& seat);
  void greet(Seat& seat);
  void bury(Seat& seat, std::string how, bool is_own_text = false);
  void end_all();
  void wake();

  const ScriptServantOptions& options_;
  const WorkerLaunch launch_;
  Fd wake_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // a seat, failure_ or stopping_
  std::vector<std::unique_ptr<Seat>> seats_;
  std::list<Waiter*> waiters_;
  WorkerFrame about_;
  std::string failure_;
  bool started_ = false;
  bool stopping_ = false;
  int ends_in_a_row_ = 0;
  std::uint64_t restarts_ = 0;

  std::jthread supervisor_;
};

}  // namespace roost

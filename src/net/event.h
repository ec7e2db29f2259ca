#pragma once

#include <memory>

#include <boost/asio/awaitable.hpp>

namespace roost {

// What a connection's coroutine sleeps on. Whatever can happen to it (bytes came or went, a handler
// answered, a stream was woken, time ran out) sets its own flag and calls notify(); the coroutine
// looks at the flags it cares about and sleeps again if none is set. One coroutine, one thread.
class Event {
 public:
  Event();
  ~Event();

  // Resumes the coroutine before it returns; if it is not asleep, its next wait() ends at once.
  void notify();
  boost::asio::awaitable<void> wait();

  class Sleeper;

 private:
  std::unique_ptr<Sleeper> sleeper_;
  bool notified_ = false;
};

}  // namespace roost

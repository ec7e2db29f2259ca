#pragma once

#include <chrono>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/http_server.h"
#include "net/io_loop.h"

namespace roost {

class Session;

// One thread and the connections it serves. Looks a few times a second for those that are past
// their deadline, which is cheaper than a timer for each.
class IoThread {
 public:
  // With `most_sessions` at once at most; 0: any number.
  IoThread(const HttpTimeouts& timeouts, std::size_t most_sessions);
  ~IoThread();

  boost::asio::io_context& context() { return context_; }
  IoLoop& loop() { return loop_; }
  void start();
  // Any thread. Tells all connections to stop; join() returns once they have ended.
  void stop();
  void join();

  // On this thread.
  void add(std::shared_ptr<Session> session);
  void remove(const Session& session);

 private:
  void run();
  void look_for_late_ones();
  bool make_room();
  std::vector<std::shared_ptr<Session>> sessions() const;
  void end_if_unused();

  boost::asio::io_context context_{1};
  IoLoop loop_{context_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  std::chrono::milliseconds look_every_;
  const std::size_t most_sessions_;
  std::unordered_map<const Session*, std::shared_ptr<Session>> sessions_;
  bool stopping_ = false;
  bool told_full_ = false;
  std::thread thread_;
};

}  // namespace roost

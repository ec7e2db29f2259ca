#include "net/io_thread.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "net/session.h"

namespace roost {

IoThread::IoThread(const HttpTimeouts& timeouts, std::size_t most_sessions)
    : work_(context_.get_executor()),
      timer_(context_),
      look_every_(std::clamp(std::min({timeouts.idle, timeouts.first, timeouts.head, timeouts.stall}) / 4,
                             std::chrono::milliseconds(10), std::chrono::milliseconds(1000))),
      most_sessions_(most_sessions) {}

IoThread::~IoThread() { join(); }

void IoThread::start() {
  look_for_late_ones();
  thread_ = std::thread([this] { run(); });
}

void IoThread::run() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::exception& error) {
      // Of one connection (say, no memory for it); the others go on.
      log_error("HTTP connection failed: {}", error.what());
    }
  }
}

void IoThread::stop() {
  boost::asio::post(context_, [this] {
    stopping_ = true;
    for (const auto& session : sessions()) session->stop();
    end_if_unused();
  });
}

void IoThread::join() {
  if (thread_.joinable()) thread_.join();
}

void IoThread::add(std::shared_ptr<Session> session) {
  if (stopping_) return;
  if (most_sessions_ > 0 && sessions_.size() >= most_sessions_ && !make_room()) return;
  sessions_.emplace(session.get(), session);
  session->start();
}

void IoThread::remove(const Session& session) {
  sessions_.erase(&session);
  end_if_unused();
}

// Closes the connection that has waited longest to send something: first of all one that never sent anything.
bool IoThread::make_room() {
  Session* chosen = nullptr;
  for (const auto& [key, session] : sessions_) {
    if (!session->waiting_since()) continue;
    const auto rank = [](const Session& s) { return std::pair(s.has_served(), *s.waiting_since()); };
    if (!chosen || rank(*session) < rank(*chosen)) chosen = session.get();
  }
  if (chosen) chosen->make_way();
  if (!std::exchange(told_full_, true)) {
    log_warning("there are as many connections as there may be ({}); idle ones are closed", most_sessions_);
  }
  return chosen != nullptr;
}

void IoThread::look_for_late_ones() {
  timer_.expires_after(look_every_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    const auto now = std::chrono::steady_clock::now();
    for (const auto& session : sessions()) session->close_if_late(now);
    if (!stopping_ || !sessions_.empty()) look_for_late_ones();
  });
}

std::vector<std::shared_ptr<Session>> IoThread::sessions() const {
  // A copy, since those that end remove themselves.
  std::vector<std::shared_ptr<Session>> all;
  all.reserve(sessions_.size());
  for (const auto& [key, session] : sessions_) all.push_back(session);
  return all;
}

void IoThread::end_if_unused() {
  if (!stopping_ || !sessions_.empty()) return;
  timer_.cancel();
  work_.reset();
}

}  // namespace roost

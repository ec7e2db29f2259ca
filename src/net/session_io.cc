#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "net/io_thread.h"
#include "net/session.h"

namespace roost {

namespace asio = boost::asio;
using std::chrono::steady_clock;

void Session::start_work(WorkerPool& pool, void (Session::*work)()) {
  working_ = true;
  pool.submit([self = shared_from_this(), work]() mutable {
    (self.get()->*work)();
    // The worker gives up its share, so that a session is always destroyed on its own thread.
    asio::io_context& context = self->io_.context();
    asio::post(context, [self = std::move(self)] {
      self->working_ = false;
      self->news_.notify();
    });
  });
}

Session::Await Session::work_done() {
  while (working_) co_await news_.wait();
  co_return true;
}

Session::Await Session::answer_later() {
  working_ = true;
  std::function<void()> gone;
  try {
    gone = exchange_->route->later(exchange_->request, [self = shared_from_this()](Response response) {
      auto moved = std::make_shared<Response>(std::move(response));
      asio::post(self->io_.context(), [self, moved] { self->take_answer(std::move(*moved)); });
    });
  } catch (const std::exception& error) {
    // Whoever throws has not kept the answer.
    log_error("request {}: the handler of {} threw: {}", exchange_->request.id, exchange_->route->operation, error.what());
    working_ = false;
    Response failed;
    failed.status = 500;
    exchange_->response = std::move(failed);
  }
  if (!reading_) input_.resize(InputBuffer::kSmall);
  while (working_) {
    // Nobody expects input now, but its end tells that the peer has gone.
    if (!stopping_) start_read();
    if (input_ended_ && gone) std::exchange(gone, nullptr)();
    if (working_) co_await news_.wait();
  }
  co_return true;
}

void Session::take_answer(Response response) {
  if (!working_) return;
  exchange_->response = std::move(response);
  working_ = false;
  news_.notify();
}

void Session::start_read() {
  if (reading_ || input_ended_ || input_.full()) return;
  reading_ = true;
  transport_->read_some(input_.space(), me());
}

Session::Await Session::read_more() {
  start_read();
  while (reading_ && !stopping_) co_await news_.wait();
  co_return !input_ended_ && !stopping_;
}

Session::Await Session::write() {
  written_ = transport_->write_now(out_);
  for (;;) {
    for (auto& buffer : out_) {
      const std::size_t size = std::min(written_, buffer.size());
      buffer += size;
      written_ -= size;
    }
    if (asio::buffer_size(out_) == 0) break;
    set_deadline(stopping_ ? kLastAnswer : parts_.options.timeouts.stall);
    writing_ = true;
    transport_->write_some(out_, me());
    while (writing_) co_await news_.wait();
    if (output_broke_) co_return false;
  }
  clear_deadline();
  co_return true;
}

void Session::notify_from_elsewhere() {
  asio::post(io_.context(), [self = shared_from_this()] { self->news_.notify(); });
}

void Session::set_deadline(std::chrono::milliseconds from_now) {
  deadline_ = steady_clock::now() + from_now;
}

void Session::clear_deadline() { deadline_ = steady_clock::time_point::max(); }

void Session::handshake_done(const boost::system::error_code& error) {
  handshake_ok_ = !error;
  if (error) input_ended_ = output_broke_ = true;
  news_.notify();
}

void Session::read_done(const boost::system::error_code& error, std::size_t size) {
  reading_ = false;
  if (error) input_ended_ = true;
  input_.received(size);
  news_.notify();
}

void Session::write_done(const boost::system::error_code& error, std::size_t size) {
  writing_ = false;
  if (error) output_broke_ = true;
  written_ = size;
  news_.notify();
}

void Session::shutdown_done() {
  shut_down_ = true;
  news_.notify();
}

}  // namespace roost

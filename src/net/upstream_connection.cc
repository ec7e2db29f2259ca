#include "net/upstream_connection.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace roost {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
// Not an exception for a connection that ends: that is an everyday thing here.
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
}  // namespace

UpstreamConnection::UpstreamConnection(asio::io_context& context) : socket_(context), timer_(context) {}

void UpstreamConnection::start(UpstreamCall call, Upstreams::Done done) {
  call_ = std::move(call);
  done_ = std::move(done);
  is_reusable_ = false;
  is_late_ = false;
  write_error_.clear();
  response_ = {};
  head_came_ = false;
  unparsed_.clear();
  parser_.emplace(call_.method == "HEAD");
  asio::co_spawn(socket_.get_executor(), [self = shared_from_this()] { return self->run(); }, asio::detached);
}

bool UpstreamConnection::is_fresh() {
  char byte = 0;
  const ssize_t size = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void UpstreamConnection::drop() { close(); }

asio::awaitable<void> UpstreamConnection::run() {
  UpstreamOutcome outcome;
  try {
    outcome = co_await exchange();
  } catch (const std::exception& error) {
    outcome = failure(is_connected_ ? Kind::kBroke : Kind::kNotConnected, error.what());
  }
  timer_.cancel();
  ++settings_;
  is_reusable_ = outcome.kind == Kind::kAnswered && parser_->done() && parser_->keep_alive() && !is_writing_ &&
                 write_error_.empty() && unparsed_.empty();
  if (!is_reusable_) close();
  const auto done = std::exchange(done_, nullptr);
  done(std::move(outcome));
}

asio::awaitable<UpstreamOutcome> UpstreamConnection::exchange() {
  if (!is_connected_) {
    const error_code error = co_await connect();
    if (error) {
      // It may have been noticed at once, and nobody expects to be told before start() returned.
      co_await asio::post(socket_.get_executor(), asio::use_awaitable);
      co_return failure(Kind::kNotConnected, is_late_ ? "no answer to the connection" : error.message());
    }
    is_connected_ = true;
  }
  close_at(call_.deadline);
  write();
  co_return co_await receive();
}

asio::awaitable<UpstreamConnection::error_code> UpstreamConnection::connect() {
  error_code error;
  const auto address = asio::ip::make_address(call_.address, error);
  if (error) co_return error;
  const tcp::endpoint endpoint(address, call_.port);
  socket_.open(endpoint.protocol(), error);
  if (error) co_return error;
  ::fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
  socket_.set_option(tcp::no_delay(true), error);
  close_at(std::min(call_.deadline, std::chrono::steady_clock::now() + call_.connect_timeout));
  auto [connected] = co_await socket_.async_connect(endpoint, kTuple);
  co_return connected;
}

// Beside the receiving: a server that declines says so before the body was sent to its end.
void UpstreamConnection::write() {
  is_writing_ = true;
  const std::array<asio::const_buffer, 2> bytes = {asio::buffer(call_.head),
                                                   call_.body ? asio::buffer(*call_.body) : asio::const_buffer()};
  auto written = [self = shared_from_this(), body = call_.body](const error_code& error, std::size_t) {
    self->is_writing_ = false;
    if (error) self->write_error_ = error.message();
  };
  asio::async_write(socket_, bytes, std::move(written));
}

asio::awaitable<UpstreamOutcome> UpstreamConnection::receive() {
  for (;;) {
    auto [error, size] = co_await socket_.async_read_some(asio::buffer(buffer_), kTuple);
    std::string why;
    if (size > 0 && !parse(size, why)) co_return failure(Kind::kBroke, "it does not answer in HTTP: " + why);
    if (error == asio::error::eof) parser_->put_end();  // an answer without a length ends so
    if (head_came_ && parser_->done()) co_return UpstreamOutcome{Kind::kAnswered, std::move(response_), ""};
    if (!error) continue;
    if (is_late_) co_return failure(Kind::kLate, "no answer in time");
    co_return failure(Kind::kBroke, error == asio::error::eof ? "it closed the connection" : error.message());
  }
}

bool UpstreamConnection::parse(std::size_t received, std::string& why) {
  std::string_view bytes(buffer_.data(), received);
  if (!unparsed_.empty()) {
    unparsed_ += bytes;
    bytes = unparsed_;
  }
  const auto sink = [this](std::string_view piece) {
    response_.body += piece;
    return true;
  };
  while (!bytes.empty() && !(head_came_ && parser_->done())) {
    const auto used = parser_->put(bytes, sink);
    if (!used) {
      why = used.error().message;
      return false;
    }
    bytes.remove_prefix(*used);
    if (parser_->head_done() && !head_came_) {
      if (parser_->status / 100 == 1) {
        parser_.emplace(call_.method == "HEAD");
        continue;
      }
      head_came_ = true;
      response_.status = parser_->status;
      response_.headers = std::move(parser_->headers);
    } else if (*used == 0) {
      break;
    }
  }
  unparsed_ = std::string(bytes);
  return true;
}

void UpstreamConnection::close_at(std::chrono::steady_clock::time_point time) {
  timer_.expires_at(time);
  timer_.async_wait([self = weak_from_this(), setting = ++settings_](const error_code& error) {
    const auto held = self.lock();
    // It may have been on its way when the timer was set anew, or not needed any more.
    if (error || !held || held->settings_ != setting) return;
    held->is_late_ = true;
    held->close();
  });
}

void UpstreamConnection::close() {
  error_code ignored;
  socket_.close(ignored);
}

UpstreamOutcome UpstreamConnection::failure(Kind kind, std::string why) {
  UpstreamOutcome outcome;
  outcome.kind = kind;
  outcome.why = std::move(why);
  return outcome;
}

}  // namespace roost

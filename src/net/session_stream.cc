#include <charconv>
#include <utility>

#include "base/log.h"
#include "net/session.h"

namespace roost {

void Session::run_stream_step() {
  Exchange& exchange = *exchange_;
  exchange.piece.clear();
  std::string thrown;
  try {
    if (wake_line_) {
      wake_line_->rearm();
    } else {
      connect_wake_line();
    }
    exchange.step = exchange.response.stream->next(exchange.piece);
    return;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "something that is not a std::exception";
  }
  log_error("request {}: the answer's stream of {} threw: {}", exchange.request.id, exchange.route->operation, thrown);
  exchange.stream_failed = true;
}

void Session::connect_wake_line() {
  wake_line_ = std::make_shared<WakeLine>([this] { notify_from_elsewhere(); });
  exchange_->response.stream->set_wake([line = std::weak_ptr<WakeLine>(wake_line_)] {
    if (const auto held = line.lock()) held->wake();
  });
}

Session::Await Session::send_stream() {
  Exchange& exchange = *exchange_;
  BodyFraming framing{BodyFraming::kChunked, 0};
  if (exchange.response.stream_length) {
    framing = {BodyFraming::kLength, *exchange.response.stream_length};
  } else if (exchange.parser.http_1_0()) {
    framing.kind = BodyFraming::kUntilClose;
    exchange.keep_alive = false;
  }
  std::string head = response_head(exchange.response, framing, exchange.keep_alive,
                                   exchange.parser.http_1_0(), parts_.options.extra_head);
  const bool sent = co_await send_pieces(framing, head);
  drop_stream();
  co_return sent;
}

Session::Await Session::send_pieces(BodyFraming framing, std::string& head) {
  using Step = ResponseStream::Step;
  Exchange& exchange = *exchange_;
  while (!exchange.stream_failed && !stopping_) {
    std::string_view piece;
    if (exchange.step == Step::kData) piece = exchange.piece;
    if (framing.kind == BodyFraming::kLength) {
      const bool ends_short = exchange.step == Step::kEnd && framing.length > 0;
      if (piece.size() > framing.length || ends_short) {
        log_error(
            "{}: the answer's stream is not as long as its stream_length says, the "
            "connection is cut off",
            exchange.route->operation);
        co_return false;
      }
      framing.length -= piece.size();
    }
    const bool sent = co_await send_piece(framing, head, piece);
    if (!sent || exchange.step == Step::kEnd) co_return sent;
    if (exchange.step == Step::kWait) {
      const bool wanted = co_await wait_for_news();
      if (!wanted) co_return false;
    }
    start_work(parts_.pool_of(*exchange.route), &Session::run_stream_step);
    co_await work_done();
  }
  co_return false;
}

Session::Await Session::send_piece(const BodyFraming& framing, std::string& head,
                                   std::string_view piece) {
  const bool is_first = !head.empty();
  const bool is_last = exchange_->step == ResponseStream::Step::kEnd;
  std::string before = std::exchange(head, std::string());
  std::string_view after;
  if (framing.kind == BodyFraming::kChunked) {
    if (!piece.empty()) {
      char size[16];
      const auto end = std::to_chars(size, size + sizeof size, piece.size(), 16).ptr;
      before.append(size, end).append("\r\n");
      after = "\r\n";
    } else if (is_last) {
      after = "0\r\n\r\n";
    }
  }
  out_ = {boost::asio::buffer(before), boost::asio::buffer(piece), boost::asio::buffer(after)};
  const bool sent = co_await write();
  if (is_first) observe();
  co_return sent;
}

Session::Await Session::wait_for_news() {
  timer_rang_ = false;
  timer_.expires_after(std::chrono::milliseconds(exchange_->response.stream->max_wait_ms));
  auto rang = [self = shared_from_this()](const boost::system::error_code& error) {
    if (error) return;
    self->timer_rang_ = true;
    self->news_.notify();
  };
  timer_.async_wait(std::move(rang));
  while (!wake_line_->woken() && !timer_rang_ && !stopping_) {
    // Nobody expects input now, but its end tells that the peer has gone.
    start_read();
    if (input_ended_) break;
    co_await news_.wait();
  }
  timer_.cancel();
  co_return !input_ended_ && !stopping_;
}

void Session::drop_stream() {
  if (wake_line_) wake_line_->cut();
  wake_line_.reset();
  // Its end may take a while (files, locks), so not on the io thread.
  std::shared_ptr<ResponseStream> stream = std::move(exchange_->response.stream);
  parts_.workers->submit([stream = std::move(stream)]() mutable { stream.reset(); });
}

}  // namespace roost

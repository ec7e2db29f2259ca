#include <algorithm>
#include <utility>

#include "net/session.h"

namespace roost {
namespace {

// An unread body up to this size is read and thrown away, which keeps the connection usable.
constexpr std::uint64_t kWorthDiscarding = 64 * 1024;

// Bodies up to this size are read whatever they are: asking first would take longer.
constexpr std::uint64_t kSmall = 64 * 1024;
constexpr std::uint64_t kFirstReserve = 1 << 20;

void refuse_for_room(std::optional<Refusal>& refusal) {
  std::string why = "too many large requests are being received; try again in a moment";
  refusal.emplace(Refusal{503, Error{ErrorCode::kUnavailable, std::move(why)}});
}

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

bool Session::has_large_body() const {
  const auto length = exchange_->parser.content_length();
  return !exchange_->parser.done() && (!length || *length > kSmall);
}

Session::Await Session::may_send_body(std::optional<Refusal>& refusal) {
  Exchange& exchange = *exchange_;
  if (exchange.route->check_head && !exchange.route->later) {
    start_work(parts_.pool_of(*exchange.route), &Session::run_head_check);
    co_await work_done();
    if (exchange.is_answered) co_return false;
  }
  const auto length = exchange.parser.content_length();
  if (length && !exchange.route->body.stream && !exchange.share.grow_to(*length)) refuse_for_room(refusal);
  co_return !refusal;
}

void Session::size_input_for_body() {
  const auto length = exchange_->parser.content_length();
  const bool is_long = !length || *length > InputBuffer::kSmall;
  if (is_long && !reading_) input_.resize(length ? InputBuffer::kLarge : InputBuffer::kMedium);
}

std::optional<Refusal> Session::parse_body(std::string& out) {
  RequestParser& parser = exchange_->parser;
  if (parser.done() || input_.unread().empty()) return std::nullopt;
  auto used = parser.put_body(input_.unread(), out);
  if (!used) return std::move(used).error();
  input_.consume(*used);
  if (!parser.done() && input_.full()) {
    return Refusal{400, Error{ErrorCode::kInvalidArgument,
                              "malformed HTTP request: a chunk's header is too long"}};
  }
  return std::nullopt;
}

Session::Await Session::read_body(std::optional<Refusal>& refusal) {
  Exchange& exchange = *exchange_;
  const RequestParser& parser = exchange.parser;
  std::string& body = exchange.request.body;
  if (parser.done()) co_return true;
  size_input_for_body();
  // Memory is taken as the bytes come, not as they are announced.
  if (const auto length = parser.content_length()) body.reserve(std::min<std::uint64_t>(*length, kFirstReserve));
  for (;;) {
    refusal = parse_body(body);
    if (!refusal && body.size() > kSmall && !exchange.share.grow_to(body.size())) refuse_for_room(refusal);
    // Most of it will come, too: growing step by step would copy it all once more.
    if (const auto length = parser.content_length(); length && body.size() >= *length / 4) body.reserve(*length);
    if (refusal || parser.done()) break;
    if (parser.expects_continue() && !exchange.continue_sent && body.empty()) {
      const bool sent = co_await send_continue();
      if (!sent) co_return false;
    }
    set_deadline(parts_.options.timeouts.stall);
    const bool more = co_await read_more();
    if (!more) co_return false;
  }
  clear_deadline();
  co_return true;
}

boost::asio::awaitable<void> Session::stream_body(std::optional<Refusal>& refusal) {
  body_.emplace([this] { notify_from_elsewhere(); });
  exchange_->request.body_stream = &*body_;
  size_input_for_body();
  start_work(*parts_.upload_workers, &Session::run_handler);
  co_await pump_body(refusal);
  clear_deadline();
  if (refusal) {
    body_->fail(refusal->error);
  } else if (exchange_->parser.done()) {
    body_->finish();
  } else {
    body_->fail({ErrorCode::kUnavailable,
                 late_ ? "the peer stopped sending the request's body"
                       : "the peer closed the connection before the end of the request's body"});
  }
  co_await work_done();
  exchange_->request.body_stream = nullptr;
  body_.reset();
}

boost::asio::awaitable<void> Session::pump_body(std::optional<Refusal>& refusal) {
  Exchange& exchange = *exchange_;
  const RequestParser& parser = exchange.parser;
  std::string piece;
  while (working_ && !stopping_) {
    if (body_->full()) {
      clear_deadline();
      co_await news_.wait();
      continue;
    }
    refusal = parse_body(piece);
    if (refusal) break;
    body_->push(piece);
    if (parser.done()) break;
    if (parser.expects_continue() && !exchange.continue_sent) {
      // Asked for only once the handler wants it, so that one that declines declines in time.
      if (!body_->wanted()) {
        co_await news_.wait();
        continue;
      }
      const bool sent = co_await send_continue();
      if (!sent) break;
    }
    set_deadline(parts_.options.timeouts.stall);
    start_read();
    while (reading_ && working_ && !stopping_) co_await news_.wait();
    if (input_ended_) break;
  }
}

bool Session::few_bytes_remain() const {
  const Exchange& exchange = *exchange_;
  const auto remaining = exchange.parser.body_remaining();
  const bool awaits_continue = exchange.parser.expects_continue() && !exchange.continue_sent;
  return remaining && *remaining <= kWorthDiscarding && !awaits_continue;
}

Session::Await Session::discard_body() {
  std::string unwanted;
  set_deadline(parts_.options.timeouts.head);
  for (;;) {
    unwanted.clear();
    if (parse_body(unwanted)) co_return false;
    if (exchange_->parser.done()) break;
    const bool more = co_await read_more();
    if (!more) co_return false;
  }
  linger_ = false;
  co_return true;
}

Session::Await Session::send_continue() {
  exchange_->continue_sent = true;
  out_ = {};
  out_[0] = boost::asio::buffer(kContinue);
  const bool sent = co_await write();
  co_return sent;
}

}  // namespace roost

#include "net/session.h"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "net/io_thread.h"
#include "net/request_target.h"

namespace roost {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

// Up to this size a body is copied behind its head, to go out in one piece.
constexpr std::size_t kSmallBody = 16 * 1024;

std::string error_text(const HttpServerOptions& options, const Error& error) {
  try {
    if (options.error_body) return options.error_body(error);
  } catch (const std::exception& thrown) {
    log_error("cannot make the body of an error: {}", thrown.what());
  }
  return to_text({{"error", {{"code", error_code_name(error.code)}, {"message", error.message}}}});
}

Refusal internal_error(const Route& route) {
  return {500,
          {ErrorCode::kInternal,
           "the server failed to answer " + route.operation + "; its log says why"}};
}

bool has_no_body(int status) { return status == 204 || status == 304; }

}  // namespace

Session::Session(IoThread& io, ServerParts& parts, std::unique_ptr<Transport> transport,
                 bool peer_is_loopback)
    : io_(io),
      parts_(parts),
      transport_(std::move(transport)),
      peer_is_loopback_(peer_is_loopback),
      timer_(io.context()) {}

Session::~Session() = default;

void Session::start() { asio::co_spawn(io_.context(), run(), asio::detached); }

void Session::stop() {
  stopping_ = true;
  if (body_) body_->fail({ErrorCode::kUnavailable, "the server is stopping; try again later"});
  if (writing_) set_deadline(kLastAnswer);
  news_.notify();
}

void Session::close_if_late(steady_clock::time_point now) {
  if (now < deadline_) return;
  late_ = true;
  clear_deadline();
  transport_->close();
  news_.notify();
}

asio::awaitable<void> Session::run() {
  const auto self = shared_from_this();
  try {
    bool go_on = co_await shake_hands();
    while (go_on) go_on = co_await serve_request();
  } catch (const std::exception& error) {
    log_error("HTTP connection failed: {}", error.what());
  }
  co_await hang_up();
  transport_->close();
  io_.remove(*this);
}

Session::Await Session::shake_hands() {
  set_deadline(parts_.options.timeouts.head);
  transport_->handshake(me());
  while (!handshake_ok_ && !stopping_) co_await news_.wait();
  co_return handshake_ok_.value_or(false);
}

Session::Await Session::serve_request() {
  Exchange& exchange = exchange_.emplace();
  std::optional<Refusal> refusal;
  const bool came = co_await read_head(refusal);
  if (!came) co_return false;
  clear_deadline();
  if (!refusal) {
    exchange.must_close = false;
    refusal = find_route();
  }
  if (!refusal && exchange.route->body.stream) {
    co_await stream_body(refusal);
  } else if (!refusal) {
    const bool whole = co_await read_body(refusal);
    if (!whole) co_return false;
    if (!refusal) {
      start_work(*parts_.workers, &Session::run_handler);
      co_await work_done();
    }
  }
  if (refusal) refuse(*refusal);
  const bool go_on = co_await answer();
  co_return go_on;
}

Session::Await Session::read_head(std::optional<Refusal>& refusal) {
  Exchange& exchange = *exchange_;
  if (!reading_) input_.resize(InputBuffer::kSmall);
  set_deadline(parts_.options.timeouts.idle);
  bool begun = false;
  for (;;) {
    // Some peers send an empty line after a body.
    while (!begun && (input_.unread().starts_with('\r') || input_.unread().starts_with('\n'))) {
      input_.consume(1);
    }
    if (!input_.unread().empty()) {
      if (!std::exchange(begun, true)) {
        exchange.began = steady_clock::now();
        set_deadline(parts_.options.timeouts.head);
      }
      auto used = exchange.parser.put_head(input_.unread());
      if (!used) {
        refusal = std::move(used).error();
        co_return true;
      }
      input_.consume(*used);
      if (exchange.parser.head_done()) co_return true;
    }
    const bool more = co_await read_more();
    if (!more) co_return false;
  }
}

std::optional<Refusal> Session::find_route() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.request;
  request.method = exchange.parser.method;
  request.headers = std::move(exchange.parser.headers);
  request.peer_is_loopback = peer_is_loopback_;
  auto raw_path = parse_request_target(exchange.parser.target, request);
  if (!raw_path) return Refusal{400, std::move(raw_path).error()};
  Router::Match match = parts_.router.find(request.method, *raw_path);
  if (match.route) {
    exchange.route = match.route;
    request.parameters = std::move(match.parameters);
    return exchange.parser.limit_body(match.route->body.limit);
  }
  const std::string path = printable(request.path, 200);
  if (match.allowed.empty()) {
    return Refusal{404, Error{ErrorCode::kNotFound, "there is nothing at '" + path +
                                                        "'; check the path against the API"}};
  }
  std::string& allow = exchange.response.headers["Allow"];
  for (const std::string& method : match.allowed) allow += (allow.empty() ? "" : ", ") + method;
  return Refusal{405, Error{ErrorCode::kMethodNotAllowed, "'" + path + "' does not take " +
                                                              printable(request.method) +
                                                              "; it takes " + allow}};
}

Session::Await Session::answer() {
  Exchange& exchange = *exchange_;
  const RequestParser& parser = exchange.parser;
  Response& response = exchange.response;
  exchange.keep_alive = !exchange.must_close && parser.keep_alive() && !stopping_ &&
                        (parser.done() || few_bytes_remain());
  const bool head_only = exchange.request.method == "HEAD" || has_no_body(response.status);
  bool sent = false;
  if (response.stream && !head_only) {
    sent = co_await send_stream();
  } else {
    BodyFraming framing{BodyFraming::kLength, response.body.size()};
    if (response.stream && response.stream_length) framing.length = *response.stream_length;
    if (response.stream && !response.stream_length) framing.kind = BodyFraming::kChunked;
    if (has_no_body(response.status)) framing.kind = BodyFraming::kNone;
    if (response.stream) drop_stream();
    std::string head = response_head(response, framing, exchange.keep_alive, parser.http_1_0());
    out_ = {};
    if (!head_only && response.body.size() <= kSmallBody) {
      head += response.body;
    } else if (!head_only) {
      out_[1] = asio::buffer(response.body);
    }
    out_[0] = asio::buffer(head);
    sent = co_await write();
    observe();
  }
  linger_ = exchange.must_close || !parser.done() || !input_.unread().empty();
  if (!sent || !exchange.keep_alive) co_return false;
  if (parser.done()) co_return true;
  const bool discarded = co_await discard_body();
  co_return discarded;
}

asio::awaitable<void> Session::hang_up() {
  // After an exception a handler may still be at work.
  if (body_) body_->fail({ErrorCode::kUnavailable, "the connection failed"});
  while (working_) co_await news_.wait();
  if (exchange_ && exchange_->response.stream) drop_stream();
  if (stopping_ || late_ || output_broke_ || input_ended_) co_return;
  set_deadline(parts_.options.timeouts.linger);
  if (!linger_) {
    transport_->shut_down(me());
    while (!shut_down_ && !late_ && !stopping_) co_await news_.wait();
    co_return;
  }
  // Closing while the peer still sends would reset the connection, and it might never see the
  // answer.
  transport_->end_output();
  while (!input_ended_ && !late_ && !stopping_) {
    input_.consume(input_.unread().size());
    start_read();
    co_await news_.wait();
  }
}

void Session::refuse(const Refusal& refusal) {
  Response& response = exchange_->response;
  if (response.stream) drop_stream();
  if (refusal.status == 413) exchange_->must_close = true;
  response.status = refusal.status;
  response.content_type = "application/json";
  response.body = error_text(parts_.options, refusal.error);
}

void Session::observe() {
  if (!parts_.options.observed) return;
  const Exchange& exchange = *exchange_;
  const std::chrono::duration<double> took = steady_clock::now() - exchange.began;
  parts_.options.observed(exchange.route ? exchange.route->operation : std::string(),
                          exchange.response.status, took.count());
}

void Session::run_handler() {
  call_handler();
  Exchange& exchange = *exchange_;
  if (!exchange.response.stream || exchange.request.method == "HEAD") return;
  run_stream_step();
  if (exchange.stream_failed) refuse(internal_error(*exchange.route));
}

void Session::call_handler() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.request;
  std::string thrown;
  try {
    std::optional<Response> instead;
    if (parts_.options.before) instead = parts_.options.before(request, *exchange.route);
    exchange.response = instead ? std::move(*instead) : exchange.route->handler(request);
    return;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "something that is not a std::exception";
  }
  log_error("{} {}: the handler threw: {}", request.method, printable(request.path, 200), thrown);
  refuse(internal_error(*exchange.route));
}

}  // namespace roost

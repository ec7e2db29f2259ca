#include "net/session.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/digest.h"
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

Refusal internal_error(const Exchange& exchange) {
  return {500,
          {ErrorCode::kInternal, "the server failed to answer " + exchange.route->operation +
                                     "; its log says why (request " + exchange.request.id + ")"}};
}

// Different in every process, so that logs of several starts can be searched together.
std::string new_request_id() {
  static const std::string process = random_hex(4);
  static std::atomic<std::uint64_t> count = 0;
  return process + "-" + std::to_string(++count);
}

bool has_no_body(int status) { return status == 204 || status == 304; }

}  // namespace

Session::Session(IoThread& io, ServerParts& parts, std::unique_ptr<Transport> transport,
                 bool peer_is_loopback, std::string peer, std::uint16_t local_port, std::shared_ptr<void> place)
    : io_(io),
      parts_(parts),
      transport_(std::move(transport)),
      peer_is_loopback_(peer_is_loopback),
      peer_(std::move(peer)),
      local_port_(local_port),
      place_(std::move(place)),
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
  if (now >= deadline_) make_way();
}

void Session::make_way() {
  waiting_since_.reset();
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
  waiting_since_ = steady_clock::now();
  transport_->handshake(me());
  while (!handshake_ok_ && !stopping_) co_await news_.wait();
  waiting_since_.reset();
  co_return handshake_ok_.value_or(false);
}

Session::Await Session::serve_request() {
  Exchange& exchange = exchange_.emplace(parts_);
  std::optional<Refusal> refusal;
  const bool came = co_await read_head(refusal);
  if (!came) co_return false;
  clear_deadline();
  exchange.request.id = new_request_id();
  if (!refusal) {
    exchange.must_close = false;
    refusal = find_route();
  }
  bool is_wanted = !refusal;
  if (is_wanted && exchange.route->later && exchange.route->check_head) {
    run_head_check();
    is_wanted = !exchange.is_answered;
    if (is_wanted && exchange.request.body_limit) {
      refusal = exchange.parser.limit_body(*exchange.request.body_limit);
      is_wanted = !refusal;
    }
  }
  if (is_wanted && has_large_body()) is_wanted = co_await may_send_body(refusal);
  if (is_wanted && exchange.route->body.stream) {
    co_await stream_body(refusal);
  } else if (is_wanted) {
    const bool whole = co_await read_body(refusal);
    if (!whole) co_return false;
    if (!refusal && exchange.route->later) {
      co_await answer_later();
    } else if (!refusal && exchange.route->is_quick && exchange.route->is_quick(exchange.request)) {
      run_handler();
    } else if (!refusal) {
      start_work(parts_.pool_of(*exchange.route), &Session::run_handler);
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
  const HttpTimeouts& timeouts = parts_.options.timeouts;
  set_deadline(has_served_ ? timeouts.idle : std::min(timeouts.idle, timeouts.first));
  waiting_since_ = steady_clock::now();
  bool begun = false;
  for (;;) {
    // Some peers send an empty line after a body.
    while (!begun && (input_.unread().starts_with('\r') || input_.unread().starts_with('\n'))) {
      input_.consume(1);
    }
    if (!input_.unread().empty()) {
      if (!std::exchange(begun, true)) {
        waiting_since_.reset();
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
  request.peer = peer_;
  request.local_port = local_port_;
  auto raw_path = parse_request_target(exchange.parser.target, request);
  if (!raw_path) return Refusal{400, std::move(raw_path).error()};
  Router::Match match = parts_.router.find(request.method, *raw_path);
  if (match.route) {
    exchange.route = match.route;
    request.parameters = std::move(match.parameters);
    if (auto refusal = exchange.parser.limit_body(match.route->body.limit)) return refusal;
    if (!parts_.options.admit) return std::nullopt;
    auto admission = parts_.options.admit(request, *match.route);
    if (!admission) {
      exchange.is_not_admitted = true;
      return Refusal{http_status(admission.error().code), std::move(admission).error()};
    }
    exchange.admission = *std::move(admission);
    return std::nullopt;
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
  response.headers["X-Request-Id"] = exchange.request.id;
  if (response.status >= 500 && !exchange.is_not_admitted && !response.is_expected) log_failure();
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
    std::string head = response_head(response, framing, exchange.keep_alive, parser.http_1_0(),
                                     parts_.options.extra_head);
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
  has_served_ = true;
  linger_ = exchange.must_close || !parser.done() || !input_.unread().empty();
  if (!sent || !exchange.keep_alive) co_return false;
  if (parser.done()) co_return true;
  const bool discarded = co_await discard_body();
  co_return discarded;
}

asio::awaitable<void> Session::hang_up() {
  waiting_since_.reset();
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
  if (refusal.status == 503) response.headers["Retry-After"] = "1";
  response.status = refusal.status;
  response.content_type = "application/json";
  response.body = error_text(parts_.options, refusal.error);
}

void Session::log_failure() {
  const Exchange& exchange = *exchange_;
  log_error("request {}: {} {} was answered {}: {}", exchange.request.id, printable(exchange.request.method, 20),
            printable(exchange.request.path, 200), exchange.response.status, printable(exchange.response.body, 500));
}

void Session::observe() {
  if (!parts_.options.observed) return;
  const Exchange& exchange = *exchange_;
  const std::chrono::duration<double> took = steady_clock::now() - exchange.began;
  parts_.options.observed(exchange.route ? exchange.route->operation : std::string(),
                          exchange.response.status, took.count());
}

void Session::run_head_check() {
  Exchange& exchange = *exchange_;
  try {
    if (auto answer = exchange.route->check_head(exchange.request)) {
      exchange.response = *std::move(answer);
      exchange.is_answered = true;
    }
  } catch (const std::exception& error) {
    log_error("{}: the check of the head threw: {}", exchange.route->operation, error.what());
    exchange.is_answered = true;
    refuse(internal_error(exchange));
  }
}

void Session::run_handler() {
  call_handler();
  Exchange& exchange = *exchange_;
  if (!exchange.response.stream || exchange.request.method == "HEAD") return;
  run_stream_step();
  if (exchange.stream_failed) refuse(internal_error(exchange));
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
  log_error("request {}: the handler of {} threw: {}", request.id, exchange.route->operation, thrown);
  refuse(internal_error(exchange));
}

}  // namespace roost

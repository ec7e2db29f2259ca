#include "net/client_exchange.h"

#include <poll.h>

#include <utility>

#include "base/text.h"

namespace roost {
namespace {

// Up to this size a body is copied behind the request's head, to go out in one piece.
constexpr std::size_t kSmallBody = 16 * 1024;

}  // namespace

ClientExchange::ClientExchange(const ClientRequest& request, const Url& url,
                               std::chrono::milliseconds idle_timeout, ClientSocket& socket,
                               Interrupt& interrupt)
    : request_(request),
      url_(url),
      idle_timeout_(idle_timeout),
      socket_(socket),
      interrupt_(interrupt) {
  parser_.emplace(request.method == "HEAD");
  body_sink_ = [this](std::string_view piece) { return take_body(piece); };
}

bool ClientExchange::reusable() const {
  return sent_all_ && head_came_ && parser_->done() && parser_->keep_alive() && broke_.empty() &&
         unparsed_.empty();
}

Result<ClientResponse> ClientExchange::run() {
  ROOST_CHECK(send_request());
  ROOST_CHECK(receive_answer());
  return std::move(response_);
}

Status ClientExchange::send_request() {
  std::string bytes = head();
  const std::string_view body = request_.body_source ? std::string_view() : request_.body;
  const bool small = body.size() <= kSmallBody;
  if (small) bytes += body;
  ROOST_CHECK(send_bytes(bytes));
  if (!small) ROOST_CHECK(send_bytes(body));
  if (request_.body_source) ROOST_CHECK(send_from_source());
  sent_all_ = !sending_is_over();
  return {};
}

std::string ClientExchange::head() const {
  std::string text = request_.method + " " + url_.prefix;
  if (!request_.target.starts_with('/')) text += '/';
  text += request_.target + " HTTP/1.1\r\nHost: " + url_.authority + "\r\n";
  for (const auto& [name, value] : request_.headers) text += name + ": " + value + "\r\n";
  const std::string& method = request_.method;
  const std::uint64_t length = request_.body_source ? request_.body_length : request_.body.size();
  if (length > 0 || method == "POST" || method == "PUT" || method == "PATCH") {
    text += "Content-Length: " + std::to_string(length) + "\r\n";
  }
  return text + "\r\n";
}

Status ClientExchange::send_bytes(std::string_view bytes) {
  while (!bytes.empty() && !sending_is_over()) {
    ROOST_CHECK(check_interrupt());
    const auto outcome = socket_.write(bytes);
    bytes.remove_prefix(outcome.size);
    if (broke_.empty()) broke_ = outcome.error;
    if (outcome.wants == 0) continue;
    // Besides room to send, there may be an early answer, most likely an error.
    short came = 0;
    ROOST_CHECK(wait(static_cast<short>(outcome.wants | POLLIN), &came));
    if (came & POLLIN) ROOST_CHECK(receive_some());
  }
  return {};
}

Status ClientExchange::send_from_source() {
  std::uint64_t left = request_.body_length;
  while (left > 0) {
    if (socket_.readable()) ROOST_CHECK(receive_some());
    if (sending_is_over()) return {};
    ROOST_TRY(const std::string piece, request_.body_source());
    if (piece.empty() || piece.size() > left) {
      return fail(ErrorCode::kDataMismatch,
                  "what was to be sent to " + place() + " is " +
                      (piece.empty() ? "shorter" : "longer") + " than the announced " +
                      std::to_string(request_.body_length) +
                      " bytes; if it is a file that changed meanwhile, try again");
    }
    left -= piece.size();
    ROOST_CHECK(send_bytes(piece));
  }
  return {};
}

Status ClientExchange::receive_answer() {
  while (!answer_is_over()) {
    ROOST_CHECK(check_interrupt());
    ROOST_TRY(const short wanted, receive_some());
    if (wanted != 0) ROOST_CHECK(wait(wanted));
    if (input_ended_ && !answer_is_over()) {
      return fail(ErrorCode::kUnavailable,
                  "the connection to " + place() + " broke" +
                      (head_came_ ? " in the middle of the answer: " : ": ") + broke_ +
                      "; try again, and see the server's log if it stays so");
    }
  }
  return {};
}

Result<short> ClientExchange::receive_some() {
  const auto outcome = socket_.read(buffer_.data(), buffer_.size());
  if (outcome.size > 0) {
    begun_ = true;
    ROOST_CHECK(parse({buffer_.data(), outcome.size}));
  } else if (outcome.wants == 0) {
    input_ended_ = true;
    if (broke_.empty()) broke_ = outcome.ended ? "the server closed it" : outcome.error;
    // An answer without a length ends so.
    if (outcome.ended) parser_->put_end();
  }
  return outcome.wants;
}

Status ClientExchange::parse(std::string_view bytes) {
  const bool joined = !unparsed_.empty();
  if (joined) {
    unparsed_ += bytes;
    bytes = unparsed_;
  }
  while (!bytes.empty() && !answer_is_over()) {
    auto used = parser_->put(bytes, body_sink_);
    if (!used) {
      return fail(ErrorCode::kUnavailable,
                  place() + " does not answer in HTTP (" + used.error().message +
                      "); is this the server's address, and http or https right?");
    }
    bytes.remove_prefix(*used);
    if (parser_->head_done() && !head_came_) {
      if (parser_->status / 100 == 1) {
        parser_.emplace(request_.method == "HEAD");
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
  return {};
}

bool ClientExchange::take_body(std::string_view piece) {
  if (request_.on_data && response_.status / 100 == 2) return request_.on_data(piece);
  response_.body += piece;
  return true;
}

Status ClientExchange::wait(short events, short* came) {
  auto ready = socket_.wait(events, idle_timeout_, interrupt_);
  if (ready) {
    if (came) *came = *ready;
    return {};
  }
  ROOST_CHECK(check_interrupt());
  if (ready.error().code != ErrorCode::kDeadlineExceeded) return fail(std::move(ready).error());
  const auto seconds = std::chrono::duration<double>(idle_timeout_).count();
  return fail(ErrorCode::kDeadlineExceeded, "nothing came from " + place() + " for " +
                                                human_duration(seconds) +
                                                "; the server may be overloaded, try again");
}

Status ClientExchange::check_interrupt() {
  if (!interrupt_.taken()) return {};
  return fail(ErrorCode::kUnavailable, "the request to " + place() + " was interrupted");
}

std::string ClientExchange::place() const {
  return (url_.tls ? "https://" : "http://") + url_.authority;
}

}  // namespace roost

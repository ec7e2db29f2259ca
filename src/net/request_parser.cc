#include "net/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include "base/text.h"

namespace roost {
namespace {

namespace http = boost::beast::http;

Refusal refuse(int status, ErrorCode code, std::string message) {
  return {status, Error{code, std::move(message)}};
}

Refusal malformed(const std::string& why) {
  return refuse(400, ErrorCode::kInvalidArgument, "malformed HTTP request: " + why);
}

bool has_folded_line(std::string_view head) {
  for (std::size_t at = head.find('\n'); at != head.npos && at + 1 < head.size(); at = head.find('\n', at + 1)) {
    if (head[at + 1] == ' ' || head[at + 1] == '\t') return true;
  }
  return false;
}

}  // namespace

RequestParser::RequestParser() {
  header_limit(kHeadLimit + 1);
  body_limit(boost::none);
}

tl::expected<std::size_t, Refusal> RequestParser::put_head(std::string_view bytes) {
  error_code error;
  const std::size_t used = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error && error != http::error::need_more) return tl::unexpected(refusal(error));
  // Beast's own limit starts anew with each line, so a head that trickles in could be endless.
  head_bytes_ += used;
  if (head_bytes_ + (head_done() ? 0 : bytes.size() - used) > kHeadLimit) {
    return tl::unexpected(refusal(http::error::header_limit));
  }
  // Whole headers are used at a time. Beast unfolds what others before or behind us may read as two.
  if (has_folded_line(bytes.substr(0, used))) {
    return tl::unexpected(malformed("a header goes on in the next line, which HTTP/1.1 no longer allows"));
  }
  if (head_done()) {
    if (auto bad = check_head()) return tl::unexpected(std::move(*bad));
  }
  return used;
}

std::optional<Refusal> RequestParser::check_head() const {
  if (target.size() > kTargetLimit) {
    return refuse(414, ErrorCode::kTooLarge,
                  "the request target is longer than " + std::to_string(kTargetLimit) + " bytes");
  }
  if (host_repeated_ || (version_ == 11 && !headers.contains("host"))) {
    return malformed("there must be exactly one Host header");
  }
  if (const auto coding = headers.find("transfer-encoding"); coding != headers.end()) {
    if (version_ == 10 || lower(coding->second) != "chunked") {
      return malformed("the only Transfer-Encoding understood is 'chunked', in HTTP/1.1");
    }
  }
  if (const auto expect = headers.find("expect"); expect != headers.end() && !expects_continue_) {
    return refuse(417, ErrorCode::kInvalidArgument,
                  "the only Expect header understood is '100-continue'");
  }
  return std::nullopt;
}

std::optional<std::uint64_t> RequestParser::content_length() const {
  const auto length = basic_parser::content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

std::optional<std::uint64_t> RequestParser::body_remaining() const {
  const auto remaining = content_length_remaining();
  return remaining ? std::optional<std::uint64_t>(*remaining) : std::nullopt;
}

std::optional<Refusal> RequestParser::limit_body(std::uint64_t limit) {
  limit_ = limit;
  if (const auto length = content_length(); length && *length > limit) {
    return refusal(http::error::body_limit);
  }
  if (chunked()) body_limit(limit);
  return std::nullopt;
}

tl::expected<std::size_t, Refusal> RequestParser::put_body(std::string_view bytes,
                                                           std::string& out) {
  // Beast asserts (and in release presumes) both: that there is something to come, and this of the last chunk. No body
  // ends with fewer.
  if (done()) return 0;
  if (chunked() && bytes.size() < 5) return 0;
  error_code error;
  out_ = &out;
  eager(true);
  const std::size_t used = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  out_ = nullptr;
  if (error && error != http::error::need_more) return tl::unexpected(refusal(error));
  return used;
}

Refusal RequestParser::refusal(const error_code& error) const {
  if (error == http::error::header_limit) {
    return refuse(431, ErrorCode::kTooLarge,
                  "the request's headers are longer than " + std::to_string(kHeadLimit) + " bytes");
  }
  if (error == http::error::body_limit) {
    return refuse(413, ErrorCode::kTooLarge,
                  "the request's body is longer than the " + std::to_string(limit_) +
                      " bytes taken here; send less at a time");
  }
  return malformed(error.message());
}

void RequestParser::on_request_impl(http::verb, string_view method_name, string_view full_target,
                                    int version, error_code&) {
  method.assign(method_name.data(), method_name.size());
  target.assign(full_target.data(), full_target.size());
  version_ = version;
}

void RequestParser::on_field_impl(http::field field, string_view name, string_view value,
                                  error_code&) {
  // Trailers of a chunked body end up here too. By then a handler may be reading the headers, and
  // nothing that was checked may change.
  if (is_header_done()) return;
  const std::string_view text(value.data(), value.size());
  if (field == http::field::expect) expects_continue_ = lower(text) == "100-continue";
  const auto [place, is_new] = headers.try_emplace(lower({name.data(), name.size()}), text);
  if (is_new) return;
  if (field == http::field::host) host_repeated_ = true;
  place->second += field == http::field::cookie ? "; " : ", ";
  place->second += text;
}

std::size_t RequestParser::on_body_impl(string_view body, error_code&) {
  out_->append(body.data(), body.size());
  return body.size();
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, string_view body, error_code&) {
  out_->append(body.data(), body.size());
  return body.size();
}

}  // namespace roost

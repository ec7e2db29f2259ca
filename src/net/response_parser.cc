#include "net/response_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include "base/text.h"

namespace roost {

namespace http = boost::beast::http;

ResponseParser::ResponseParser(bool head_only) {
  header_limit(64 * 1024);
  body_limit(boost::none);
  skip(head_only);
}

Result<std::size_t> ResponseParser::put(std::string_view bytes,
                                        const std::function<bool(std::string_view)>& on_body) {
  const bool body = is_header_done();
  // Beast asserts (and in release presumes) this of the last chunk. No body ends with fewer.
  if (body && chunked() && bytes.size() < 5) return 0;
  error_code error;
  on_body_ = &on_body;
  // Not eager before, so that the caller sees the status before the first byte of the body.
  eager(body);
  const std::size_t used =
      basic_parser::put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  on_body_ = nullptr;
  if (stopped_) return used;
  if (error && error != http::error::need_more) {
    return fail(ErrorCode::kUnavailable, error.message());
  }
  return used;
}

void ResponseParser::put_end() {
  error_code ignored;
  if (got_some() && !is_done()) put_eof(ignored);
}

void ResponseParser::on_field_impl(http::field, string_view name, string_view value, error_code&) {
  if (is_header_done()) return;
  const std::string_view text(value.data(), value.size());
  const auto [place, is_new] = headers.try_emplace(lower({name.data(), name.size()}), text);
  if (!is_new) place->second.append(", ").append(text);
}

std::size_t ResponseParser::on_body_impl(string_view body, error_code& error) {
  if (!(*on_body_)({body.data(), body.size()})) {
    stopped_ = true;
    error = http::error::end_of_stream;
  }
  return body.size();
}

std::size_t ResponseParser::on_chunk_body_impl(std::uint64_t, string_view body, error_code& error) {
  return on_body_impl(body, error);
}

}  // namespace roost

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

#include "base/result.h"

namespace roost {

// Why the server itself turns a request down.
struct Refusal {
  int status = 400;
  Error error;
};

// Parses one HTTP/1 request from bytes as they arrive. Private to net/; not thread-safe.
class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  static constexpr std::size_t kHeadLimit = 16 * 1024;
  static constexpr std::size_t kTargetLimit = 8 * 1024;

  RequestParser();

  // Takes bytes of the request line and the headers. Returns how many it used; call again with the
  // others, followed by more, until head_done(). Never uses bytes of the body.
  tl::expected<std::size_t, Refusal> put_head(std::string_view bytes);
  bool head_done() const { return is_header_done(); }

  // Of the head, once it is done (they stay as they are while the body comes).
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // names in lower case; repeated ones joined by ", "
  std::optional<std::uint64_t> content_length() const;
  bool keep_alive() const { return basic_parser::keep_alive(); }
  bool http_1_0() const { return version_ == 10; }
  bool expects_continue() const { return expects_continue_; }

  // A longer body is refused with 413 as soon as that is known: with a Content-Length by this call.
  std::optional<Refusal> limit_body(std::uint64_t limit);
  // Appends the body to `out`, without its transfer coding; counts and returns bytes like
  // put_head().
  tl::expected<std::size_t, Refusal> put_body(std::string_view bytes, std::string& out);
  // The whole request was parsed.
  bool done() const { return is_done(); }
  // How much of a body with Content-Length is still to come; nothing when it is chunked.
  std::optional<std::uint64_t> body_remaining() const;

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  std::optional<Refusal> check_head() const;
  Refusal refusal(const error_code& error) const;

  void on_request_impl(boost::beast::http::verb, string_view method, string_view target,
                       int version, error_code&) override;
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(boost::beast::http::field, string_view name, string_view value,
                     error_code&) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override;
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override;
  void on_finish_impl(error_code&) override {}

  int version_ = 11;
  bool host_repeated_ = false;
  bool expects_continue_ = false;
  std::size_t head_bytes_ = 0;
  std::uint64_t limit_ = 0;
  std::string* out_ = nullptr;
};

}  // namespace roost

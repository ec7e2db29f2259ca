#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

#include "base/result.h"

namespace roost {

// Parses one HTTP/1 response from bytes as they arrive. Private to net/; not thread-safe.
class ResponseParser final : private boost::beast::http::basic_parser<false> {
 public:
  // `head_only`: the answer to a HEAD request, which has no body whatever its headers say.
  explicit ResponseParser(bool head_only);

  // Takes bytes, hands pieces of the body to `on_body` and returns how many bytes it used. False
  // from `on_body` ends the parsing: stopped(). kUnavailable if this is not HTTP.
  Result<std::size_t> put(std::string_view bytes,
                          const std::function<bool(std::string_view)>& on_body);
  // The peer closed the connection; done() afterwards if the response was to end so.
  void put_end();

  bool head_done() const { return is_header_done(); }
  bool done() const { return is_done(); }
  bool stopped() const { return stopped_; }
  bool keep_alive() const { return is_header_done() && basic_parser::keep_alive(); }
  bool begun() const { return got_some(); }

  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb, string_view, string_view, int,
                       error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override { status = code; }
  void on_field_impl(boost::beast::http::field, string_view name, string_view value,
                     error_code&) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& error) override;
  void on_finish_impl(error_code&) override {}

  const std::function<bool(std::string_view)>* on_body_ = nullptr;
  bool stopped_ = false;
};

}  // namespace roost

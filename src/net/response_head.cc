#include "net/response_head.h"

#include <charconv>
#include <ctime>
#include <string_view>

#include <boost/beast/http/status.hpp>

namespace roost {
namespace {

// "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", made once a second on each thread.
std::string_view date_line() {
  thread_local std::time_t made_at = 0;
  thread_local char line[64];
  thread_local std::size_t size = 0;
  const std::time_t now = std::time(nullptr);
  if (now != made_at) {
    std::tm utc{};
    gmtime_r(&now, &utc);
    size = std::strftime(line, sizeof line, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
    made_at = now;
  }
  return {line, size};
}

void add_number(std::string& out, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void add_header(std::string& out, std::string_view name, std::string_view value) {
  const std::size_t start = out.size();
  out.append(name).append(": ").append(value);
  for (std::size_t i = start; i < out.size(); ++i) {
    if (static_cast<unsigned char>(out[i]) < 0x20 && out[i] != '\t') out[i] = ' ';
  }
  out += "\r\n";
}

}  // namespace

std::string response_head(const Response& response, const BodyFraming& framing, bool keep_alive,
                          bool http_1_0, std::string_view extra) {
  std::string out;
  out.reserve(256);
  out += "HTTP/1.1 ";
  add_number(out, static_cast<std::uint64_t>(response.status));
  out += ' ';
  const auto status = boost::beast::http::int_to_status(static_cast<unsigned>(response.status));
  const auto reason = boost::beast::http::obsolete_reason(status);
  out.append(reason.data(), reason.size());
  out += "\r\n";
  out += date_line();
  if (framing.kind != BodyFraming::kNone && !response.content_type.empty()) {
    add_header(out, "Content-Type", response.content_type);
  }
  for (const auto& [name, value] : response.headers) add_header(out, name, value);
  out += extra;
  if (framing.kind == BodyFraming::kLength) {
    out += "Content-Length: ";
    add_number(out, framing.length);
    out += "\r\n";
  } else if (framing.kind == BodyFraming::kChunked) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  if (!keep_alive) {
    out += "Connection: close\r\n";
  } else if (http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
  return out;
}

}  // namespace roost

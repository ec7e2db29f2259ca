#include "net/request_parser.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

// Feeds `text` in pieces of `step` bytes; returns the status of the refusal, 0 when it is done, -1
// when it wants more.
int parse(RequestParser& parser, std::string_view text, std::size_t step, std::string& body,
          std::uint64_t limit = 1 << 20) {
  std::string pending;
  bool limited = false;
  while (!text.empty()) {
    pending += text.substr(0, step);
    text.remove_prefix(std::min(step, text.size()));
    for (;;) {
      if (parser.head_done() && !limited) {
        limited = true;
        if (const auto refusal = parser.limit_body(limit)) return refusal->status;
      }
      if (parser.done()) return 0;
      if (pending.empty()) break;
      auto used = parser.head_done() ? parser.put_body(pending, body) : parser.put_head(pending);
      if (!used) return used.error().status;
      pending.erase(0, *used);
      if (*used == 0) break;
    }
  }
  return -1;
}

int status_of(std::string_view text) {
  RequestParser parser;
  std::string body;
  return parse(parser, text, text.size(), body);
}

TEST(RequestParser, TakesARequestInPiecesOfAnySize) {
  const std::string_view text =
      "POST /a?b=c HTTP/1.1\r\nHost: x\r\nX-One: 1\r\nx-one: 2\r\nTransfer-Encoding: "
      "chunked\r\n\r\n"
      "5\r\nhello\r\n7;ext=\"v\"\r\n, world\r\n0\r\nAuthorization: late\r\n\r\n";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    RequestParser parser;
    std::string body;
    ASSERT_EQ(parse(parser, text, step, body), 0) << step;
    EXPECT_EQ(parser.method, "POST");
    EXPECT_EQ(parser.target, "/a?b=c");
    EXPECT_EQ(parser.headers.at("x-one"), "1, 2");
    EXPECT_FALSE(parser.headers.contains("authorization"));
    EXPECT_EQ(body, "hello, world");
    EXPECT_TRUE(parser.keep_alive());
  }
}

TEST(RequestParser, TakesAnEmptyChunkedBodyByteByByte) {
  // Beast's assertion about it is too strict.
  const std::string_view text =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  RequestParser parser;
  std::string body;
  EXPECT_EQ(parse(parser, text, 1, body), 0);
  EXPECT_EQ(body, "");
}

TEST(RequestParser, RefusesWhatCouldBeReadInTwoWays) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\n";
  EXPECT_EQ(status_of(head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: -3\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: 99999999999999999999999\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: gzip\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "Host: y\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 0);
  EXPECT_EQ(status_of(head + "Bad Name: y\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), 400);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n"), 400);
  EXPECT_EQ(status_of(head + "Expect: something\r\n\r\n"), 417);
}

TEST(RequestParser, RefusesWhatIsNotHttp) {
  for (const char* text :
       {"\x16\x03\x01\x02", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
        "GET / HTTP/1.1\nHost: x\n\n", "{\"a\":1}\r\n\r\n"}) {
    EXPECT_EQ(status_of(text), 400) << text;
  }
}

TEST(RequestParser, LimitsTheHeadHoweverSlowlyItComes) {
  std::string text = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 1000; ++i) text += "X-" + std::to_string(i) + ": 0123456789012345678\r\n";
  for (const std::size_t step : {std::size_t{1}, std::size_t{28}, std::size_t{4096}, text.size()}) {
    RequestParser parser;
    std::string body;
    EXPECT_EQ(parse(parser, text, step, body), 431) << step;
  }
  // Each line with the first two bytes of the next, which is where Beast forgets what it has
  // counted.
  RequestParser parser;
  std::string pending;
  int refused = 0;
  for (std::size_t at = 0; at < text.size() && refused == 0;) {
    const std::size_t end = std::min(text.find('\n', at + 2) + 3, text.size());
    pending += text.substr(at, end - at);
    const auto used = parser.put_head(pending);
    if (!used) refused = used.error().status;
    pending.erase(0, used.value_or(0));
    at = end;
  }
  EXPECT_EQ(refused, 431);
}

TEST(RequestParser, LimitsTarget) {
  EXPECT_EQ(status_of("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414);
  EXPECT_EQ(status_of("GET /" + std::string(8000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 0);
}

TEST(RequestParser, LimitsBody) {
  RequestParser sized;
  std::string body;
  EXPECT_EQ(parse(sized, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n", 10, body, 10),
            413);
  RequestParser chunked;
  EXPECT_EQ(parse(chunked,
                  "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "6\r\nabcdef\r\n5\r\nghijk\r\n0\r\n\r\n",
                  7, body, 10),
            413);
  EXPECT_EQ(body, "abcdef");
}

TEST(RequestParser, RefusesHeadersThatGoOnInTheNextLine) {
  for (const std::string_view head :
       {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chun\r\n\tked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-One: 1\r\n \r\n\r\n", "GET / HTTP/1.1\r\n Host: x\r\n\r\n"}) {
    for (std::size_t step = 1; step <= head.size(); ++step) {
      RequestParser parser;
      std::string body;
      EXPECT_EQ(parse(parser, head, step, body), 400) << head << step;
    }
  }
}

}  // namespace
}  // namespace roost

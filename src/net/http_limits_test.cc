// What the server takes from peers that are hostile, broken or slow.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "net/test_http.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

class HttpLimits : public ::testing::Test {
 protected:
  void SetUp() override {
    test.route("GET", "/", [](Request&) { return text_response("here"); });
    test.route("POST", "/small", [](Request& request) { return text_response(request.body); },
               {10, false});
    test.route("PUT", "/stream",
               [this](Request& request) {
                 std::uint64_t size = 0;
                 for (;;) {
                   auto piece = request.body_stream->read();
                   if (!piece) {
                     last_error = piece.error();
                     failed.set();
                     return text_response("failed", 500);
                   }
                   if (piece->empty()) return text_response(std::to_string(size));
                   got_some.set();
                   size += piece->size();
                 }
               },
               {100'000, true});
    test.route("PUT", "/decline", [](Request&) { return text_response("no", 403); },
               {1 << 30, true});
  }

  TestServer test;
  Error last_error;
  Signal got_some;
  Signal failed;
};

TEST_F(HttpLimits, OneConnectionTooManyTakesThePlaceOfTheLongestSilentOne) {
  test.options.most_connections = 3;
  test.start();
  RawConnection served(test.server->port());
  served.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(served.read_response().substr(0, 3), "200");
  RawConnection silent(test.server->port());
  RawConnection later(test.server->port());
  for (int i = 0; i < 2; ++i) {
    RawConnection another(test.server->port());
    another.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(another.read_response().substr(0, 3), "200");
  }
  EXPECT_TRUE(silent.ends());
  served.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(served.read_response().substr(0, 3), "200") << "one that was of use stays";
}

TEST_F(HttpLimits, WhoeverSendsNothingAtFirstIsClosedSoon) {
  test.options.timeouts.first = milliseconds(50);
  test.start();
  RawConnection served(test.server->port());
  served.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(served.read_response().substr(0, 3), "200");
  RawConnection silent(test.server->port());
  EXPECT_TRUE(silent.ends());
  served.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(served.read_response().substr(0, 3), "200");
}

TEST_F(HttpLimits, RefusesMalformedRequestsAndCloses) {
  test.start();
  for (const char* text :
       {"nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/3.0\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n"}) {
    RawConnection raw(test.server->port());
    raw.send(text);
    const std::string response = raw.read_response();
    EXPECT_EQ(response.substr(0, 3), "400") << text;
    EXPECT_NE(response.find(R"({"error":{"code":"invalid_argument","message":"malformed)"),
              std::string::npos)
        << response;
    EXPECT_TRUE(raw.ends());
  }
}

TEST_F(HttpLimits, RefusesLongHeadsAndTargets) {
  test.start();
  RawConnection head(test.server->port());
  head.send("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(20'000, 'a'));
  EXPECT_EQ(head.read_response().substr(0, 3), "431");
  EXPECT_TRUE(head.ends());
  RawConnection target(test.server->port());
  target.send("GET /" + std::string(10'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(target.read_response().substr(0, 3), "414");
}

TEST_F(HttpLimits, RefusesALongBodyBeforeReadingIt) {
  test.start();
  RawConnection raw(test.server->port());
  raw.send("POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
  const std::string response = raw.read_response();
  EXPECT_EQ(response.substr(0, 3), "413");
  EXPECT_NE(response.find("too_large"), std::string::npos);
  EXPECT_NE(raw.last_head.find("Connection: close"), std::string::npos);
  EXPECT_TRUE(raw.ends());
}

TEST_F(HttpLimits, RefusesALongChunkedBody) {
  test.start();
  for (const char* path : {"/small", "/stream"}) {
    RawConnection raw(test.server->port());
    raw.send(std::string(path == std::string("/small") ? "POST " : "PUT ") + path +
             " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n");
    raw.send("fffff\r\n" + std::string(50'000, 'x'));
    EXPECT_EQ(raw.read_response().substr(0, 3), "413") << path;
    EXPECT_TRUE(raw.ends());
  }
  EXPECT_EQ(last_error.code, ErrorCode::kTooLarge);
}

TEST_F(HttpLimits, DeliversAnEarlyAnswerToAPeerThatKeepsSending) {
  test.start();
  // Much more than any socket buffer, so that a careless close would reset the connection.
  RawConnection raw(test.server->port());
  raw.send("PUT /decline HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string junk(1 << 20, 'x');
  for (int i = 0; i < 30; ++i) {
    if (!raw.send(junk)) break;
  }
  EXPECT_EQ(raw.read_response(), "403 no");
}

TEST_F(HttpLimits, KeepsTheConnectionWhenLittleOfABodyIsUnread) {
  test.start();
  RawConnection raw(test.server->port());
  raw.send("PUT /decline HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "403 no");
  raw.send(std::string(40'000, 'x'));
  raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "200 here");
  raw.send("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(raw.read_response().substr(0, 3), "404");
  raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "200 here");
}

TEST_F(HttpLimits, TakesChunkedBodies) {
  test.start();
  RawConnection raw(test.server->port());
  for (const char* path : {"POST /small", "PUT /stream"}) {
    raw.send(std::string(path) + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    raw.send("3\r\nab");
    raw.send("c\r\n4\r\ndefg\r\n0\r\n\r\n");
    EXPECT_EQ(raw.read_response(), path[1] == 'O' ? "200 abcdefg" : "200 7");
  }
}

TEST_F(HttpLimits, RefusesAChunkHeaderWithoutEnd) {
  test.start();
  RawConnection raw(test.server->port());
  raw.send("POST /small HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;x=" +
           std::string(100'000, 'a'));
  EXPECT_EQ(raw.read_response().substr(0, 3), "400");
}

TEST_F(HttpLimits, AsksForTheBodyWhenThePeerWaitsForThat) {
  test.start();
  RawConnection raw(test.server->port());
  for (const char* path : {"POST /small", "PUT /stream"}) {
    raw.send(std::string(path) +
             " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    EXPECT_EQ(raw.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    raw.send("abcd");
    EXPECT_EQ(raw.read_response(), path[1] == 'O' ? "200 abcd" : "200 4");
  }
  // One who does not wait is not asked for nothing.
  raw.send(
      "POST /small HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nabcd");
  EXPECT_EQ(raw.read_response(), "200 abcd");
  // And one who is turned away need not send.
  raw.send("PUT /decline HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "403 no");
  EXPECT_TRUE(raw.ends());
  RawConnection large(test.server->port());
  large.send(
      "POST /small HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 40\r\n\r\n");
  EXPECT_EQ(large.read_response().substr(0, 3), "413");
}

TEST_F(HttpLimits, TellsTheReaderThatThePeerVanished) {
  test.start();
  auto raw = std::make_unique<RawConnection>(test.server->port());
  raw->send("PUT /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nsome");
  ASSERT_TRUE(got_some.wait());
  raw.reset();
  ASSERT_TRUE(failed.wait());
  test.server->stop();
  EXPECT_EQ(last_error.code, ErrorCode::kUnavailable);
}

TEST_F(HttpLimits, TellsTheReaderThatTheServerStops) {
  test.start();
  RawConnection raw(test.server->port());
  raw.send("PUT /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nsome");
  ASSERT_TRUE(got_some.wait());
  test.server->stop();
  EXPECT_EQ(last_error.code, ErrorCode::kUnavailable);
  EXPECT_EQ(raw.read_response(), "500 failed");
}

TEST_F(HttpLimits, ClosesIdleConnections) {
  test.options.timeouts.idle = milliseconds(100);
  test.start();
  RawConnection never_used(test.server->port());
  RawConnection used(test.server->port());
  used.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(used.read_response(), "200 here");
  EXPECT_TRUE(used.ends());
  EXPECT_TRUE(never_used.ends());
}

TEST_F(HttpLimits, ClosesOnHeadsThatTrickle) {
  test.options.timeouts.head = milliseconds(200);
  test.start();
  RawConnection raw(test.server->port());
  raw.send("GET / HTTP/1.1\r\n");
  // A byte now and then must not prolong it.
  for (int i = 0; i < 500 && raw.send("X"); ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_FALSE(raw.send("X"));
}

TEST_F(HttpLimits, GivesUpBodiesThatStall) {
  test.options.timeouts.stall = milliseconds(200);
  test.start();
  RawConnection buffered(test.server->port());
  buffered.send("POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  RawConnection streamed(test.server->port());
  streamed.send("PUT /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_TRUE(buffered.ends());
  EXPECT_TRUE(streamed.ends());
  ASSERT_TRUE(failed.wait());
  test.server->stop();
  EXPECT_EQ(last_error.code, ErrorCode::kUnavailable);
}

TEST_F(HttpLimits, GivesUpPeersThatDoNotTakeTheirAnswer) {
  test.options.timeouts.stall = milliseconds(300);
  Signal over;
  test.options.observed = [&](const std::string&, int, double) { over.set(); };
  test.route("GET", "/large", [](Request&) { return text_response(std::string(64 << 20, 'x')); });
  test.start();
  RawConnection raw(test.server->port(), 4096);
  raw.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(over.wait());
}

TEST_F(HttpLimits, SlowUploadsDoNotHoldUpOthers) {
  test.options.worker_threads = 2;
  test.start();
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 6; ++i) {
    slow.push_back(std::make_unique<RawConnection>(test.server->port()));
    slow.back()->send("PUT /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  }
  ASSERT_TRUE(got_some.wait());
  RawConnection quick(test.server->port());
  quick.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(quick.read_response(), "200 here");
  for (auto& raw : slow) raw->send("cde");
  for (auto& raw : slow) EXPECT_EQ(raw->read_response(), "200 5");
}

}  // namespace
}  // namespace roost

// How much of the server one kind of request can take from the others.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "net/test_http.h"

namespace roost {
namespace {

Route route_of(const char* method, const char* pattern, Handler handler, BodyRule body = {}) {
  return {method, pattern, "op", body, std::move(handler)};
}

std::string head(const std::string& line, std::uint64_t length) {
  return line + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

TEST(HttpShares, AsksBeforeItReadsALargeBody) {
  TestServer test;
  Route large = route_of("POST", "/", [](Request& request) { return text_response(std::to_string(request.body.size())); },
                         {1 << 30, false});
  large.check_head = [](Request& request) -> std::optional<Response> {
    if (request.header("authorization") == "yes") return std::nullopt;
    return text_response("no", 401);
  };
  Route stream = large;
  stream.pattern = "/stream";
  stream.body.stream = true;
  test.router.add(large);
  test.router.add(stream);
  test.start();
  for (const char* line : {"POST /", "POST /stream"}) {
    RawConnection raw(test.server->port());
    raw.send(head(line, 1 << 29));
    raw.send("the first bytes of many");
    EXPECT_EQ(raw.read_response(), "401 no") << line;
  }
  RawConnection chunked(test.server->port());
  chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
  EXPECT_EQ(chunked.read_response(), "401 no");
  RawConnection allowed(test.server->port());
  allowed.send("POST / HTTP/1.1\r\nHost: x\r\nAuthorization: yes\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x'));
  EXPECT_EQ(allowed.read_response(), "200 100000");
}

TEST(HttpShares, HoldsNoMoreBodiesInMemoryThanAllowed) {
  TestServer test;
  test.options.body_memory = 1 << 20;
  test.router.add(route_of("POST", "/", [](Request& request) { return text_response(std::to_string(request.body.size())); },
                           {1 << 30, false}));
  test.start();
  auto first = std::make_unique<RawConnection>(test.server->port());
  first->send(head("POST /", 700'000) + "x");
  // Only once the first has its share may the second ask for its own.
  for (std::string answer; !answer.starts_with("503");) {
    RawConnection second(test.server->port());
    second.send(head("POST /", 700'000));
    second.send(std::string(700'000, 'x'));
    answer = second.read_response();
    EXPECT_EQ(answer.starts_with("503"), second.last_head.find("Retry-After: 1") != std::string::npos);
  }
  RawConnection small(test.server->port());
  small.send(head("POST /", 5) + "hello");
  EXPECT_EQ(small.read_response(), "200 5");
  first->send(std::string(699'999, 'x'));
  EXPECT_EQ(first->read_response(), "200 700000");
  RawConnection third(test.server->port());
  third.send(head("POST /", 700'000) + std::string(700'000, 'x'));
  EXPECT_EQ(third.read_response(), "200 700000") << "what was answered gave its share back";
}

TEST(HttpShares, ALaneGoesOnWhileTheOthersThreadsAreTaken) {
  TestServer test;
  test.options.worker_threads = 2;
  test.options.lanes = {1};
  Signal open;
  std::atomic<int> inside = 0;
  Signal full;
  test.router.add(route_of("GET", "/slow", [&](Request&) {
    if (++inside == 2) full.set();
    open.wait();
    return text_response("slow");
  }));
  Route heartbeat = route_of("GET", "/heartbeat", [](Request&) { return text_response("heard"); });
  heartbeat.lane = 1;
  test.router.add(heartbeat);
  test.start();
  RawConnection slow[3] = {RawConnection(test.server->port()), RawConnection(test.server->port()), RawConnection(test.server->port())};
  for (auto& one : slow) one.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(full.wait());
  RawConnection raw(test.server->port());
  raw.send("GET /heartbeat HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "200 heard");
  open.set();
  for (auto& one : slow) EXPECT_EQ(one.read_response(), "200 slow");
}

TEST(HttpShares, SilentUploadsDoNotHoldUpUploads) {
  TestServer test;
  test.options.worker_threads = 2;
  test.router.add(route_of("PUT", "/", [](Request& request) {
    std::uint64_t size = 0;
    for (;;) {
      const auto piece = request.body_stream->read();
      if (!piece) return text_response("failed", 500);
      if (piece->empty()) return text_response(std::to_string(size));
      size += piece->size();
    }
  }, {1 << 30, true}));
  test.start();
  std::vector<std::unique_ptr<RawConnection>> silent;
  for (int i = 0; i < 50; ++i) {
    silent.push_back(std::make_unique<RawConnection>(test.server->port()));
    silent.back()->send(head("PUT /", 1000) + "x");
  }
  RawConnection raw(test.server->port());
  raw.send(head("PUT /", 5) + "hello");
  EXPECT_EQ(raw.read_response(), "200 5");
}

TEST(HttpShares, WhoIsNotAdmittedIsToldToComeBack) {
  TestServer test;
  std::atomic<int> held = 0;
  test.options.admit = [&](const Request& request, const Route&) -> Result<std::shared_ptr<void>> {
    EXPECT_EQ(request.peer, "127.0.0.1");
    if (held > 0) return fail(ErrorCode::kUnavailable, "full");
    ++held;
    return std::shared_ptr<void>(nullptr, [&](void*) { --held; });
  };
  Signal entered;
  Signal open;
  test.router.add(route_of("GET", "/", [&](Request&) {
    entered.set();
    open.wait();
    return text_response("in");
  }));
  test.start();
  RawConnection first(test.server->port());
  first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(entered.wait());
  RawConnection second(test.server->port());
  second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(second.read_response().substr(0, 3), "503");
  EXPECT_NE(second.last_head.find("Retry-After: 1"), std::string::npos);
  open.set();
  EXPECT_EQ(first.read_response(), "200 in");
  // The place is free once the first connection waits for its next request.
  first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.read_response(), "200 in");
}

}  // namespace
}  // namespace roost

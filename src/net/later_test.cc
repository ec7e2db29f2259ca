#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "net/test_http.h"

namespace roost {
namespace {

void add_later(TestServer& server, const std::string& method, const std::string& pattern, LaterHandler later,
               std::function<std::optional<Response>(Request&)> check = {}, std::uint64_t limit = 1 << 20) {
  Route route{method, pattern, "later:" + pattern, {limit, false}, {}};
  route.later = std::move(later);
  route.check_head = std::move(check);
  server.router.add(std::move(route));
}

TEST(Later, AnswersFromAnywhere) {
  TestServer server;
  std::vector<std::thread> threads;
  add_later(server, "POST", "/elsewhere", [&](Request& request, Answer answer) {
    threads.emplace_back([&request, answer = std::move(answer)] { answer(text_response("got " + request.body)); });
    return std::function<void()>();
  });
  add_later(server, "GET", "/at-once", [](Request& request, Answer answer) {
    answer(text_response(request.target));
    return std::function<void()>();
  });
  server.start();
  RawConnection raw(server.server->port());
  raw.send("POST /elsewhere HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
           "GET /at-once?a=%20b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ("200 got abc", raw.read_response());
  EXPECT_EQ("200 /at-once?a=%20b", raw.read_response());
  for (auto& thread : threads) thread.join();
}

TEST(Later, ChecksEveryHeadBeforeItsBody) {
  TestServer server;
  add_later(
      server, "POST", "/x",
      [](Request& request, Answer answer) {
        answer(text_response(std::to_string(request.body.size())));
        return std::function<void()>();
      },
      [](Request& request) -> std::optional<Response> {
        if (request.header("key") != "k") return text_response("who?", 401);
        request.body_limit = 10;
        return std::nullopt;
      });
  server.start();
  RawConnection raw(server.server->port());
  raw.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n");
  EXPECT_EQ("401 who?", raw.read_response());
  RawConnection small(server.server->port());
  small.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcd");
  EXPECT_EQ("401 who?", small.read_response());
  small.send("POST /x HTTP/1.1\r\nHost: x\r\nkey: k\r\nContent-Length: 4\r\n\r\nabcd");
  EXPECT_EQ("200 4", small.read_response());
  small.send("POST /x HTTP/1.1\r\nHost: x\r\nkey: k\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n");
  EXPECT_EQ("413", small.read_response().substr(0, 3));
  RawConnection large(server.server->port());
  large.send("POST /x HTTP/1.1\r\nHost: x\r\nkey: k\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ("413", large.read_response().substr(0, 3));
}

TEST(Later, TellsThatThePeerHasGone) {
  TestServer server;
  Signal asked;
  Signal gone;
  Answer kept;
  add_later(server, "GET", "/x", [&](Request&, Answer answer) {
    kept = std::move(answer);
    asked.set();
    return [&] { gone.set(); };
  });
  server.start();
  {
    RawConnection raw(server.server->port());
    raw.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(asked.wait());
  }
  EXPECT_TRUE(gone.wait());
  kept({});
}

TEST(Later, IsFinishedBeforeTheServerStops) {
  TestServer server;
  Signal asked;
  Answer kept;
  add_later(server, "GET", "/x", [&](Request&, Answer answer) {
    kept = std::move(answer);
    asked.set();
    return std::function<void()>();
  });
  server.start();
  RawConnection raw(server.server->port());
  raw.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(asked.wait());
  std::thread stopping([&] { server.server->stop(); });
  kept(text_response("late"));
  EXPECT_EQ("200 late", raw.read_response());
  stopping.join();
  kept = nullptr;
}

TEST(Later, ThrowingIsAnAnswer) {
  TestServer server;
  add_later(server, "GET", "/x", [](Request&, const Answer&) -> std::function<void()> { throw std::runtime_error("oh"); });
  server.start();
  HttpClient client(server.url());
  ClientRequest request;
  request.target = "/x";
  EXPECT_EQ(500, client.send(request)->status);
}

TEST(Loop, CallsAfterTheTimeUnlessTheTimerIsGone) {
  TestServer server;
  server.start();
  Loop& loop = server.server->loop();
  Signal done;
  std::unique_ptr<Loop::Timer> kept;
  std::unique_ptr<Loop::Timer> dropped;
  std::atomic<bool> called = false;
  loop.post([&] {
    dropped = loop.after(std::chrono::milliseconds(1), [&] { called = true; });
    dropped.reset();
    kept = loop.after(std::chrono::milliseconds(20), [&] {
      kept.reset();
      done.set();
    });
  });
  EXPECT_TRUE(done.wait());
  EXPECT_FALSE(called);
}

TEST(HttpServer, ListensOnFurtherPorts) {
  TestServer server;
  server.route("GET", "/", [](Request& request) { return text_response(std::to_string(request.local_port)); });
  server.start();
  const auto port = server.server->also_listen("127.0.0.1", 0);
  ASSERT_TRUE(port) << port.error().message;
  EXPECT_FALSE(server.server->also_listen("127.0.0.1", *port));
  RawConnection raw(*port);
  raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ("200 " + std::to_string(*port), raw.read_response());
  server.server->no_longer_listen(*port);
  // The connection that is there stays.
  raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ("200 " + std::to_string(*port), raw.read_response());
  HttpClient other("http://127.0.0.1:" + std::to_string(*port));
  EXPECT_FALSE(other.send({}));
}

}  // namespace
}  // namespace roost

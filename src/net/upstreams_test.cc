#include "net/upstreams.h"

#include <gtest/gtest.h>

#include <future>

#include "net/test_http.h"

namespace roost {
namespace {

using Kind = UpstreamOutcome::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

class UpstreamsTest : public testing::Test {
 protected:
  void SetUp() override {
    host.start();
    upstreams.emplace(host.server->loop());
  }
  void TearDown() override {
    host.server->stop();
    upstreams.reset();
  }
  std::future<UpstreamOutcome> send(std::uint16_t port, const std::string& method, const std::string& target,
                                    std::string body = "", milliseconds limit = seconds(20)) {
    UpstreamCall call;
    call.address = "127.0.0.1";
    call.port = port;
    call.method = method;
    call.head = method + " " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    call.body = std::make_shared<std::string>(std::move(body));
    call.deadline = steady_clock::now() + limit;
    auto promise = std::make_shared<std::promise<UpstreamOutcome>>();
    auto future = promise->get_future();
    host.server->loop().post([this, call = std::move(call), promise]() mutable {
      upstreams->send(std::move(call), [promise](UpstreamOutcome outcome) { promise->set_value(std::move(outcome)); });
    });
    return future;
  }

  TestServer host;  // of the loop
  std::optional<Upstreams> upstreams;
};

TEST_F(UpstreamsTest, SendsAndKeepsTheConnection) {
  TestServer server;
  std::atomic<int> count = 0;
  server.route("POST", "/echo", [&](Request& request) {
    ++count;
    return text_response(request.body, 201);
  }, {1 << 26});
  server.options.most_connections = 1;  // a second one would push the first out
  server.start();
  for (const std::size_t size : {std::size_t(0), std::size_t(5), std::size_t(3) << 20}) {
    const std::string body(size, 'b');
    const UpstreamOutcome outcome = send(server.server->port(), "POST", "/echo", body).get();
    ASSERT_EQ(Kind::kAnswered, outcome.kind) << outcome.why;
    EXPECT_EQ(201, outcome.response.status);
    EXPECT_EQ(body, outcome.response.body);
    EXPECT_EQ("text/plain", outcome.response.headers.at("content-type"));
  }
  EXPECT_EQ(3, count);
  const UpstreamOutcome head = send(server.server->port(), "HEAD", "/nowhere").get();
  EXPECT_EQ(404, head.response.status);
}

TEST_F(UpstreamsTest, TellsWhatWasNeverSentFromWhatMayHaveBeen) {
  TestServer gone;
  gone.start();
  const std::uint16_t port = gone.server->port();
  gone.server.reset();
  EXPECT_EQ(Kind::kNotConnected, send(port, "GET", "/").get().kind);

  // A server that closes without an answer.
  Fd listener = [] {
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(0, ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address));
    EXPECT_EQ(0, ::listen(fd.get(), 4));
    return fd;
  }();
  sockaddr_in name{};
  socklen_t size = sizeof name;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&name), &size);
  auto broken = send(ntohs(name.sin_port), "GET", "/");
  {
    const Fd accepted(::accept(listener.get(), nullptr, nullptr));
    char byte = 0;
    EXPECT_EQ(1, ::recv(accepted.get(), &byte, 1, 0));
  }
  EXPECT_EQ(Kind::kBroke, broken.get().kind);
}

TEST_F(UpstreamsTest, GivesUpAtTheDeadline) {
  TestServer server;
  Signal let_go;
  server.route("GET", "/slow", [&](Request&) {
    let_go.wait();
    return Response();
  });
  server.start();
  EXPECT_EQ(Kind::kLate, send(server.server->port(), "GET", "/slow", "", milliseconds(30)).get().kind);
  let_go.set();
}

TEST_F(UpstreamsTest, DoesNotUseAConnectionThatTheServerClosed) {
  TestServer server;
  server.options.timeouts.idle = milliseconds(30);
  server.route("POST", "/x", [](Request&) { return text_response("x"); });
  server.start();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Kind::kAnswered, send(server.server->port(), "POST", "/x").get().kind);
    std::this_thread::sleep_for(milliseconds(120));  // that it is idle is what is tested
  }
}

TEST_F(UpstreamsTest, HearsAnEarlyAnswer) {
  TestServer server;
  server.route("POST", "/small", [](Request&) { return text_response("x"); }, {10});
  server.start();
  const UpstreamOutcome outcome = send(server.server->port(), "POST", "/small", std::string(64 << 20, 'x')).get();
  ASSERT_EQ(Kind::kAnswered, outcome.kind) << outcome.why;
  EXPECT_EQ(413, outcome.response.status);
}

TEST_F(UpstreamsTest, TakesChunksAndAnswersWithoutLength) {
  TestServer server;
  server.route("GET", "/chunks", [](Request&) {
    Response response;
    auto left = std::make_shared<int>(100);
    response.stream = std::make_unique<FunctionStream>([left](std::string& piece) {
      if (--*left < 0) return ResponseStream::Step::kEnd;
      piece = std::string(1000, 'c');
      return ResponseStream::Step::kData;
    });
    return response;
  });
  server.start();
  const UpstreamOutcome outcome = send(server.server->port(), "GET", "/chunks").get();
  ASSERT_EQ(Kind::kAnswered, outcome.kind) << outcome.why;
  EXPECT_EQ(100'000U, outcome.response.body.size());
}

}  // namespace
}  // namespace roost

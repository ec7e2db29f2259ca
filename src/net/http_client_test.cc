#include "net/http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "net/listener.h"
#include "net/test_http.h"
#include "net/url.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

// A server that says what the test wants, over one connection after another.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<void(int connection, int number)> script)
      : listener_(*listen_on("127.0.0.1", 0)), thread_([this, script = std::move(script)] {
          for (int number = 0;; ++number) {
            pollfd_wait();
            if (ending_) return;
            const Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (connection) script(connection.get(), number);
          }
        }) {}
  ~ScriptedServer() {
    ending_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }

  static std::string read_head(int fd) {
    std::string text;
    char byte = 0;
    while (!text.ends_with("\r\n\r\n") && ::recv(fd, &byte, 1, 0) == 1) text += byte;
    return text;
  }
  static void write(int fd, std::string_view text) {
    EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

 private:
  void pollfd_wait() const {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(listener_.get(), &set);
    ::select(listener_.get() + 1, &set, nullptr, nullptr, nullptr);
  }

  Fd listener_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

Result<ClientResponse> get(HttpClient& client, std::string target = "/") {
  ClientRequest request;
  request.target = std::move(target);
  return client.send(request);
}

TEST(Url, IsParsed) {
  const auto plain = parse_url("http://127.0.0.1:8422");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, "8422");
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->prefix, "");
  const auto prefixed = parse_url("https://host/a/b/");
  ASSERT_TRUE(prefixed);
  EXPECT_EQ(prefixed->port, "443");
  EXPECT_EQ(prefixed->prefix, "/a/b");
  EXPECT_TRUE(prefixed->tls);
  const auto v6 = parse_url("http://[::1]:80/");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->authority, "[::1]:80");
  EXPECT_EQ(v6->prefix, "");
  for (const char* bad : {"", "host", "ftp://host", "http://", "http://:80", "http://h:x",
                          "http://h:", "http://h:99999", "http://[::1", "http://[::1]x",
                          "http://u@h", "http://a b"}) {
    const auto url = parse_url(bad);
    ASSERT_FALSE(url) << bad;
    EXPECT_EQ(url.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(HttpClient, SaysWhatItCouldNotReach) {
  std::uint16_t free_port = 0;
  {
    auto server = HttpServer::listen({}, Router());
    ASSERT_TRUE(server);
    free_port = (*server)->port();
  }
  const std::string url = "http://127.0.0.1:" + std::to_string(free_port);
  HttpClient client(url);
  const auto response = get(client);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(response.error().message,
            "cannot reach " + url +
                ": Connection refused; is the server running? start it with 'roost up'");
  HttpClient nonsense("localhost:80");
  EXPECT_EQ(get(nonsense).error().code, ErrorCode::kInvalidArgument);
}

TEST(HttpClient, RefusesToSendBrokenLines) {
  HttpClient client("http://127.0.0.1:1");
  EXPECT_EQ(get(client, "/a b").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(get(client, "/a\r\nX: y").error().code, ErrorCode::kInvalidArgument);
}

TEST(HttpClient, KeepsItsConnection) {
  std::atomic<int> connections = 0;
  ScriptedServer server([&](int fd, int) {
    ++connections;
    while (!ScriptedServer::read_head(fd).empty()) {
      ScriptedServer::write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  });
  {
    HttpClient client(server.url() + "/prefix");
    for (int i = 0; i < 5; ++i) EXPECT_EQ(get(client)->body, "ok");
  }
  EXPECT_EQ(connections, 1);
}

TEST(HttpClient, ConnectsAgainWhenTheServerHasClosed) {
  ScriptedServer server([&](int fd, int) {
    ScriptedServer::read_head(fd);
    ScriptedServer::write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  HttpClient client(server.url());
  for (int i = 0; i < 5; ++i) {
    const auto response = get(client);
    ASSERT_TRUE(response) << response.error().message;
    // Also a POST: nothing was sent on the dead connection.
    std::this_thread::sleep_for(milliseconds(20));
    ClientRequest post;
    post.method = "POST";
    post.target = "/";
    post.body = "x";
    ASSERT_TRUE(client.send(post));
    std::this_thread::sleep_for(milliseconds(20));
  }
}

TEST(HttpClient, RepeatsOnlyWhatMayBeRepeated) {
  std::atomic<int> requests = 0;
  const auto script = [&](int fd, int number) {
    // Answers the first request of the first connection and hangs up on the second.
    ScriptedServer::read_head(fd);
    ++requests;
    ScriptedServer::write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    if (number == 0) {
      ScriptedServer::read_head(fd);
      ++requests;
    }
  };
  {
    ScriptedServer server(script);
    HttpClient client(server.url());
    EXPECT_TRUE(get(client));
    EXPECT_TRUE(get(client));
    EXPECT_EQ(requests, 3);
  }
  requests = 0;
  ScriptedServer server(script);
  HttpClient client(server.url());
  EXPECT_TRUE(get(client));
  ClientRequest post;
  post.method = "POST";
  post.target = "/";
  const auto response = client.send(post);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(requests, 2);
}

TEST(HttpClient, UnderstandsAllWaysToEndABody) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\nhello", "HTTP/1.0 200 OK\r\n\r\nhello",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"};
  for (const std::string& answer : answers) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, answer.size()}) {
      ScriptedServer server([&](int fd, int) {
        ScriptedServer::read_head(fd);
        for (std::size_t at = 0; at < answer.size(); at += step) {
          ScriptedServer::write(fd, answer.substr(at, step));
        }
      });
      HttpClient client(server.url());
      const auto response = get(client);
      ASSERT_TRUE(response) << response.error().message << "\n" << answer;
      EXPECT_EQ(response->status, 200);
      EXPECT_EQ(response->body, "hello");
    }
  }
}

TEST(HttpClient, NoticesACutAnswer) {
  for (const char* answer : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
                             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n",
                             "HTTP/1.1 200 OK\r\nConte", "", "garbage\r\n\r\n"}) {
    ScriptedServer server([&](int fd, int) {
      ScriptedServer::read_head(fd);
      ScriptedServer::write(fd, answer);
    });
    HttpClient client(server.url());
    const auto response = get(client);
    ASSERT_FALSE(response) << answer;
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable) << answer;
    EXPECT_NE(response.error().message.find(server.url()), std::string::npos);
  }
}

TEST(HttpClient, GivesUpOnSilence) {
  Signal release;
  ScriptedServer server([&](int fd, int) {
    ScriptedServer::read_head(fd);
    ScriptedServer::write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
    release.wait();
  });
  HttpClient::Options options;
  options.idle_timeout = milliseconds(100);
  HttpClient client(server.url(), options);
  const auto response = get(client);
  release.set();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kDeadlineExceeded);
}

TEST(HttpClient, GivesUpConnecting) {
  // A full backlog makes connections hang.
  const auto listener = listen_on("127.0.0.1", 0);
  ASSERT_TRUE(listener);
  ::listen(listener->get(), 0);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener->get(), reinterpret_cast<sockaddr*>(&address), &size);
  const std::uint16_t port = ntohs(address.sin_port);
  const RawConnection fills(port);
  HttpClient::Options options;
  options.connect_timeout = milliseconds(200);
  HttpClient client("http://127.0.0.1:" + std::to_string(port), options);
  // The kernel itself would try for over two minutes, longer than ctest waits for a test.
  const auto response = get(client);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
}

TEST(HttpClient, CanBeInterrupted) {
  Signal release;
  Signal started;
  ScriptedServer server([&](int fd, int) {
    ScriptedServer::read_head(fd);
    ScriptedServer::write(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    release.wait();
  });
  HttpClient client(server.url());
  std::thread other([&] {
    started.wait();
    client.interrupt();
  });
  ClientRequest request;
  request.target = "/";
  request.on_data = [&](std::string_view) {
    started.set();
    return true;
  };
  const auto response = client.send(request);
  other.join();
  release.set();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(response.error().message.find("interrupted"), std::string::npos);
}

TEST(HttpClient, AnInterruptBeforeASendCountsOnce) {
  ScriptedServer server([&](int fd, int) {
    ScriptedServer::read_head(fd);
    ScriptedServer::write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  HttpClient client(server.url());
  client.interrupt();
  EXPECT_EQ(get(client).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(get(client));
}

TEST(HttpClient, EndsEarlyWhenTheTakerHasEnough) {
  TestServer test;
  test.route("GET", "/", [](Request&) { return text_response(std::string(10 << 20, 'x')); });
  test.start();
  HttpClient client(test.url());
  for (int i = 0; i < 2; ++i) {
    std::size_t taken = 0;
    ClientRequest request;
    request.target = "/";
    request.on_data = [&](std::string_view piece) {
      taken += piece.size();
      return taken < 100'000;
    };
    const auto response = client.send(request);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 200);
    EXPECT_LT(taken, 10u << 20);
  }
}

TEST(HttpClient, KeepsTheBodyOfAnErrorFromTheTaker) {
  TestServer test;
  test.route("GET", "/", [](Request&) { return text_response("no", 403); });
  test.start();
  HttpClient client(test.url());
  ClientRequest request;
  request.target = "/";
  request.on_data = [](std::string_view) -> bool {
    ADD_FAILURE();
    return true;
  };
  const auto response = client.send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "no");
}

TEST(HttpClient, DeliversAnEarlyAnswer) {
  TestServer test;
  test.route("PUT", "/small", [](Request&) { return text_response("ok"); }, {1000, false});
  test.route("PUT", "/declines", [](Request&) { return text_response("who are you", 401); },
             {1ull << 40, true});
  test.start();
  const std::string large(80 << 20, 'x');
  for (const bool from_source : {false, true}) {
    for (const auto& [target, status] : {std::pair{"/small", 413}, std::pair{"/declines", 401}}) {
      HttpClient client(test.url());
      std::uint64_t asked = 0;
      ClientRequest request;
      request.method = "PUT";
      request.target = target;
      if (from_source) {
        request.body_length = 1ull << 40;
        request.body_source = [&]() -> Result<std::string> {
          asked += 1 << 16;
          return std::string(1 << 16, 'x');
        };
      } else {
        request.body = large;
      }
      const auto response = client.send(request);
      ASSERT_TRUE(response) << response.error().message;
      EXPECT_EQ(response->status, status);
      EXPECT_LT(asked, 1ull << 30);
      // And the client is good for more.
      ClientRequest next;
      next.method = "PUT";
      next.target = "/small";
      ASSERT_TRUE(client.send(next));
    }
  }
}

TEST(HttpClient, PassesOnTheErrorOfABodySource) {
  TestServer test;
  test.route("PUT", "/", [](Request&) { return text_response("ok"); });
  test.start();
  HttpClient client(test.url());
  ClientRequest request;
  request.method = "PUT";
  request.target = "/";
  request.body_length = 10;
  request.body_source = []() -> Result<std::string> { return fail(ErrorCode::kNotFound, "gone"); };
  EXPECT_EQ(client.send(request).error().code, ErrorCode::kNotFound);
  request.body_source = []() -> Result<std::string> { return ""; };
  EXPECT_EQ(client.send(request).error().code, ErrorCode::kDataMismatch);
  request.body_source = []() -> Result<std::string> { return std::string(11, 'x'); };
  EXPECT_EQ(client.send(request).error().code, ErrorCode::kDataMismatch);
  request.body_source = nullptr;
  EXPECT_TRUE(client.send(request));
}

}  // namespace
}  // namespace roost

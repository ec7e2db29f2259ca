#include "net/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/json.h"
#include "base/log.h"
#include "net/test_http.h"

namespace roost {
namespace {

std::string error_code_of(const std::string& body) {
  const auto json = parse_json(body, "the answer");
  return json && json->contains("error") ? (*json)["error"].value("code", "") : "not an error";
}

TEST(HttpServer, AnswersWithWhatTheHandlerSaw) {
  TestServer test;
  test.route("POST", "/things/{thing}", [](Request& request) {
    Response response;
    response.status = 201;
    response.headers["X-Extra"] = "a\r\nInjected: b";
    response.body = to_text({{"method", request.method},
                             {"path", request.path},
                             {"thing", request.parameters.at("thing")},
                             {"q", request.query_value("q").value_or("")},
                             {"header", request.header("X-Custom")},
                             {"loopback", request.peer_is_loopback},
                             {"body", request.body}});
    return response;
  });
  test.start();
  HttpClient client(test.url());
  ClientRequest request;
  request.method = "POST";
  request.target = "/things/a%2Fb?q=c%20d";
  request.headers["x-custom"] = "value";
  request.body = "some bytes";
  const auto response = client.send(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->headers.at("content-type"), "application/json");
  EXPECT_EQ(response->headers.at("x-extra"), "a  Injected: b");
  EXPECT_TRUE(response->headers.contains("date"));
  EXPECT_EQ(response->body,
            R"({"body":"some bytes","header":"value","loopback":true,"method":"POST",)"
            R"("path":"/things/a/b","q":"c d","thing":"a/b"})");
}

TEST(HttpServer, KeepsConnectionsAndAnswersPipelinedRequestsInOrder) {
  TestServer test;
  test.route("GET", "/{n}", [](Request& request) {
    // Later ones would overtake if they could.
    if (request.parameters["n"] == "0") std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return text_response(request.parameters["n"]);
  });
  test.start();
  RawConnection raw(test.server->port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  raw.send(all);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(raw.read_response(), "200 " + std::to_string(i));
  raw.send("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "200 last");
  EXPECT_TRUE(raw.ends());
}

TEST(HttpServer, SpeaksHttp10) {
  TestServer test;
  test.route("GET", "/", [](Request&) { return text_response("old"); });
  test.start();
  RawConnection closes(test.server->port());
  closes.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(closes.read_response(), "200 old");
  EXPECT_TRUE(closes.ends());
  RawConnection keeps(test.server->port());
  for (int i = 0; i < 2; ++i) {
    keeps.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(keeps.read_response(), "200 old");
  }
}

TEST(HttpServer, AnswersHeadWithoutBody) {
  TestServer test;
  test.route("GET", "/", [](Request&) { return text_response("twelve bytes"); });
  test.start();
  RawConnection raw(test.server->port());
  raw.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string head = raw.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 12"), std::string::npos) << head;
  EXPECT_EQ(raw.read_response(), "200 twelve bytes");
  HttpClient client(test.url());
  ClientRequest request;
  request.method = "HEAD";
  request.target = "/";
  for (int i = 0; i < 2; ++i) {
    const auto response = client.send(request);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "");
  }
}

TEST(HttpServer, RefusesUnknownPathsAndMethods) {
  TestServer test;
  test.route("GET", "/a", [](Request&) { return text_response("a"); });
  test.route("PUT", "/a", [](Request&) { return text_response("a"); });
  test.start();
  HttpClient client(test.url());
  ClientRequest request;
  request.target = "/b";
  auto response = client.send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(error_code_of(response->body), "not_found");
  request.method = "DELETE";
  request.target = "/a";
  response = client.send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 405);
  EXPECT_EQ(response->headers.at("allow"), "GET, HEAD, PUT");
  EXPECT_EQ(error_code_of(response->body), "method_not_allowed");
  request.target = "/a%zz";
  response = client.send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 400);
}

TEST(HttpServer, SurvivesHandlersThatThrow) {
  set_log_level(static_cast<LogLevel>(9));
  TestServer test;
  test.route("GET", "/exception", [](Request&) -> Response { throw std::runtime_error("oops"); });
  test.route("GET", "/number", [](Request&) -> Response { throw 7; });
  test.route("GET", "/stream", [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>(
        [](std::string&) -> ResponseStream::Step { throw std::runtime_error("oops"); });
    return response;
  });
  test.start();
  RawConnection raw(test.server->port());
  for (const char* path : {"/exception", "/number", "/stream", "/exception"}) {
    raw.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string response = raw.read_response();
    EXPECT_EQ(response.substr(0, 3), "500") << path;
    EXPECT_EQ(error_code_of(response.substr(4)), "internal") << path;
    EXPECT_EQ(response.find("oops"), std::string::npos);
  }
  set_log_level(LogLevel::kInfo);
}

TEST(HttpServer, AsksBeforeAndTellsAfterwards) {
  TestServer test;
  std::mutex mutex;
  std::vector<std::string> seen;
  Signal three;
  test.options.before = [](Request& request, const Route& route) -> std::optional<Response> {
    if (request.header("authorization") == "yes") return std::nullopt;
    return text_response("who asks for " + route.operation + "?", 401);
  };
  test.options.observed = [&](const std::string& operation, int status, double seconds) {
    const std::lock_guard lock(mutex);
    EXPECT_GE(seconds, 0);
    seen.push_back(operation + " " + std::to_string(status));
    if (seen.size() == 3) three.set();
  };
  test.options.error_body = [](const Error& error) {
    return "custom " + std::string(error_code_name(error.code));
  };
  test.route("GET", "/a", [](Request&) { return text_response("a"); });
  test.start();
  RawConnection raw(test.server->port());
  raw.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "401 who asks for op:/a?");
  raw.send("GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: yes\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "200 a");
  raw.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "404 custom not_found");
  ASSERT_TRUE(three.wait());
  const std::lock_guard lock(mutex);
  EXPECT_EQ(seen, (std::vector<std::string>{"op:/a 401", "op:/a 200", " 404"}));
}

TEST(HttpServer, ServesManyConnectionsAtOnce) {
  TestServer test;
  test.options.io_threads = 2;
  test.route("POST", "/echo", [](Request& request) { return text_response(request.body); });
  test.start();
  std::vector<std::unique_ptr<RawConnection>> connections;
  for (int i = 0; i < 200; ++i) {
    connections.push_back(std::make_unique<RawConnection>(test.server->port()));
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 200; ++i) {
      const std::string body = std::to_string(round) + "/" + std::to_string(i);
      connections[static_cast<std::size_t>(i)]->send(
          "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\n\r\n" + body);
    }
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(connections[static_cast<std::size_t>(i)]->read_response(),
                "200 " + std::to_string(round) + "/" + std::to_string(i));
    }
  }
}

// Quick ones are answered while every worker is busy, on the connection's thread; the others are not.
TEST(HttpServer, CallsQuickHandlersOnTheConnectionsThread) {
  TestServer test;
  test.options.worker_threads = 1;
  Signal busy;
  Signal release;
  test.route("GET", "/slow", [&](Request&) {
    busy.set();
    release.wait();
    return text_response("slow");
  });
  Route route{"POST", "/x", "x", {}, [](Request& request) {
                if (request.body == "throw") throw std::runtime_error("oh");
                return text_response(request.body);
              }};
  route.is_quick = [](const Request& request) { return request.body != "long"; };
  test.router.add(std::move(route));
  test.start();
  RawConnection slow(test.server->port());
  slow.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(busy.wait());
  const auto post = [](const std::string& body) {
    return "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  RawConnection quick(test.server->port());
  quick.send(post("a") + post("b"));
  EXPECT_EQ(quick.read_response(), "200 a");
  EXPECT_EQ(quick.read_response(), "200 b");
  quick.send(post("throw"));
  EXPECT_TRUE(quick.read_response().starts_with("500"));
  RawConnection other(test.server->port());
  other.send(post("long"));
  quick.send(post("c"));
  EXPECT_EQ(quick.read_response(), "200 c");
  release.set();
  EXPECT_EQ(slow.read_response(), "200 slow");
  EXPECT_EQ(other.read_response(), "200 long");
}

TEST(HttpServer, HasMoreWorkersWhileAllAreBusy) {
  TestServer test;
  test.options.worker_threads = 1;
  test.options.most_workers = 2;
  Signal busy;
  Signal release;
  test.route("GET", "/slow", [&](Request&) {
    busy.set();
    release.wait();
    return text_response("slow");
  });
  test.route("GET", "/a", [](Request&) { return text_response("a"); });
  test.start();
  RawConnection slow(test.server->port());
  slow.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(busy.wait());
  RawConnection other(test.server->port());
  other.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(other.read_response(), "200 a");
  release.set();
  EXPECT_EQ(slow.read_response(), "200 slow");
}

TEST(HttpServer, LetsHandlersInFlightAnswerWhenItStops) {
  TestServer test;
  Signal started;
  Signal release;
  test.route("GET", "/slow", [&](Request&) {
    started.set();
    release.wait();
    return text_response("done");
  });
  test.start();
  RawConnection raw(test.server->port());
  RawConnection idle(test.server->port());
  raw.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(started.wait());
  std::thread stopper([&] { test.server->stop(); });
  EXPECT_TRUE(idle.ends());
  release.set();
  EXPECT_EQ(raw.read_response(), "200 done");
  EXPECT_NE(raw.last_head.find("Connection: close"), std::string::npos);
  EXPECT_TRUE(raw.ends());
  stopper.join();
}

TEST(HttpServer, CanBeStoppedWithoutHavingStarted) {
  auto server = HttpServer::listen({}, Router());
  ASSERT_TRUE(server);
  EXPECT_GT((*server)->port(), 0);
  (*server)->stop();
}

TEST(HttpServer, SaysWhyItCannotListen) {
  TestServer test;
  test.start();
  HttpServerOptions options;
  options.port = test.server->port();
  auto second = HttpServer::listen(options, Router());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(second.error().message.find("Address already in use"), std::string::npos);
  options.address = "203.0.113.7";
  EXPECT_EQ(HttpServer::listen(options, Router()).error().code, ErrorCode::kInvalidArgument);
  options.address = "no such name.invalid";
  EXPECT_EQ(HttpServer::listen(options, Router()).error().code, ErrorCode::kInvalidArgument);
}

TEST(HttpServer, ListensOnIpv6) {
  TestServer test;
  test.options.address = "::1";
  test.route("GET", "/", [](Request& request) {
    return text_response(request.peer_is_loopback ? "loopback" : "elsewhere");
  });
  auto made = HttpServer::listen(test.options, std::move(test.router));
  if (!made) GTEST_SKIP() << "no IPv6 here: " << made.error().message;
  (*made)->start();
  HttpClient client("http://[::1]:" + std::to_string((*made)->port()));
  ClientRequest request;
  request.target = "/";
  const auto response = client.send(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "loopback");
}

}  // namespace
}  // namespace roost

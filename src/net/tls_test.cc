#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "net/test_http.h"

namespace roost {
namespace {

class Tls : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/roost_tls_XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder = name;
    test.options.tls = {folder + "/certificate.pem", folder + "/key.pem"};
    const auto made = make_self_signed(test.options.tls.certificate, test.options.tls.key,
                                       {"localhost", "127.0.0.1", "::1"});
    ASSERT_TRUE(made) << made.error().message;
    client_options.ca_file = test.options.tls.certificate;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string folder;
  TestServer test;
  HttpClient::Options client_options;
};

TEST_F(Tls, KeyIsForItsOwnerOnly) {
  struct stat info{};
  ASSERT_EQ(::stat(test.options.tls.key.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(Tls, RefusesBadHostNames) {
  EXPECT_FALSE(make_self_signed(folder + "/c", folder + "/k", {}));
  EXPECT_FALSE(make_self_signed(folder + "/c", folder + "/k", {"a,DNS:b"}));
  EXPECT_FALSE(make_self_signed(folder + "/c", folder + "/k", {""}));
}

TEST_F(Tls, RoundTrips) {
  test.route("POST", "/echo", [](Request& request) { return text_response(request.body); },
             {4 << 20, false});
  test.start();
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    HttpClient client("https://" + host + ":" + std::to_string(test.server->port()),
                      client_options);
    for (const std::size_t size : {0u, 5u, 16'384u, 16'385u, 3'000'000u}) {
      const std::string body(size, 'b');
      ClientRequest request;
      request.method = "POST";
      request.target = "/echo";
      request.body = body;
      const auto response = client.send(request);
      ASSERT_TRUE(response) << response.error().message;
      EXPECT_EQ(response->body, body);
    }
  }
}

TEST_F(Tls, RefusesAServerItDoesNotTrust) {
  test.route("GET", "/", [](Request&) { return text_response("x"); });
  test.start();
  ClientRequest request;
  request.target = "/";
  HttpClient without_ca(test.url());
  const auto untrusted = without_ca.send(request);
  ASSERT_FALSE(untrusted);
  EXPECT_EQ(untrusted.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(untrusted.error().message.find("certificate is not trusted"), std::string::npos)
      << untrusted.error().message;
  // A trusted certificate, but of another host.
  TestServer elsewhere;
  elsewhere.options.tls = {folder + "/other.pem", folder + "/other_key.pem"};
  ASSERT_TRUE(make_self_signed(elsewhere.options.tls.certificate, elsewhere.options.tls.key,
                               {"elsewhere", "127.0.0.2"}));
  elsewhere.start();
  client_options.ca_file = elsewhere.options.tls.certificate;
  HttpClient other(elsewhere.url(), client_options);
  const auto mismatch = other.send(request);
  ASSERT_FALSE(mismatch);
  EXPECT_NE(mismatch.error().message.find("mismatch"), std::string::npos)
      << mismatch.error().message;
  client_options.ca_file = folder + "/none.pem";
  HttpClient no_file(test.url(), client_options);
  EXPECT_EQ(no_file.send(request).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(Tls, SurvivesPeersThatDoNotSpeakIt) {
  test.options.timeouts.head = std::chrono::milliseconds(300);
  test.route("GET", "/", [](Request&) { return text_response("x"); });
  test.start();
  RawConnection plain(test.server->port());
  plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  plain.ends();
  RawConnection silent(test.server->port());
  silent.ends();
  HttpClient client(test.url(), client_options);
  ClientRequest request;
  request.target = "/";
  EXPECT_TRUE(client.send(request));
  TestServer unsafe;
  unsafe.start();
  HttpClient hopeful("https://127.0.0.1:" + std::to_string(unsafe.server->port()), client_options);
  const auto response = hopeful.send(request);
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().message.find("http://"), std::string::npos)
      << response.error().message;
}

TEST_F(Tls, StreamsBothWays) {
  constexpr std::uint64_t kSize = 32 << 20;
  test.route("PUT", "/",
             [](Request& request) {
               std::uint64_t size = 0;
               for (;;) {
                 auto piece = request.body_stream->read();
                 if (!piece) return text_response(piece.error().message, 500);
                 if (piece->empty()) return text_response(std::to_string(size));
                 size += piece->size();
               }
             },
             {kSize, true});
  test.route("GET", "/", [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([n = 0](std::string& piece) mutable {
      piece.assign(1 << 20, 'x');
      return n++ == 32 ? ResponseStream::Step::kEnd : ResponseStream::Step::kData;
    });
    return response;
  });
  test.start();
  HttpClient client(test.url(), client_options);
  ClientRequest put;
  put.method = "PUT";
  put.target = "/";
  put.body_length = kSize;
  put.body_source = []() -> Result<std::string> { return std::string(1 << 18, 'x'); };
  auto response = client.send(put);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, std::to_string(kSize));
  std::uint64_t received = 0;
  ClientRequest get;
  get.target = "/";
  get.on_data = [&](std::string_view piece) {
    received += piece.size();
    return true;
  };
  response = client.send(get);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(received, kSize);
}

TEST_F(Tls, NoticesThatThePeerOfAWaitingStreamHasGone) {
  auto destroyed = std::make_shared<Signal>();
  test.route("GET", "/", [&](Request&) {
    auto stream = std::make_unique<FunctionStream>([n = 0](std::string& piece) mutable {
      piece = "x";
      return n++ == 0 ? ResponseStream::Step::kData : ResponseStream::Step::kWait;
    });
    stream->destroyed = destroyed;
    stream->max_wait_ms = 600'000;
    Response response;
    response.stream = std::move(stream);
    return response;
  });
  test.start();
  HttpClient client(test.url(), client_options);
  ClientRequest request;
  request.target = "/";
  request.on_data = [](std::string_view) { return false; };
  ASSERT_TRUE(client.send(request));
  EXPECT_TRUE(destroyed->wait(std::chrono::seconds(5)));
}

TEST_F(Tls, DeliversAnEarlyAnswer) {
  test.route("PUT", "/", [](Request&) { return text_response("who are you", 401); },
             {1ull << 40, true});
  test.start();
  HttpClient client(test.url(), client_options);
  ClientRequest request;
  request.method = "PUT";
  request.target = "/";
  request.body_length = 1ull << 40;
  request.body_source = []() -> Result<std::string> { return std::string(1 << 16, 'x'); };
  const auto response = client.send(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 401);
}

}  // namespace
}  // namespace roost

#include "client/api_client.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "net/http_server.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

class OneStream : public ResponseStream {
 public:
  explicit OneStream(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  Step next(std::string& piece) override {
    if (at_ == pieces_.size()) return Step::kEnd;
    piece = pieces_[at_++];
    return Step::kData;
  }

 private:
  std::vector<std::string> pieces_;
  std::size_t at_ = 0;
};

// A server that answers a few things.
class ApiClientTest : public testing::Test {
 protected:
  void SetUp() override {
    Router router;
    const auto add = [&](const char* method, const char* pattern, Handler handler) {
      router.add({method, pattern, pattern, {}, std::move(handler)});
    };
    add("GET", "/api/v1/runs/{run}", [](Request& request) {
      Response response;
      if (request.parameters["run"] == "a b") {
        response.body = to_text({{"id", "a b"}, {"token", request.header("authorization")}});
      } else {
        response.status = 404;
        response.body = R"({"error":{"code":"not_found","message":"no such run"}})";
      }
      return response;
    });
    add("POST", "/api/v1/echo", [](Request& request) {
      Response response;
      response.body = request.body;
      return response;
    });
    add("GET", "/api/v1/broken", [](Request&) {
      Response response;
      response.status = 502;
      response.body = "<html>bad gateway</html>";
      return response;
    });
    add("GET", "/api/v1/lines", [](Request&) {
      Response response;
      response.content_type = "application/x-ndjson";
      response.stream = std::make_unique<OneStream>(
          std::vector<std::string>{"{\"a\":", "1}\n{\"b\":2}\n\n{\"c\"", ":3}\n{\"d\":4}"});
      return response;
    });
    add("DELETE", "/api/v1/nothing", [](Request&) {
      Response response;
      response.status = 204;
      return response;
    });
    auto listening = HttpServer::listen({}, std::move(router));
    ASSERT_TRUE(listening) << listening.error().message;
    server_ = std::move(*listening);
    server_->start();
  }

  ServerAddress address() const {
    return {"http://127.0.0.1:" + std::to_string(server_->port()), "secret", ""};
  }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(ApiClientTest, SendsTheTokenAndGivesErrorsBack) {
  ApiClient client(address());
  const auto run = client.get("/runs/a%20b");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ((*run)["id"], "a b");
  EXPECT_EQ((*run)["token"], "Bearer secret");
  const auto missing = client.get("/runs/x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "no such run");
  EXPECT_EQ(*client.post("/echo", {{"x", 1}}), Json::parse("{\"x\":1}"));
  EXPECT_TRUE(client.call("DELETE", "/nothing", nullptr)->is_null());
}

TEST_F(ApiClientTest, AnAnswerThatIsNotOursIsStillAnError) {
  ApiClient client(address());
  const auto broken = client.get("/broken");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("502"), std::string::npos);
  EXPECT_NE(broken.error().message.find("bad gateway"), std::string::npos);
}

TEST_F(ApiClientTest, WhatAnotherServerAnswersCountsForNothing) {
  for (const auto& [id, believed] : {std::pair("ours", true), std::pair("theirs", false), std::pair("", false)}) {
    Router router;
    router.add({"GET", "/api/v1/x", "x", {}, [](Request&) {
      Response response;
      response.status = 410;
      response.body = R"({"error":{"code":"given_up","message":"over"}})";
      return response;
    }});
    HttpServerOptions options;
    if (*id != '\0') options.extra_head = std::string("Roost-Data: ") + id + "\r\n";
    const auto server = HttpServer::listen(options, std::move(router)).value();
    server->start();
    ApiClient client({"http://127.0.0.1:" + std::to_string(server->port()), "secret", "", "ours"});
    EXPECT_EQ(client.get("/x").error().code, believed ? ErrorCode::kGivenUp : ErrorCode::kUnavailable) << id;
    EXPECT_EQ(client.get("/y").error().code, believed ? ErrorCode::kNotFound : ErrorCode::kUnavailable) << id;
  }
}

TEST_F(ApiClientTest, LinesComeWholeWhereverTheyWereCut) {
  ApiClient client(address());
  std::vector<std::string> lines;
  ASSERT_TRUE(client.stream_lines("/lines", [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  }));
  EXPECT_EQ(lines, (std::vector<std::string>{"{\"a\":1}", "{\"b\":2}", "{\"c\":3}", "{\"d\":4}"}));
  lines.clear();
  (void)client.stream_lines("/lines", [&](std::string_view line) {
    lines.emplace_back(line);
    return false;
  });
  EXPECT_EQ(lines.size(), 1U);
}

TEST_F(ApiClientTest, NoServerIsUnavailable) {
  const ServerAddress gone = address();
  server_.reset();
  ApiClient client(gone);
  const auto answer = client.get("/runs/x");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(answer.error().message.find(gone.url), std::string::npos);
}

TEST(FindServer, ByEnvironmentByFileOrNot) {
  const fs::path folder = fs::path(testing::TempDir()) / ("client-" + random_hex(4));
  ASSERT_TRUE(make_folders(folder));
  unsetenv("ROOST_URL");
  setenv("ROOST_DATA", folder.c_str(), 1);
  EXPECT_EQ(data_folder(), folder.string());
  EXPECT_EQ(data_folder("/x"), "/x");
  const auto none = find_server();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(none.error().message.find("roost up"), std::string::npos);

  ASSERT_TRUE(write_file_atomic(folder / "owner.token", "t0ken\n"));
  ASSERT_TRUE(
      write_file_atomic(folder / "server.json",
                        R"({"url":"http://127.0.0.1:1","token_file":"owner.token","pid":1})"));
  EXPECT_EQ(find_server()->url, "http://127.0.0.1:1");
  EXPECT_EQ(find_server()->token, "t0ken");
  setenv("ROOST_URL", "http://other", 1);
  setenv("ROOST_TOKEN", "mine", 1);
  EXPECT_EQ(find_server()->url, "http://other");
  EXPECT_EQ(find_server()->token, "mine");
  EXPECT_EQ(find_server(folder.string())->url, "http://127.0.0.1:1");
  EXPECT_EQ(find_server(folder.string())->token, "t0ken") << "the other one belongs to ROOST_URL";
  unsetenv("ROOST_URL");
  EXPECT_EQ(find_server()->url, "http://127.0.0.1:1");
  EXPECT_EQ(find_server()->token, "mine") << "a given token is never replaced by the owner's";
  EXPECT_EQ(find_server(folder.string())->token, "mine");
  std::filesystem::remove(folder / "owner.token");
  EXPECT_EQ(find_server()->token, "mine") << "the owner's is not even read";
  ASSERT_TRUE(write_file_atomic(folder / "owner.token", "t0ken\n"));
  unsetenv("ROOST_TOKEN");
  setenv("ROOST_URL", "http://127.0.0.1:1", 1);
  EXPECT_EQ(find_server()->token, "t0ken");
  setenv("ROOST_URL", "http://other", 1);
  EXPECT_EQ(find_server()->token, "");
  ASSERT_TRUE(write_file_atomic(folder / "server.json", "[]"));
  EXPECT_FALSE(find_server(folder.string()));
  ASSERT_TRUE(write_file_atomic(folder / "server.json", "{\"url\":"));
  EXPECT_FALSE(find_server(folder.string()));
  unsetenv("ROOST_URL");
  unsetenv("ROOST_TOKEN");
  unsetenv("ROOST_DATA");
  ASSERT_TRUE(remove_tree(folder));
}

}  // namespace
}  // namespace roost

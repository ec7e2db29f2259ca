#include "runner/server_link.h"

#include <gtest/gtest.h>

#include <deque>
#include <mutex>

#include "base/digest.h"
#include "base/files.h"
#include "net/http_server.h"

namespace roost {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A server that answers one call as it is told, and with 200 once it was told nothing more.
class ServerLinkTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("link-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
    Router router;
    router.add({"POST", "/api/v1/x", "x", {}, [this](Request& request) {
      const std::lock_guard lock(mutex_);
      ++calls_;
      token_ = request.header("authorization");
      Response response;
      response.body = "{}";
      if (answers_.empty()) return response;
      const ErrorCode code = answers_.front();
      if (!for_ever_) answers_.pop_front();
      response.status = http_status(code);
      response.body = to_text({{"error", {{"code", error_code_name(code)}, {"message", "so it was told"}}}});
      return response;
    }});
    HttpServerOptions options;
    options.extra_head = "Roost-Data: ours\r\n";
    server_ = HttpServer::listen(options, std::move(router)).value();
    server_->start();
    ASSERT_TRUE(write_file_atomic(file(), to_text({{"url", "http://127.0.0.1:" + std::to_string(server_->port())}})));
  }
  void TearDown() override {
    server_->stop();
    (void)remove_tree(folder_);
  }

  std::string file() const { return (folder_ / "server.json").string(); }
  Result<Json> persist(ServerLink& link, const Status& own = {}, milliseconds patience = ServerLink::kForever) {
    return link.persist([](ApiClient& api) { return api.post("/x", Json::object()); }, own, patience);
  }

  fs::path folder_;
  std::unique_ptr<HttpServer> server_;
  std::mutex mutex_;
  std::deque<ErrorCode> answers_;
  bool for_ever_ = false;
  int calls_ = 0;
  std::string token_;
  std::atomic<bool> stop_ = false;
};

TEST_F(ServerLinkTest, EveryAnswerButOneIsTriedAgain) {
  answers_ = {ErrorCode::kInternal,    ErrorCode::kPermissionDenied, ErrorCode::kNotFound,
              ErrorCode::kDataMismatch, ErrorCode::kFailedPrecondition, ErrorCode::kResourceExhausted,
              ErrorCode::kUnavailable, ErrorCode::kInvalidArgument};
  ServerLink link(file(), "ours", "token", stop_);
  EXPECT_TRUE(persist(link));
  EXPECT_EQ(calls_, 9);
}

TEST_F(ServerLinkTest, GivenUpIsTheEnd) {
  answers_ = {ErrorCode::kInternal, ErrorCode::kGivenUp};
  ServerLink link(file(), "ours", "token", stop_);
  EXPECT_EQ(persist(link).error().code, ErrorCode::kGivenUp);
  EXPECT_EQ(calls_, 2);
}

TEST_F(ServerLinkTest, ARequestThatIsWrongIsNotRepeatedForEver) {
  answers_ = {ErrorCode::kInvalidArgument};
  for_ever_ = true;
  ServerLink link(file(), "ours", "token", stop_);
  EXPECT_EQ(persist(link).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(calls_, 3);
}

TEST_F(ServerLinkTest, PatienceEnds) {
  answers_ = {ErrorCode::kNotFound};
  for_ever_ = true;
  ServerLink link(file(), "ours", "token", stop_);
  EXPECT_EQ(persist(link, {}, milliseconds(20)).error().code, ErrorCode::kNotFound);
  EXPECT_GE(calls_, 2);
}

TEST_F(ServerLinkTest, WhatFailedHereIsGivenBackAtOnce) {
  answers_ = {ErrorCode::kInternal};
  for_ever_ = true;
  const Status own = fail(ErrorCode::kResourceExhausted, "the disk here is full");
  ServerLink link(file(), "ours", "token", stop_);
  EXPECT_EQ(persist(link, own).error().message, "the disk here is full");
  EXPECT_EQ(calls_, 1);
}

TEST_F(ServerLinkTest, AStrangersGivenUpIsNoAnswer) {
  answers_ = {ErrorCode::kGivenUp};
  for_ever_ = true;
  ServerLink link(file(), "somebody else's", "token", stop_);
  EXPECT_EQ(link.once([](ApiClient& api) { return api.post("/x", Json::object()); }).error().code,
            ErrorCode::kUnavailable);
}

TEST_F(ServerLinkTest, OneConnectionServesOneAttemptAfterAnother) {
  SpareClient spare;
  ServerLink first(file(), "ours", "token-one", stop_, &spare);
  ASSERT_TRUE(persist(first));
  EXPECT_EQ(token_, "Bearer token-one");
  const ApiClient* used = first.client();
  first.leave();

  ServerLink second(file(), "ours", "token-two", stop_, &spare);
  ASSERT_TRUE(persist(second));
  EXPECT_EQ(second.client(), used);
  EXPECT_EQ(token_, "Bearer token-two");

  // One that is still in use is nobody else's.
  ServerLink third(file(), "ours", "token-three", stop_, &spare);
  ASSERT_TRUE(persist(third));
  EXPECT_NE(third.client(), used);
}

TEST_F(ServerLinkTest, AConnectionToAnotherServerIsNotUsed) {
  SpareClient spare;
  ServerLink first(file(), "ours", "token-one", stop_, &spare);
  ASSERT_TRUE(persist(first));
  first.leave();
  ASSERT_TRUE(write_file_atomic(file(), to_text({{"url", "http://127.0.0.1:1"}})));
  ServerLink second(file(), "ours", "token-two", stop_, &spare);
  EXPECT_FALSE(second.once([](ApiClient& api) { return api.post("/x", Json::object()); }));
  EXPECT_EQ(second.url(), "http://127.0.0.1:1");
}

}  // namespace
}  // namespace roost

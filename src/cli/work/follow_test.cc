#include "cli/work/follow.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/work/submit.h"
#include "net/http_server.h"

namespace roost {
namespace {

const std::string kLog = "one\ntwo\nthree\nfour\n";

// Sends what it was given, then ends or waits for ever.
class Lines : public ResponseStream {
 public:
  Lines(std::string text, bool ends) : text_(std::move(text)), ends_(ends) {}
  Step next(std::string& piece) override {
    if (text_.empty()) return ends_ ? Step::kEnd : Step::kWait;
    piece = std::exchange(text_, "");
    return Step::kData;
  }

 private:
  std::string text_;
  bool ends_;
};

// A server with one run; each connection to its follow stream gets `piece` more bytes of the log.
class FollowTest : public testing::Test {
 protected:
  void SetUp() override {
    Router router;
    router.add({"GET", "/api/v1/runs/{run}/follow", "follow_run", {}, [this](Request& request) {
                  ++connections_;
                  const auto offset = std::stoul(request.query_value("offset").value_or("0"));
                  Response response;
                  response.content_type = "application/x-ndjson";
                  response.stream = std::make_unique<Lines>(events_from(offset), !waits_);
                  return response;
                }});
    router.add({"GET", "/api/v1/runs/{run}", "get_run", {}, [this](Request&) {
                  Response response;
                  response.body = to_text(run_);
                  return response;
                }});
    auto listening = HttpServer::listen({}, std::move(router));
    ASSERT_TRUE(listening) << listening.error().message;
    server_ = std::move(*listening);
    // The server's threads must not be the ones that a Ctrl-C ends, as there are none in the
    // program.
    sigset_t interrupt;
    sigset_t before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before);
    server_->start();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    setenv("ROOST_URL", ("http://127.0.0.1:" + std::to_string(server_->port())).c_str(), 1);
    setenv("ROOST_TOKEN", "t", 1);
  }
  void TearDown() override {
    unsetenv("ROOST_URL");
    unsetenv("ROOST_TOKEN");
  }

  std::string events_from(std::size_t offset) const {
    std::string text;
    const auto add = [&](const Json& event) { text += to_text(event) + "\n"; };
    for (const char* status : {"Queued", "Running"}) {
      add({{"type", "status"}, {"status", status}, {"at", "2026-11-15T21:00:00Z"}, {"attempt", 1}});
    }
    add({{"type", "ping"}});
    const std::size_t end = std::min(kLog.size(), offset + piece_);
    add({{"type", "log"},
         {"offset", end},
         {"text", kLog.substr(offset, end - offset)},
         {"attempt", 1}});
    if (end == kLog.size() && !waits_) add({{"type", "end"}, {"run", run_}});
    return text;
  }

  // Runs it with the options of every verb and returns what it printed.
  int follow(std::vector<const char*> options, InterruptWatch& watch) {
    CommandLine line("roost", "x", "1");
    Console console;
    console.register_options(line.root());
    Result<int> code = 0;
    line.root().verb("follow", "x").action([&]() -> Result<int> {
      code = follow_run(console, "birds_1", watch);
      return code;
    });
    options.insert(options.begin(), "roost");
    options.push_back("follow");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit =
        line.run(static_cast<int>(options.size()), options.data(), [](int) { return false; }, [] { return Status{}; });
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return exit;
  }

  Json run_ = {{"id", "birds_1"},
               {"status", "Failed"},
               {"attempt", 1},
               {"exit_code", 3},
               {"signal", nullptr},
               {"started_at", "2026-11-15T21:00:00Z"},
               {"ended_at", "2026-11-15T21:00:02Z"}};
  std::atomic<std::size_t> piece_ = 1000;
  bool waits_ = false;
  std::atomic<int> connections_ = 0;
  std::unique_ptr<HttpServer> server_;
  std::string out_;
  std::string err_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

TEST_F(FollowTest, PrintsTheLogVerbatimAndEndsWithTheRunsCode) {
  InterruptWatch watch;
  EXPECT_EQ(follow({}, watch), 3);
  EXPECT_EQ(out_, kLog);
  EXPECT_EQ(connections_, 1);
  EXPECT_NE(err_.find("Queued\nRunning\nFailed after 2.0 s with exit code 3"), std::string::npos)
      << err_;
}

TEST_F(FollowTest, GoesOnWhereTheConnectionBroke) {
  piece_ = 7;
  InterruptWatch watch;
  EXPECT_EQ(follow({}, watch), 3);
  EXPECT_EQ(out_, kLog);
  EXPECT_EQ(connections_, 3);
  EXPECT_EQ(count(err_, "Queued\n"), 1U) << err_;
  EXPECT_EQ(count(err_, "lost the server"), 2U) << err_;
  EXPECT_EQ(count(err_, "connected again"), 2U) << err_;
}

TEST_F(FollowTest, StartsAFurtherAttemptsLogFromItsBeginning) {
  piece_ = 7;
  run_["attempt"] = 2;  // as get_run says after the connection broke
  InterruptWatch watch;
  std::thread later([this] {
    while (connections_ < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    piece_ = 1000;
  });
  (void)follow({}, watch);
  later.join();
  EXPECT_EQ(out_.substr(0, 14),
            "one\ntwo"
            "one\ntwo");
}

TEST_F(FollowTest, JsonPassesTheEventsOn) {
  InterruptWatch watch;
  EXPECT_EQ(follow({"--json"}, watch), 3);
  EXPECT_EQ(count(out_, "\n"), 4U) << out_;
  EXPECT_EQ(count(out_, "ping"), 0U);
  for (const std::string& line : split(trim(out_), '\n'))
    EXPECT_TRUE(parse_json(line, "x")) << line;
}

TEST_F(FollowTest, InterruptLeavesTheRun) {
  waits_ = true;
  InterruptWatch watch;
  std::thread user([this] {
    while (connections_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until the client waits for more
    kill(getpid(), SIGINT);
  });
  EXPECT_EQ(follow({}, watch), 130);
  user.join();
  EXPECT_EQ(out_, kLog);
  EXPECT_NE(err_.find("roost logs -f birds_1"), std::string::npos) << err_;
}

}  // namespace
}  // namespace roost

#include "serve/replica.h"

#include <gtest/gtest.h>

#include <thread>

#include "net/test_http.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

// Starts when told, answers when told.
class FakeServant final : public Servant {
 public:
  struct Orders {
    Signal may_start;
    Signal asked;
    Signal may_answer;
    Status starts = {};
    std::atomic<bool> stopped = false;
    std::atomic<std::uint64_t> in_flight = 0;
  };
  explicit FakeServant(Orders& orders) : orders_(orders) {}
  Status start() override {
    orders_.may_start.wait();
    return orders_.starts;
  }
  void add_routes(Router& router) override {
    router.add({"GET", "/", "health", {}, [](Request&) { return text_response("Healthy"); }});
    router.add({"GET", "/v2/health/live", "live", {}, [](Request&) { return text_response("live"); }});
    router.add({"POST", "/score", "score", {1 << 20}, [this](Request& request) {
                  ++orders_.in_flight;
                  orders_.asked.set();
                  orders_.may_answer.wait();
                  --orders_.in_flight;
                  return text_response("scored " + request.body);
                }});
  }
  bool is_ready() const override { return true; }
  ServantLoad load() const override { return {orders_.in_flight, 0, 5, 0}; }
  std::string metrics() const override { return "fake_metric 1"; }
  void stop() override { orders_.stopped = true; }

 private:
  Orders& orders_;
};

// A replica on a thread of its own.
class Running {
 public:
  explicit Running(ReplicaOptions options = {}, std::function<std::string()> failure = {}) {
    // The port is needed before it is ready, so a free one is chosen here.
    TestServer probe;
    probe.start();
    port = options.port = probe.server->port();
    probe.server.reset();
    options.name = "birds";
    options.quiet = milliseconds(50);
    options.ready = [this](std::uint16_t) { ready.set(); };
    replica.emplace(ReplicaServant{std::make_unique<FakeServant>(orders), 4, 1, std::move(failure)}, std::move(options));
    thread = std::thread([this] { code = replica->run(stop.get_token()); });
  }
  ~Running() { end(); }
  Result<int> end() {
    orders.may_start.set();
    orders.may_answer.set();
    stop.request_stop();
    if (thread.joinable()) thread.join();
    return code;
  }
  ClientResponse get(const std::string& target, std::map<std::string, std::string> headers = {}) {
    HttpClient client("http://127.0.0.1:" + std::to_string(port));
    ClientRequest request;
    request.target = target;
    request.headers = std::move(headers);
    for (;;) {
      // It may not listen yet.
      auto response = client.send(request);
      if (response) return *std::move(response);
      if (response.error().message.find("cannot reach") == std::string::npos) return {};
    }
  }

  FakeServant::Orders orders;
  Signal ready;
  std::uint16_t port = 0;
  std::stop_source stop;
  std::optional<Replica> replica;
  Result<int> code = 99;
  std::thread thread;
};

TEST(Replica, AnswersThatItIsStarting) {
  Running running;
  const ClientResponse early = running.get("/");
  EXPECT_EQ(503, early.status);
  EXPECT_TRUE(early.headers.contains("retry-after"));
  EXPECT_EQ(200, running.get("/v2/health/live").status);
  EXPECT_NE(std::string::npos, running.get("/metrics").body.find("roost_replica_ready 0"));
  running.orders.may_start.set();
  ASSERT_TRUE(running.ready.wait());
  EXPECT_EQ("Healthy", running.get("/").body);
  const std::string metrics = running.get("/metrics").body;
  EXPECT_NE(std::string::npos, metrics.find("fake_metric 1\n"));
  EXPECT_NE(std::string::npos, metrics.find("roost_replica_resident_bytes "));
  EXPECT_EQ(0, running.end().value_or(-1));
  EXPECT_TRUE(running.orders.stopped);
}

TEST(Replica, WantsItsKeyBeforeABodyIsRead) {
  ReplicaOptions options;
  options.key = "secret";
  Running running(std::move(options));
  running.orders.may_start.set();
  ASSERT_TRUE(running.ready.wait());
  EXPECT_EQ(401, running.get("/").status);
  EXPECT_EQ(401, running.get("/metrics", {{"X-Roost-Replica-Key", "guess"}}).status);
  EXPECT_EQ(200, running.get("/", {{"X-Roost-Replica-Key", "secret"}}).status);
  RawConnection raw(running.port);
  raw.send("POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_EQ("401", raw.read_response().substr(0, 3));
}

TEST(Replica, SaysWhyItCannotStart) {
  Running running;
  running.orders.starts = fail(ErrorCode::kInvalidArgument, "the model is no model");
  running.orders.may_start.set();
  running.thread.join();
  EXPECT_EQ(Replica::kCannotServe, running.code.value_or(-1));
}

TEST(Replica, EndsWhenItsServantCanNoMore) {
  std::atomic<bool> broken = false;
  Running running({}, [&] { return broken ? std::string("ImportError: no module named x") : std::string(); });
  running.orders.may_start.set();
  ASSERT_TRUE(running.ready.wait());
  broken = true;
  running.thread.join();
  EXPECT_EQ(Replica::kCannotServe, running.code.value_or(-1));
}

TEST(Replica, FinishesWhatIsUnderWay) {
  Running running;
  running.orders.may_start.set();
  ASSERT_TRUE(running.ready.wait());
  RawConnection raw(running.port);
  raw.send("POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
  ASSERT_TRUE(running.orders.asked.wait());
  running.stop.request_stop();
  running.orders.may_answer.set();
  EXPECT_EQ("200 scored abc", raw.read_response());
  EXPECT_EQ(0, running.end().value_or(-1));
}

}  // namespace
}  // namespace roost

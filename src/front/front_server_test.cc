#include "front/front_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "net/test_http.h"

namespace roost {
namespace {

// A replica, and the front before it.
class FrontServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = FrontServer::listen({});
    ASSERT_TRUE(made) << made.error().message;
    front = std::move(*made);
    front->start();
  }
  static std::unique_ptr<TestServer> make_replica(const std::string& name, Signal* wait_for = nullptr, Signal* asked = nullptr) {
    auto replica = std::make_unique<TestServer>();
    replica->route("POST", "/score", [=](Request& request) {
      if (asked) asked->set();
      if (wait_for) wait_for->wait();
      Response response = text_response(name + " " + request.body);
      response.headers["X-Of-Replica"] = request.header("x-roost-replica-key");
      return response;
    });
    replica->start();
    return replica;
  }
  static TableReplica place_of(const TestServer& replica) { return {"run", "127.0.0.1", replica.server->port(), "secret"}; }
  RoutingTable table_of(std::vector<TableReplica> replicas, std::int64_t max_concurrent = 0) {
    TableEndpoint endpoint;
    endpoint.workspace = "ws";
    endpoint.name = endpoint.slug = "birds";
    endpoint.auth = TableAuth::kNone;
    endpoint.default_deployment = "blue";
    endpoint.queue_wait_ms = 60'000;
    TableDeployment blue;
    blue.name = "blue";
    blue.version = "birds:1";
    blue.max_concurrent_requests = max_concurrent;
    blue.replicas = std::move(replicas);
    endpoint.deployments = {blue};
    return {++generation, {endpoint}};
  }
  ClientResponse post(const std::string& body, HttpClient* kept = nullptr) {
    HttpClient own("http://127.0.0.1:" + std::to_string(front->port()));
    ClientRequest request;
    request.method = "POST";
    request.target = "/endpoints/birds/score";
    request.body = body;
    auto response = (kept ? *kept : own).send(request);
    return response ? *std::move(response) : ClientResponse{-1, {}, response.error().message};
  }

  std::int64_t generation = 0;
  std::unique_ptr<FrontServer> front;
};

TEST_F(FrontServerTest, KnowsNothingBeforeItsTable) {
  EXPECT_EQ(503, post("x").status);
  const auto replica = make_replica("one");
  front->set_table(table_of({place_of(*replica)}));
  const ClientResponse answer = post("x");
  EXPECT_EQ("one x", answer.body);
  EXPECT_EQ("secret", answer.headers.at("x-of-replica"));
  EXPECT_EQ("blue", answer.headers.at("x-roost-deployment"));
}

TEST_F(FrontServerTest, ServesManyWhileTablesChange) {
  const auto one = make_replica("one");
  const auto two = make_replica("two");
  front->set_table(table_of({place_of(*one)}));
  std::atomic<bool> is_over = false;
  std::atomic<int> good = 0;
  std::atomic<int> bad = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      HttpClient kept("http://127.0.0.1:" + std::to_string(front->port()));
      while (!is_over) ++(post("x", &kept).status == 200 ? good : bad);
    });
  }
  for (int turn = 0; turn < 50; ++turn) {
    front->set_table(table_of({place_of(turn % 2 ? *one : *two)}, 1 + turn % 3));
    const int seen = good;
    while (good < seen + 5 && bad == 0) std::this_thread::yield();
  }
  is_over = true;
  for (auto& client : clients) client.join();
  EXPECT_EQ(0, bad);
  EXPECT_GE(good, 250);
}

TEST_F(FrontServerTest, StopsWhenWhatIsUnderWayIsAnswered) {
  Signal let_go;
  Signal asked;
  const auto replica = make_replica("one", &let_go, &asked);
  front->set_table(table_of({place_of(*replica)}, 1));
  ClientResponse at_work;
  ClientResponse waiting;
  std::thread first([&] { at_work = post("a"); });
  ASSERT_TRUE(asked.wait());
  std::thread second([&] { waiting = post("b"); });
  std::thread stopping([&] {
    second.join();
    let_go.set();
  });
  // The second one waits for the replica, or has not come yet: neither is answered by it.
  front->stop();
  stopping.join();
  first.join();
  EXPECT_EQ("one a", at_work.body);
  EXPECT_NE(200, waiting.status);
}

}  // namespace
}  // namespace roost

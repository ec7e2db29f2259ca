#include "serve/replica_heartbeat.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <vector>

#include "net/test_http.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

// A server that takes heartbeats and keeps them.
class FakeServer {
 public:
  explicit FakeServer(std::uint16_t port = 0) {
    http.options.port = port;
    http.route("PUT", "/api/v1/runs/{run}/replica", [this](Request& request) {
      const std::lock_guard lock(mutex);
      beats.push_back(stored_json(request.body));
      token = request.header("authorization");
      run = request.parameters["run"];
      changed.notify_all();
      Response response;
      response.body = to_text({{"stop", stop}});
      if (status != 200) {
        response.status = status;
        response.body = to_text({{"error", {{"code", code}, {"message", "no"}}}});
      }
      return response;
    });
    http.start();
  }
  // The first beat from `index` on that is in that state.
  Json wait_for_state(const std::string& state, std::size_t from = 0) {
    std::unique_lock lock(mutex);
    Json found;
    changed.wait_for(lock, std::chrono::seconds(20), [&] {
      for (std::size_t i = from; i < beats.size(); ++i) {
        if (beats[i]["state"] == state) {
          found = beats[i];
          return true;
        }
      }
      return false;
    });
    return found;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Json> beats;
  std::string token;
  std::string run;
  bool stop = false;
  int status = 200;
  std::string code;
  TestServer http;
};

ReplicaNews some_news() {
  ReplicaNews news;
  news.address = "127.0.0.1";
  news.port = 4711;
  news.key = "secret";
  return news;
}

TEST(ReplicaHeartbeat, TellsStateAddressKeyAndLoad) {
  FakeServer server;
  ReplicaHeartbeat beat("birds_1", some_news(),
                 {[&] { return ServerAddress{server.http.url(), "token", "", ""}; },
                  [] { return ServantLoad{1, 2, 3, 4}; },
                  {}},
                 milliseconds(10));
  const Json first = server.wait_for_state("starting");
  EXPECT_EQ(4711, first["port"]);
  EXPECT_EQ("secret", first["key"]);
  EXPECT_EQ(2, first["load"]["queued"]);
  EXPECT_TRUE(beat.tell_and_wait(ReplicaState::kReady, "", std::chrono::seconds(20)));
  EXPECT_FALSE(server.wait_for_state("ready").is_null());
  beat.tell(ReplicaState::kFailed, "no memory");
  EXPECT_EQ("no memory", server.wait_for_state("failed")["message"]);
  EXPECT_EQ("Bearer token", server.token);
  EXPECT_EQ("birds_1", server.run);
}

TEST(ReplicaHeartbeat, FindsAServerThatMoved) {
  auto first = std::make_unique<FakeServer>();
  std::mutex mutex;
  std::string url = first->http.url();
  ReplicaHeartbeat beat("r", some_news(),
                 {[&] {
                    const std::lock_guard lock(mutex);
                    return ServerAddress{url, "t", "", ""};
                  },
                  {},
                  {}},
                 milliseconds(10));
  ASSERT_FALSE(first->wait_for_state("starting").is_null());
  first.reset();
  FakeServer second;
  {
    const std::lock_guard lock(mutex);
    url = second.http.url();
  }
  EXPECT_FALSE(second.wait_for_state("starting").is_null());
}

TEST(ReplicaHeartbeat, SaysOnceThatTheServerWantsItGone) {
  FakeServer server;
  server.stop = true;
  Signal wanted;
  std::atomic<int> count = 0;
  ReplicaHeartbeat beat("r", some_news(),
                 {[&] { return ServerAddress{server.http.url(), "t", "", ""}; },
                  {},
                  [&] {
                    ++count;
                    wanted.set();
                  }},
                 milliseconds(5));
  EXPECT_TRUE(wanted.wait());
  EXPECT_TRUE(beat.tell_and_wait(ReplicaState::kStopping, "", std::chrono::seconds(20)));
  EXPECT_EQ(1, count);
}

TEST(ReplicaHeartbeat, EndsWithTheRun) {
  FakeServer server;
  server.status = 410;
  server.code = std::string(error_code_name(ErrorCode::kGivenUp));
  Signal wanted;
  const ReplicaHeartbeat beat("r", some_news(),
                       {[&] { return ServerAddress{server.http.url(), "t", "", ""}; }, {}, [&] { wanted.set(); }},
                       milliseconds(5));
  EXPECT_TRUE(wanted.wait());
}

TEST(ReplicaHeartbeat, EndsWhileTheServerHangs) {
  Signal asked;
  Signal let_go;
  TestServer server;
  server.route("PUT", "/api/v1/runs/{run}/replica", [&](Request&) {
    asked.set();
    let_go.wait();
    return Response();
  });
  server.start();
  {
    const ReplicaHeartbeat beat("r", some_news(), {[&] { return ServerAddress{server.url(), "t", "", ""}; }, {}, {}});
    EXPECT_TRUE(asked.wait());
  }
  let_go.set();
}

}  // namespace
}  // namespace roost

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "infer/servant.h"
#include "net/http_server.h"
#include "serve/replica_heartbeat.h"

namespace roost {

// Who answers, and what is known of it besides.
struct ReplicaServant {
  std::unique_ptr<Servant> servant;
  int threads = 96;                      // handlers that may wait at once
  int io_threads = 1;                    // for connections, and for handlers that are quick
  std::function<std::string()> failure;  // why it will never be ready again; "" or none while it may
};

struct ReplicaOptions {
  std::string name;  // for people
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::string shown_address;  // by which others reach it; "": the address
  std::string key;            // what requests must carry as X-Roost-Replica-Key; "": nothing
  std::uint64_t max_body_bytes = 100 << 20;
  std::string run;  // whose heartbeat it has; "": none
  std::function<Result<ServerAddress>()> find_server = find_server_of_run;
  // Once asked to stop it goes on answering until there has been nothing to do for this long: whoever sends requests
  // has to hear of it first.
  std::chrono::milliseconds quiet{1500};
  std::chrono::milliseconds drain{30'000};  // the longest it takes to stop
  std::function<void(std::uint16_t port)> ready;
};

// The process that serves a deployment: it listens from the start, answers 503 until its servant is ready, tells the
// server how it is, and finishes what it has begun before it ends.
class Replica {
 public:
  static constexpr int kCannotServe = 3;  // exit code

  Replica(ReplicaServant servant, ReplicaOptions options);
  ~Replica();

  // Serves until `stop` is requested or the server wants it gone: 0. kCannotServe, with the reason on standard error and
  // told to the server, if the servant cannot start or can no more. An error: it cannot even listen.
  Result<int> run(const std::stop_token& stop);

 private:
  enum class State { kStarting, kReady, kStopping };

  Result<std::unique_ptr<HttpServer>> listen();
  Result<std::shared_ptr<void>> admit(const Request& request) const;
  std::optional<Response> answer_itself(const Request& request) const;
  Response metrics() const;
  // False if it was told to stop meanwhile.
  bool start_servant(const std::stop_token& stop, Status& started);
  void wait_until_over(const std::stop_token& stop);
  int give_up(const std::string& why);
  void drain();

  const std::shared_ptr<Servant> servant_;  // shared with the thread that starts it, which may hang
  const int threads_;
  const int io_threads_;
  const std::function<std::string()> failure_;
  const ReplicaOptions options_;
  std::atomic<State> state_ = State::kStarting;
  std::stop_source unwanted_;  // by the server
  std::unique_ptr<ReplicaHeartbeat> heartbeat_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace roost

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "client/api_client.h"
#include "infer/servant.h"

namespace roost {

// Where a run finds the server that gave it its order: the address in ROOST_SERVER_FILE, which the runner keeps true while
// servers come and go, else ROOST_URL; always with the run's own token. kUnavailable if neither is there.
Result<ServerAddress> find_server_of_run();

enum class ReplicaState { kStarting, kReady, kStopping, kFailed };

// What a replica says of itself.
struct ReplicaNews {
  ReplicaState state = ReplicaState::kStarting;
  std::string address;
  std::uint16_t port = 0;
  std::string key;
  std::string message;
};

// Tells the server where a replica is and how it is: every second, and at once after each tell(). A server that is away
// is looked for again and again, for as long as the replica lives.
class ReplicaHeartbeat {
 public:
  struct Calls {
    std::function<Result<ServerAddress>()> find_server = find_server_of_run;
    std::function<ServantLoad()> load;
    // The server wants this replica gone, or the run is over. At most once, on the heartbeat's thread.
    std::function<void()> stop_wanted;
  };
  ReplicaHeartbeat(std::string run, ReplicaNews news, Calls calls,
            std::chrono::milliseconds every = std::chrono::milliseconds(1000));
  // Stops; a call under way is broken off.
  ~ReplicaHeartbeat();

  void tell(ReplicaState state, std::string message = "");
  // As tell(), and waits until the server has it, but not longer than that.
  bool tell_and_wait(ReplicaState state, std::string message, std::chrono::milliseconds limit);

 private:
  void work(const std::stop_token& stop);
  void send(const ReplicaNews& news);
  Json body_of(const ReplicaNews& news) const;

  const std::string run_;
  const Calls calls_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  ReplicaNews news_;
  std::uint64_t version_ = 1;    // of news_
  std::uint64_t delivered_ = 0;  // the latest version the server has
  // Only the thread makes and drops it; the destructor breaks off a call of it, under the lock.
  std::unique_ptr<ApiClient> client_;
  bool told_away_ = false;
  bool told_stop_ = false;
  std::jthread thread_;
};

}  // namespace roost

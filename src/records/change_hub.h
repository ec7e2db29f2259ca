#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace roost {

// Tells those who follow something (a run, a node's orders) that it changed. Carries no data: a
// follower looks at the records again. Thread-safe; callbacks run on the publisher's thread and must
// be short and must not call back into the hub.
class ChangeHub {
 public:
  // Ends the subscription when destroyed; afterwards the callback is not running and never will.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(ChangeHub& hub, std::string key, std::uint64_t id)
        : hub_(&hub), key_(std::move(key)), id_(id) {}
    Subscription(Subscription&& other) noexcept { *this = std::move(other); }
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription() { end(); }
    void end();

   private:
    ChangeHub* hub_ = nullptr;
    std::string key_;
    std::uint64_t id_ = 0;
  };

  [[nodiscard]] Subscription subscribe(const std::string& key, std::function<void()> changed);
  void publish(const std::string& key);

 private:
  std::mutex mutex_;
  std::uint64_t next_id_ = 1;
  std::unordered_map<std::string, std::unordered_map<std::uint64_t, std::function<void()>>> followers_;
};

}  // namespace roost

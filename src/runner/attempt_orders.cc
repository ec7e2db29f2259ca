#include "runner/attempt_orders.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace roost {

AttemptOrders::AttemptOrders() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void AttemptOrders::wake() const { ::eventfd_write(wake_.get(), 1); }

void AttemptOrders::drain() const {
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
}

void AttemptOrders::cancel(int grace_seconds) {
  cancel_grace_ = grace_seconds;
  wake();
}

void AttemptOrders::stop(int grace_seconds) {
  stop_grace_ = grace_seconds;
  wake();
}

void AttemptOrders::abandon() {
  abandoned_ = true;
  wake();
}

void AttemptOrders::stop_sending() {
  kept_ = true;
  abandon();
}

void AttemptOrders::go(const Json& nodes) {
  {
    const std::lock_guard lock(mutex_);
    nodes_ = nodes;
  }
  wake();
}

void AttemptOrders::exec(const std::string& command) {
  {
    const std::lock_guard lock(mutex_);
    command_ = command;
  }
  wake();
}

void AttemptOrders::command_ended(const std::string& node, int exit_code) {
  {
    const std::lock_guard lock(mutex_);
    ended_commands_.emplace_back(node, exit_code);
  }
  wake();
}

Json AttemptOrders::nodes() const {
  const std::lock_guard lock(mutex_);
  return nodes_;
}

std::optional<std::string> AttemptOrders::command() const {
  const std::lock_guard lock(mutex_);
  return command_;
}

std::vector<std::pair<std::string, int>> AttemptOrders::take_ended_commands() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ended_commands_, {});
}

}  // namespace roost

#pragma once

#include <boost/asio/io_context.hpp>

#include "net/loop.h"

namespace roost {

// A Loop over Asio. Private to net/.
class IoLoop final : public Loop {
 public:
  explicit IoLoop(boost::asio::io_context& context) : context_(context) {}

  void post(std::function<void()> job) override;
  std::unique_ptr<Timer> after(std::chrono::milliseconds time, std::function<void()> job) override;
  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context& context_;
};

}  // namespace roost

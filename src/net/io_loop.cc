#include "net/io_loop.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace roost {
namespace {

class IoTimer final : public Loop::Timer {
 public:
  IoTimer(boost::asio::io_context& context, std::chrono::milliseconds time, std::function<void()> job)
      : timer_(context, time), state_(std::make_shared<State>(std::move(job))) {
    timer_.async_wait([state = state_](const boost::system::error_code&) {
      // Also when the waiting was ended too late to be seen here.
      if (state->job) std::exchange(state->job, nullptr)();
    });
  }
  ~IoTimer() override { state_->job = nullptr; }

 private:
  struct State {
    explicit State(std::function<void()> given) : job(std::move(given)) {}
    std::function<void()> job;
  };
  boost::asio::steady_timer timer_;
  std::shared_ptr<State> state_;
};

}  // namespace

void IoLoop::post(std::function<void()> job) { boost::asio::post(context_, std::move(job)); }

std::unique_ptr<Loop::Timer> IoLoop::after(std::chrono::milliseconds time, std::function<void()> job) {
  return std::make_unique<IoTimer>(context_, time, std::move(job));
}

}  // namespace roost

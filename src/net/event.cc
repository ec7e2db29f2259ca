#include "net/event.h"

#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace roost {

class Event::Sleeper {
 public:
  virtual ~Sleeper() = default;
  virtual void resume() = 0;
};

namespace {

template <class Handler>
class SleepingHandler final : public Event::Sleeper {
 public:
  explicit SleepingHandler(Handler handler) : handler_(std::move(handler)) {}
  void resume() override {
    Handler handler = std::move(handler_);
    std::move(handler)();
  }

 private:
  Handler handler_;
};

}  // namespace

Event::Event() = default;
Event::~Event() = default;

void Event::notify() {
  if (!sleeper_) {
    notified_ = true;
    return;
  }
  // The coroutine may end and destroy this event while it runs.
  const std::unique_ptr<Sleeper> sleeper = std::move(sleeper_);
  sleeper->resume();
}

boost::asio::awaitable<void> Event::wait() {
  if (std::exchange(notified_, false)) co_return;
  auto lie_down = [this](auto handler) {
    sleeper_ = std::make_unique<SleepingHandler<decltype(handler)>>(std::move(handler));
  };
  using Token = boost::asio::use_awaitable_t<>;
  const Token token;
  co_await boost::asio::async_initiate<const Token, void()>(lie_down, token);
}

}  // namespace roost

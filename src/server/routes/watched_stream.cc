#include "server/routes/watched_stream.h"

#include <algorithm>

namespace roost {
namespace {

constexpr Micros kCheckEvery = kSecond;

class WatchedStream final : public ResponseStream {
 public:
  WatchedStream(App& app, std::string secret, std::unique_ptr<ResponseStream> stream)
      : app_(app), secret_(std::move(secret)), stream_(std::move(stream)) {}

  void set_wake(std::function<void()> wake) override { stream_->set_wake(std::move(wake)); }

  Step next(std::string& piece) override {
    if (const Micros now = app_.clock.steady(); now >= check_at_) {
      check_at_ = now + kCheckEvery;
      // A database that cannot be read just now is no reason to cut anybody off.
      const auto known = app_.access->authenticate(secret_);
      if (!known && known.error().code != ErrorCode::kInternal) return Step::kEnd;
    }
    const Step step = stream_->next(piece);
    max_wait_ms = std::min(stream_->max_wait_ms, 1000);
    return step;
  }

 private:
  App& app_;
  const std::string secret_;
  const std::unique_ptr<ResponseStream> stream_;
  Micros check_at_ = app_.clock.steady() + kCheckEvery;
};

}  // namespace

std::unique_ptr<ResponseStream> watched_stream(App& app, std::string secret, std::unique_ptr<ResponseStream> stream) {
  return std::make_unique<WatchedStream>(app, std::move(secret), std::move(stream));
}

}  // namespace roost

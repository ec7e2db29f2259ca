#include "server/live_stream.h"

namespace roost {
namespace {

constexpr Micros kLookEvery = kSecond / 10;
constexpr Micros kSayEvery = 10 * kSecond;
constexpr int kIdleWaitMs = 1000;

class LiveStream final : public ResponseStream {
 public:
  LiveStream(App& app, std::vector<std::unique_ptr<LiveTopic>> topics) : app_(app), topics_(std::move(topics)) {}

  void set_wake(std::function<void()> wake) override {
    for (const auto& topic : topics_) {
      for (const auto& key : topic->keys()) subscriptions_.push_back(app_.changes.hub().subscribe(key, wake));
    }
  }

  Step next(std::string& piece) override {
    const Micros now = app_.clock.now();
    if (!more_ && now - looked_ < kLookEvery) {
      max_wait_ms = static_cast<int>((kLookEvery - (now - looked_)) / 1000) + 1;
      return Step::kWait;
    }
    looked_ = now;
    more_ = false;
    if (said_ == 0) piece += ": Roost\n\n";
    for (const auto& topic : topics_) {
      if (!topic->look(app_, piece)) return Step::kEnd;
      more_ = more_ || topic->has_more();
    }
    // An event and no comment, which a page would not see: it notices a server that has gone without closing anything.
    if (piece.empty() && now - said_ >= kSayEvery) piece = "event: here\ndata: {}\n\n";
    max_wait_ms = kIdleWaitMs;
    if (piece.empty()) return Step::kWait;
    said_ = now;
    return Step::kData;
  }

 private:
  App& app_;
  const std::vector<std::unique_ptr<LiveTopic>> topics_;
  std::vector<ChangeHub::Subscription> subscriptions_;
  Micros looked_ = 0;
  Micros said_ = 0;
  bool more_ = false;
};

}  // namespace

std::unique_ptr<ResponseStream> live_stream(App& app, std::vector<std::unique_ptr<LiveTopic>> topics) {
  return std::make_unique<LiveStream>(app, std::move(topics));
}

}  // namespace roost

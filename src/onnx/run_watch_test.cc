#include "onnx/run_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace roost {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(RunCutoff, CallsWhenTheTimeHasCome) {
  RunCutoff watch;
  std::promise<void> called;
  const auto later = watch.watch(steady_clock::now() + std::chrono::hours(1), [] { FAIL(); });
  const auto soon = watch.watch(steady_clock::now() + milliseconds(5), [&] { called.set_value(); });
  called.get_future().wait();
}

TEST(RunCutoff, CallsAtOnceWhenItIsLate) {
  RunCutoff watch;
  std::promise<void> called;
  const auto guard = watch.watch(steady_clock::now() - milliseconds(5), [&] { called.set_value(); });
  called.get_future().wait();
}

TEST(RunCutoff, NeverCallsOnceDone) {
  RunCutoff watch;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&watch] {
      for (int i = 0; i < 500; ++i) {
        auto alive = std::make_unique<std::atomic<int>>(0);
        const auto guard = watch.watch(steady_clock::now() + std::chrono::microseconds(i % 50),
                                       [raw = alive.get()] { raw->fetch_add(1); });
        std::this_thread::yield();
        EXPECT_LE(alive->load(), 1);
      }
    });
  }
}

}  // namespace
}  // namespace roost

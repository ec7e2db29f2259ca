#include "onnx/model_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <thread>

#include "onnx/fake_runner.h"

namespace roost {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Answer = Result<std::vector<Tensor>>;

class ModelQueueTest : public testing::Test {
 protected:
  void make(QueueOptions options) { queue_ = std::make_unique<ModelQueue>(runner_, stats_, options); }
  Answer ask(const std::vector<float>& rows, Deadline deadline = in_a_minute()) {
    CallTimes times;
    return queue_->infer({floats("x", {static_cast<std::int64_t>(rows.size()), 1}, rows)}, {"y"}, deadline, times);
  }
  // Asks on a thread of its own, and returns when it waits (as the so-many-th).
  std::future<Answer> ask_and_wait(const std::vector<float>& rows, std::size_t waiting) {
    auto future = std::async(std::launch::async, [this, rows] { return ask(rows); });
    while (queue_->waiting() < waiting) std::this_thread::yield();
    return future;
  }
  // A run that is under way until the gate is opened.
  std::future<Answer> occupy() {
    runner_.close();
    auto future = std::async(std::launch::async, [this] { return ask({1}); });
    runner_.await_runs(1);
    return future;
  }
  static std::vector<float> numbers(const Answer& answer) {
    return answer ? values_of<float>(answer->at(0)) : std::vector<float>{-1};
  }

  FakeRunner runner_;
  ModelStats stats_;
  std::unique_ptr<ModelQueue> queue_;
};

TEST_F(ModelQueueTest, RunsOnTheCallersThreadWhenFree) {
  make({});
  EXPECT_EQ(numbers(ask({3})), std::vector<float>{6});
  EXPECT_EQ(queue_->waiting(), 0U);
  EXPECT_EQ(stats_.read().runs, 1U);
}

TEST_F(ModelQueueTest, PutsTogetherWhatCameWhileItWasBusy) {
  make({.runs = 1, .max_batch = 8});
  auto first = occupy();
  auto a = ask_and_wait({2}, 1);
  auto b = ask_and_wait({3, 4}, 2);
  auto c = ask_and_wait({5}, 3);
  runner_.open();
  EXPECT_EQ(numbers(first.get()), std::vector<float>{2});
  EXPECT_EQ(numbers(a.get()), std::vector<float>{4});
  EXPECT_EQ(numbers(b.get()), (std::vector<float>{6, 8}));
  EXPECT_EQ(numbers(c.get()), std::vector<float>{10});
  EXPECT_EQ(runner_.sizes(), (std::vector<std::int64_t>{1, 4}));
}

TEST_F(ModelQueueTest, NeverPutsMoreRowsTogetherThanItMay) {
  make({.runs = 1, .max_batch = 3});
  auto first = occupy();
  auto a = ask_and_wait({1, 1}, 1);
  auto b = ask_and_wait({2, 2}, 2);  // does not fit beside a
  auto c = ask_and_wait({3}, 3);     // does
  auto d = ask_and_wait({4, 4, 4, 4, 4}, 4);
  runner_.open();
  for (auto* future : {&first, &a, &b, &c, &d}) EXPECT_TRUE(future->get());
  EXPECT_EQ(runner_.sizes(), (std::vector<std::int64_t>{1, 3, 2, 5}));
}

TEST_F(ModelQueueTest, KeepsShapesApart) {
  make({.runs = 1, .max_batch = 8});
  auto first = occupy();
  auto a = ask_and_wait({1}, 1);
  auto wide = std::async(std::launch::async, [this] {
    CallTimes times;
    return queue_->infer({floats("x", {1, 2}, {7, 8})}, {"y"}, in_a_minute(), times);
  });
  while (queue_->waiting() < 2) std::this_thread::yield();
  auto b = ask_and_wait({2}, 3);
  runner_.open();
  EXPECT_TRUE(first.get());
  EXPECT_EQ(numbers(a.get()), std::vector<float>{2});
  EXPECT_EQ(numbers(b.get()), std::vector<float>{4});
  EXPECT_EQ(numbers(wide.get()), (std::vector<float>{14, 16}));
  EXPECT_EQ(runner_.sizes(), (std::vector<std::int64_t>{1, 2, 1}));
}

TEST_F(ModelQueueTest, OneBadRequestFailsAlone) {
  make({.runs = 1, .max_batch = 8});
  auto first = occupy();
  auto a = ask_and_wait({1}, 1);
  auto bad = ask_and_wait({-1}, 2);
  auto b = ask_and_wait({2}, 3);
  runner_.open();
  EXPECT_TRUE(first.get());
  EXPECT_EQ(numbers(a.get()), std::vector<float>{2});
  EXPECT_EQ(numbers(b.get()), std::vector<float>{4});
  const Answer refused = bad.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "below zero");
}

TEST_F(ModelQueueTest, StopsPuttingTogetherWhenRowsAreLost) {
  make({.runs = 1, .max_batch = 8});
  runner_.gives_one_row = true;
  auto first = occupy();
  auto a = ask_and_wait({1}, 1);
  auto b = ask_and_wait({2}, 2);
  runner_.open();
  EXPECT_TRUE(first.get());
  EXPECT_EQ(numbers(a.get()), std::vector<float>{2});
  EXPECT_EQ(numbers(b.get()), std::vector<float>{4});
  EXPECT_EQ(runner_.sizes(), (std::vector<std::int64_t>{1, 2, 1, 1}));
}

TEST_F(ModelQueueTest, TellsWhetherARequestWouldRunAtOnce) {
  make({.runs = 1, .max_batch = 8});
  EXPECT_TRUE(queue_->is_free());
  auto first = occupy();
  EXPECT_FALSE(queue_->is_free());
  runner_.open();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(queue_->is_free());
  make({.runs = 1, .max_batch = 8, .max_delay = std::chrono::milliseconds(1)});
  EXPECT_FALSE(queue_->is_free());  // it would wait for others
}

TEST_F(ModelQueueTest, TellsHowManyRanTogether) {
  make({.runs = 1, .max_batch = 8});
  auto first = occupy();
  CallTimes times;
  auto a = std::async(std::launch::async, [&] { return queue_->infer({floats("x", {1, 1}, {1})}, {"y"}, in_a_minute(), times); });
  while (queue_->waiting() < 1) std::this_thread::yield();
  auto b = ask_and_wait({2}, 2);
  runner_.open();
  for (auto* future : {&first, &a, &b}) EXPECT_TRUE(future->get());
  EXPECT_EQ(times.together, 2);
}

TEST_F(ModelQueueTest, RefusesWhenTooManyWait) {
  make({.runs = 1, .max_batch = 1, .limit = 2});
  auto first = occupy();
  auto a = ask_and_wait({1}, 1);
  auto b = ask_and_wait({2}, 2);
  const Answer refused = ask({3});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  runner_.open();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(a.get());
  EXPECT_TRUE(b.get());
  EXPECT_EQ(runner_.sizes(), (std::vector<std::int64_t>{1, 1, 1}));
}

TEST_F(ModelQueueTest, GivesUpWaitingWhenTheTimeIsUp) {
  make({.runs = 1, .max_batch = 8});
  auto first = occupy();
  const Answer refused = ask({1}, steady_clock::now() + milliseconds(30));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(queue_->waiting(), 0U);
  runner_.open();
  EXPECT_TRUE(first.get());
  EXPECT_EQ(numbers(ask({4})), std::vector<float>{8});
}

TEST_F(ModelQueueTest, LeavesARunThatTakesTooLongToTheOthers) {
  make({.runs = 1, .max_batch = 8, .max_delay = std::chrono::seconds(10)});
  runner_.close();
  // Gathers until there are eight rows; the one in a hurry does not wait for the run to end.
  auto leader = ask_and_wait({1, 1, 1, 1}, 1);
  auto hurried =
      std::async(std::launch::async, [this] { return ask({2, 2, 2, 2}, steady_clock::now() + milliseconds(300)); });
  const Answer refused = hurried.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDeadlineExceeded);
  runner_.open();
  EXPECT_EQ(numbers(leader.get()), (std::vector<float>{2, 2, 2, 2}));
  EXPECT_EQ(runner_.sizes(), std::vector<std::int64_t>{8});
}

TEST_F(ModelQueueTest, WaitsNoLongerThanTheDelay) {
  make({.runs = 2, .max_batch = 8, .max_delay = milliseconds(20)});
  EXPECT_EQ(numbers(ask({1})), std::vector<float>{2});
  EXPECT_EQ(runner_.sizes(), std::vector<std::int64_t>{1});
}

TEST_F(ModelQueueTest, RunsNoMoreAtOnceThanItMay) {
  make({.runs = 2, .max_batch = 1});
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 200; ++i)
        EXPECT_EQ(numbers(ask({static_cast<float>(t)})), std::vector<float>{static_cast<float>(2 * t)});
    });
  }
  threads.clear();
  EXPECT_LE(runner_.most_at_once(), 2);
  EXPECT_EQ(queue_->waiting(), 0U);
}

// Everything at once: sizes, shapes that differ, bad rows, short times, a delay; nobody gets another's answer.
TEST_F(ModelQueueTest, NobodyGetsAnothersAnswer) {
  for (const int delay : {0, 200}) {
    make({.runs = 2, .max_batch = 8, .max_delay = std::chrono::microseconds(delay), .limit = 64});
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([this, t] {
        for (int i = 0; i < 200; ++i) {
          std::vector<float> rows(static_cast<std::size_t>(1 + (t + i) % 3));
          std::iota(rows.begin(), rows.end(), static_cast<float>(t * 1000 + i));
          const bool is_bad = i % 17 == 0;
          if (is_bad) rows[0] = -1;
          const bool is_hurried = i % 13 == 0;
          const Answer answer =
              ask(rows, is_hurried ? steady_clock::now() + std::chrono::microseconds(50) : in_a_minute());
          if (answer) {
            for (float& row : rows) row *= 2;
            EXPECT_EQ(values_of<float>(answer->at(0)), rows);
          } else {
            EXPECT_TRUE(is_bad || is_hurried) << answer.error().message;
          }
        }
      });
    }
    threads.clear();
    EXPECT_EQ(queue_->waiting(), 0U);
  }
}

}  // namespace
}  // namespace roost

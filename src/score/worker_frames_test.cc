#include "score/worker_frames.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "base/files.h"

namespace roost {
namespace {

struct Pair {
  Pair() {
    int ends[2];
    EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    a.reset(ends[0]);
    b.reset(ends[1]);
  }
  Fd a;
  Fd b;
};

const SteadyTime kNever = SteadyTime::max();

TEST(WorkerFrames, ArriveWhole) {
  Pair pair;
  const std::string large(5 << 20, 'x');
  std::jthread sending([&] {
    EXPECT_TRUE(send_frame({pair.a.get()}, {{"n", 1}}, "body", kNever));
    EXPECT_TRUE(send_frame({pair.a.get()}, {{"n", 2}}, "", kNever));
    EXPECT_TRUE(send_frame({pair.a.get()}, {{"n", 3}}, large, kNever));
  });
  for (int i = 1; i <= 3; ++i) {
    const auto frame = receive_frame({pair.b.get()}, large.size(), kNever);
    ASSERT_TRUE(frame) << frame.error().message;
    EXPECT_EQ(frame->head["n"], i);
    EXPECT_EQ(frame->body, i == 1 ? "body" : i == 2 ? "" : large);
  }
}

TEST(WorkerFrames, FailWithReasons) {
  Pair pair;
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  EXPECT_EQ(receive_frame({pair.b.get()}, 10, soon).error().code, ErrorCode::kDeadlineExceeded);
  ASSERT_TRUE(send_frame({pair.a.get()}, {{"n", 1}}, "longer than ten bytes", kNever));
  EXPECT_EQ(receive_frame({pair.b.get()}, 10, kNever).error().code, ErrorCode::kTooLarge);
  Pair other;
  ASSERT_EQ(14, ::write(other.a.get(), "\2\0\0\0\0\0\0\0\0\0\0\0[]", 14));
  EXPECT_EQ(receive_frame({other.b.get()}, 10, kNever).error().code, ErrorCode::kInvalidArgument);
  ASSERT_EQ(3, ::write(other.a.get(), "\2\0\0", 3));
  other.a.reset();
  EXPECT_EQ(receive_frame({other.b.get()}, 10, kNever).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(send_frame({other.b.get()}, {{"n", 1}}, "", kNever).error().code, ErrorCode::kUnavailable);
}

TEST(WorkerFrames, KnowsWhatTheOtherSideDidNotRead) {
  Pair read;
  ASSERT_TRUE(send_frame({read.a.get()}, {{"n", 1}}, "body", kNever));
  ASSERT_TRUE(receive_frame({read.b.get()}, 10, kNever));
  read.b.reset();
  EXPECT_FALSE(was_not_read(receive_frame({read.a.get()}, 10, kNever).error()));
  Pair unread;
  ASSERT_TRUE(send_frame({unread.a.get()}, {{"n", 1}}, "body", kNever));
  unread.b.reset();
  EXPECT_TRUE(was_not_read(receive_frame({unread.a.get()}, 10, kNever).error()));
  EXPECT_TRUE(was_not_read(send_frame({unread.a.get()}, {{"n", 1}}, "body", kNever).error()));
}

TEST(WorkerFrames, SendWaitsNoLongerThanTold) {
  Pair pair;
  const std::string large(5 << 20, 'x');
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  EXPECT_EQ(send_frame({pair.a.get()}, {}, large, soon).error().code, ErrorCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace roost

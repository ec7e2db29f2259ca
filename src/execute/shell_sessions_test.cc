#include "execute/shell_sessions.h"

#include <gtest/gtest.h>

#include "base/fake_clock.h"
#include "base/frames.h"

namespace roost {
namespace {

using Side = ShellSessions::Side;
using Sent = ShellSessions::Sent;

class Shells : public testing::Test {
 protected:
  std::string open(const std::string& run = "r1", std::int64_t port = 0, const std::string& user = "ann") {
    const auto opened = shells_.open({run, 1, "n1", user, port, Json::object()});
    EXPECT_TRUE(opened);
    return opened ? opened->id : "";
  }
  std::string both_there() {
    const std::string id = open();
    EXPECT_TRUE(shells_.follow(id, Side::kCaller));
    EXPECT_TRUE(shells_.follow(id, Side::kNode));
    return id;
  }
  Sent send(const std::string& id, Side from, std::string bytes) { return shells_.send(id, from, bytes); }
  std::string last_word(const std::string& id) {
    const auto received = shells_.receive(id, Side::kCaller);
    EXPECT_TRUE(received.is_over);
    std::string word;
    EXPECT_TRUE(each_frame(received.bytes, 1000, [&](const FrameView& frame) -> Status {
      if (text_at(frame.header, "k") == "end") word = text_at(frame.header, "error");
      return {};
    }));
    return word;
  }

  FakeClock clock_;
  ChangeHub hub_;
  ShellSessions shells_{clock_, hub_};
};

TEST_F(Shells, PassBytesBothWaysAndWakeWhoFollows) {
  const std::string id = both_there();
  int woken = 0;
  const auto watch = hub_.subscribe(ShellSessions::topic(id, Side::kNode), [&] { ++woken; });
  EXPECT_EQ(send(id, Side::kCaller, "a"), Sent::kTaken);
  EXPECT_EQ(send(id, Side::kCaller, "b"), Sent::kTaken);
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(shells_.receive(id, Side::kNode).bytes, "ab");
  EXPECT_EQ(send(id, Side::kNode, "c"), Sent::kTaken);
  EXPECT_EQ(shells_.receive(id, Side::kCaller).bytes, "c");
  EXPECT_FALSE(shells_.receive(id, Side::kCaller).is_over);
}

TEST_F(Shells, KeepNoMoreThanThereIsRoomFor) {
  const std::string id = both_there();
  const std::string piece(ShellSessions::kRoom / 2, 'x');
  EXPECT_EQ(send(id, Side::kNode, piece), Sent::kTaken);
  EXPECT_EQ(send(id, Side::kNode, piece), Sent::kTaken);
  int room = 0;
  const auto watch = hub_.subscribe(ShellSessions::topic(id, Side::kNode), [&] { ++room; });
  EXPECT_EQ(send(id, Side::kNode, "more"), Sent::kFull);
  EXPECT_EQ(shells_.receive(id, Side::kCaller).bytes.size(), ShellSessions::kRoom);
  EXPECT_EQ(room, 1);
  EXPECT_EQ(send(id, Side::kNode, "more"), Sent::kTaken);
}

TEST_F(Shells, EndWithTheLastWordOfTheNode) {
  const std::string id = both_there();
  std::string last = "the end";
  EXPECT_EQ(shells_.send(id, Side::kNode, last, true), Sent::kTaken);
  EXPECT_EQ(send(id, Side::kNode, "more"), Sent::kOver);
  shells_.unfollow(id, Side::kNode);
  const auto received = shells_.receive(id, Side::kCaller);
  EXPECT_EQ(received.bytes, "the end");  // and nothing about a connection
  EXPECT_TRUE(received.is_over);
  EXPECT_EQ(shells_.count("r1"), 0);
}

TEST_F(Shells, AreOnlyTheirs) {
  const std::string id = open();
  EXPECT_TRUE(shells_.check(id, Side::kCaller, "ann", "r1"));
  EXPECT_FALSE(shells_.check(id, Side::kCaller, "bob", "r1"));
  EXPECT_FALSE(shells_.check(id, Side::kCaller, "ann", "r2"));
  EXPECT_TRUE(shells_.check(id, Side::kNode, "n1", ""));
  EXPECT_FALSE(shells_.check(id, Side::kNode, "n2", ""));
  EXPECT_FALSE(shells_.check("nobody", Side::kCaller, "ann", "r1"));
  EXPECT_TRUE(shells_.follow(id, Side::kCaller));
  EXPECT_FALSE(shells_.follow(id, Side::kCaller));
}

TEST_F(Shells, AreToldToTheirNodeUntilItCame) {
  const std::string id = open();
  ASSERT_EQ(shells_.asked_of("n1").size(), 1U);
  EXPECT_TRUE(shells_.asked_of("n2").empty());
  EXPECT_TRUE(shells_.follow(id, Side::kNode));
  EXPECT_TRUE(shells_.asked_of("n1").empty());
}

TEST_F(Shells, GoWithTheCaller) {
  const std::string id = both_there();
  shells_.unfollow(id, Side::kCaller);
  EXPECT_TRUE(shells_.receive(id, Side::kNode).is_over);
  EXPECT_EQ(send(id, Side::kNode, "x"), Sent::kOver);
  EXPECT_EQ(shells_.count("r1"), 0);
}

TEST_F(Shells, SayWhyTheyEnded) {
  std::string id = both_there();
  shells_.unfollow(id, Side::kNode);
  EXPECT_NE(last_word(id).find("the connection to the run's node broke"), std::string::npos);
  id = both_there();
  shells_.end_of_run("r1", 1, "not these");
  shells_.end_of_run("r1", 0, "the run has ended");
  EXPECT_EQ(last_word(id), "the run has ended");
}

TEST_F(Shells, EndWhenNobodyUsesThem) {
  const std::string alone = open();
  const std::string unanswered = open();
  EXPECT_TRUE(shells_.follow(unanswered, Side::kCaller));
  const std::string used = both_there();
  clock_.pass(30 * kSecond);
  shells_.sweep();
  EXPECT_FALSE(shells_.check(alone, Side::kCaller, "ann", "r1"));
  EXPECT_EQ(last_word(unanswered), "node n1 did not answer");
  EXPECT_EQ(send(used, Side::kCaller, "x"), Sent::kTaken);
  clock_.pass(3000 * kSecond);
  shells_.sweep();
  EXPECT_FALSE(shells_.receive(used, Side::kNode).is_over);
  clock_.pass(700 * kSecond);
  shells_.sweep();
  EXPECT_NE(last_word(used).find("nothing was typed or printed for"), std::string::npos);
}

TEST_F(Shells, ARunHasOnlySoMany) {
  for (int i = 0; i < ShellSessions::kMostOfRun; ++i) open();
  const auto refused = shells_.open({"r1", 1, "n1", "ann", 0, Json::object()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(shells_.open({"r2", 1, "n1", "ann", 0, Json::object()}));
  EXPECT_TRUE(shells_.open({"r1", 1, "n1", "ann", 6006, Json::object()}));
}

TEST_F(Shells, APortIsNewsOnce) {
  const auto first = shells_.open({"r1", 1, "n1", "ann", 6006, Json::object()});
  const auto second = shells_.open({"r1", 1, "n1", "ann", 6006, Json::object()});
  const auto other = shells_.open({"r1", 1, "n1", "bob", 6006, Json::object()});
  EXPECT_TRUE(first->is_news);
  EXPECT_FALSE(second->is_news);
  EXPECT_TRUE(other->is_news);
}

}  // namespace
}  // namespace roost

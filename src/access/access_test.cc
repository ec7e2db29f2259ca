#include "access/access.h"

#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "base/fake_clock.h"
#include "base/text.h"
#include "records/attempt_records.h"
#include "records/test_database.h"

namespace roost {
namespace {

class AccessTest : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    access_ = std::make_unique<Access>(*db_, clock_, "secret");
  }
  FakeClock clock_;
  std::unique_ptr<Access> access_;
};

TEST_F(AccessTest, TheOwnersTokenIsMadeOnceAndOnlyTheOwnerCanReadIt) {
  const auto file = folder_ / "owner.token";
  ASSERT_TRUE(access_->ensure_owner_token(file));
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  const std::string token = read_file(file).value();
  ASSERT_TRUE(access_->ensure_owner_token(file));
  EXPECT_EQ(read_file(file).value(), token);
  EXPECT_EQ(access_->authenticate(trim(token))->role, Role::kOwner);
}

TEST_F(AccessTest, UnknownExpiredAndRevokedTokensAreRefused) {
  EXPECT_FALSE(access_->authenticate(""));
  EXPECT_FALSE(access_->authenticate("roost_made_up"));
  const auto brief = access_->create("brief", Role::kReader, 10 * kSecond);
  ASSERT_TRUE(access_->authenticate(brief->secret));
  clock_.wall += 11 * kSecond;
  EXPECT_EQ(access_->authenticate(brief->secret).error().code, ErrorCode::kUnauthenticated);
  const auto other = access_->create("other", Role::kContributor, std::nullopt);
  ASSERT_TRUE(access_->authenticate(other->secret));
  ASSERT_TRUE(access_->revoke(other->token.id));
  EXPECT_FALSE(access_->authenticate(other->secret));
  EXPECT_EQ(access_->revoke("absent").error().code, ErrorCode::kNotFound);
}

TEST_F(AccessTest, TheLastOwnersTokenThatIsGoodStays) {
  const auto first = access_->create("first", Role::kOwner, std::nullopt);
  const auto brief = access_->create("brief", Role::kOwner, 10 * kSecond);
  const auto other = access_->create("other", Role::kContributor, std::nullopt);
  ASSERT_TRUE(access_->revoke(other->token.id)) << "others do not count";
  clock_.wall += 11 * kSecond;
  const Status refused = access_->revoke(first->token.id);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition) << "the other owner's has expired";
  EXPECT_TRUE(access_->authenticate(first->secret));
  ASSERT_TRUE(access_->revoke(brief->token.id)) << "one that opens nothing goes";
  const auto second = access_->create("second", Role::kOwner, std::nullopt);
  ASSERT_TRUE(access_->revoke(first->token.id));
  EXPECT_FALSE(access_->revoke(second->token.id));
  ASSERT_TRUE(access_->revoke(first->token.id)) << "again changes nothing";
}

TEST_F(AccessTest, OfTwoRevocationsAtOnceOneFails) {
  for (int round = 0; round < 20; ++round) {
    const auto a = access_->create("a", Role::kOwner, std::nullopt);
    const auto b = access_->create("b", Role::kOwner, std::nullopt);
    std::atomic<int> done = 0;
    std::vector<std::thread> threads;
    for (const auto& id : {a->token.id, b->token.id}) {
      threads.emplace_back([&, id] { done += access_->revoke(id) ? 1 : 0; });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(done, 1);
    // The next round begins with none of them.
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(tx.run("DELETE FROM token"));
      return {};
    });
  }
}

TEST_F(AccessTest, OnlyHashesAreStored) {
  const auto made = access_->create("x", Role::kReader, std::nullopt);
  write([&](Tx& tx) -> Status {
    Rows rows = tx.query("SELECT count(*) FROM token WHERE hash = ? OR name = ?", made->secret,
                         made->secret);
    EXPECT_TRUE(rows.next());
    EXPECT_EQ(rows.integer(0), 0);
    return {};
  });
}

TEST_F(AccessTest, ANodesTokenOpensThatNode) {
  write([&](Tx& tx) {
    Node node;
    node.id = "a";
    return insert_node(tx, node, Access::hash(access_->node_token("a")));
  });
  EXPECT_EQ(access_->authenticate(access_->node_token("a"))->node, "a");
  EXPECT_FALSE(access_->authenticate(access_->node_token("b")));
}

TEST_F(AccessTest, ARunsTokenEndsWithItsAttempt) {
  const Run run = add_run();
  const std::string token = access_->attempt_token(run.id, 1);
  write([&](Tx& tx) -> Status {
    Attempt attempt;
    attempt.run = run.seq;
    attempt.attempt = 1;
    return insert_attempt(tx, attempt, {}, Access::hash(token), 1);
  });
  ASSERT_EQ(access_->authenticate(token)->run_row, run.seq);
  write([&](Tx& tx) { return close_attempt(tx, run.seq, 1); });
  EXPECT_FALSE(access_->authenticate(token));
}

TEST_F(AccessTest, WhoIsLookedUpDuringTheRevocationIsNotRememberedAfterIt) {
  for (int round = 0; round < 100; ++round) {
    const auto made = access_->create("brief", Role::kReader, std::nullopt);
    std::atomic<bool> stop = false;
    std::thread asker([&] {
      while (!stop) (void)access_->authenticate(made->secret);
    });
    ASSERT_TRUE(access_->revoke(made->token.id));
    stop = true;
    asker.join();
    ASSERT_FALSE(access_->authenticate(made->secret)) << round;
  }
}

}  // namespace
}  // namespace roost

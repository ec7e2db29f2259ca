#include "access/access.h"

#include <sys/stat.h>

#include "base/text.h"
#include "records/test_database.h"

namespace roost {
namespace {

class TurnedClock final : public Clock {
 public:
  Micros now() const override { return time; }
  Micros time = 1'000 * kSecond;
};

class AccessTest : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    access_ = std::make_unique<Access>(*db_, clock_, "secret");
  }
  TurnedClock clock_;
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
  clock_.time += 11 * kSecond;
  EXPECT_EQ(access_->authenticate(brief->secret).error().code, ErrorCode::kUnauthenticated);
  const auto other = access_->create("other", Role::kContributor, std::nullopt);
  ASSERT_TRUE(access_->authenticate(other->secret));
  ASSERT_TRUE(access_->revoke(other->token.id));
  EXPECT_FALSE(access_->authenticate(other->secret));
  EXPECT_EQ(access_->revoke("absent").error().code, ErrorCode::kNotFound);
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

}  // namespace
}  // namespace roost

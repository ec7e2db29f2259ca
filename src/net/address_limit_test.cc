#include "net/address_limit.h"

#include <gtest/gtest.h>

#include <vector>

namespace roost {
namespace {

using boost::asio::ip::make_address;

TEST(AddressLimit, OneAddressHasItsShareAndOthersTheirs) {
  AddressLimit limit(2);
  auto first = limit.enter(make_address("10.0.0.1"));
  const auto second = limit.enter(make_address("::ffff:10.0.0.1"));
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(limit.enter(make_address("10.0.0.1"))) << "also by its other name";
  EXPECT_TRUE(limit.enter(make_address("10.0.0.2")));
  first.reset();
  EXPECT_TRUE(limit.enter(make_address("10.0.0.1"))) << "what ended makes room";
}

TEST(AddressLimit, ANetworkOfIpv6IsOneAddress) {
  AddressLimit limit(1);
  const auto first = limit.enter(make_address("2001:db8::1"));
  ASSERT_TRUE(first);
  EXPECT_FALSE(limit.enter(make_address("2001:db8::ffff:2")));
  EXPECT_TRUE(limit.enter(make_address("2001:db8:0:1::1")));
  EXPECT_EQ(AddressLimit::name_of(make_address("2001:db8::1")), "2001:db8::/64");
}

TEST(AddressLimit, LoopbackHasMoreAndNoLimitIsNone) {
  for (const char* name : {"127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.3"}) {
    AddressLimit limit(1);
    std::vector<std::shared_ptr<void>> held;
    for (std::size_t i = 0; i < AddressLimit::kForLoopback; ++i) {
      held.push_back(limit.enter(make_address(name)));
      EXPECT_TRUE(held.back()) << name;
    }
    EXPECT_FALSE(limit.enter(make_address(name))) << name;
  }
  AddressLimit none(0);
  std::vector<std::shared_ptr<void>> held;
  for (int i = 0; i < 100; ++i) {
    held.push_back(none.enter(make_address("10.0.0.1")));
    EXPECT_TRUE(held.back());
  }
}

}  // namespace
}  // namespace roost

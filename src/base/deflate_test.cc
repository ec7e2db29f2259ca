#include "base/deflate.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace roost {
namespace {

std::string some_text() {
  std::string out;
  for (int i = 0; i < 20000; ++i) out += std::to_string(i * 7919) + ",";
  return out;
}

TEST(Deflate, ComesBackAsItWas) {
  for (const Encoding encoding : {Encoding::kGzip, Encoding::kDeflate, Encoding::kIdentity}) {
    for (const std::string& text : {std::string(), std::string("a"), some_text(), std::string(1 << 20, '\0')}) {
      const auto back = decompress(encoding, compress(encoding, text), 2 << 20);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(*back, text);
    }
  }
}

TEST(Deflate, BombIsRefusedAtTheLimit) {
  const std::string bomb = compress(Encoding::kGzip, std::string(64 << 20, '\0'));
  ASSERT_LT(bomb.size(), 1U << 20);
  const auto back = decompress(Encoding::kGzip, bomb, 1 << 20);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(decompress(Encoding::kGzip, bomb, 64 << 20));
  EXPECT_FALSE(decompress(Encoding::kGzip, bomb, (64 << 20) - 1));
}

TEST(Deflate, BrokenDataIsRefused) {
  for (const Encoding encoding : {Encoding::kGzip, Encoding::kDeflate}) {
    const std::string good = compress(encoding, some_text());
    for (const std::string& bad : {std::string(), std::string("x"), std::string("hello, world"), good.substr(0, good.size() - 1),
                                   good.substr(0, 10), good + "x"}) {
      const auto back = decompress(encoding, bad, 1 << 20);
      ASSERT_FALSE(back) << bad.size();
      EXPECT_EQ(back.error().code, ErrorCode::kInvalidArgument);
    }
  }
}

TEST(Deflate, SeveralMembersOfGzip) {
  const auto back = decompress(Encoding::kGzip, compress(Encoding::kGzip, "one ") + compress(Encoding::kGzip, "two"), 100);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, "one two");
}

TEST(Deflate, BareDeflateIsTakenToo) {
  const std::string whole = compress(Encoding::kDeflate, some_text());
  const auto back = decompress(Encoding::kDeflate, whole.substr(2, whole.size() - 6), 1 << 20);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, some_text());
}

TEST(Base64, BothWays) {
  const std::string bytes("\0\xff\x10 any\x80", 8);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::string text = base64_encode(bytes.substr(0, size));
    EXPECT_EQ(text.size() % 4, 0U);
    EXPECT_EQ(base64_decode(text), bytes.substr(0, size));
  }
  EXPECT_EQ(base64_encode("Man"), "TWFu");
  EXPECT_EQ(base64_encode("Ma"), "TWE=");
  EXPECT_EQ(base64_decode("TWE"), "Ma");
  EXPECT_EQ(base64_decode("__-_"), base64_decode("//+/"));
  for (const char* bad : {"T", "TWFu!", "TW\nFu", "====", "TWE=TWE="}) EXPECT_EQ(base64_decode(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace roost

#include "runner/secret_mask.h"

#include <gtest/gtest.h>

#include <random>

#include "runner/masked_places.h"

namespace roost {
namespace {

SecretMask mask_of(const std::vector<std::string>& secrets) {
  SecretMask mask;
  for (const auto& secret : secrets) mask.add(secret);
  return mask;
}

std::string masked(const SecretMask& mask, std::string_view text) {
  MaskedPlaces places;
  std::size_t taken = 0;
  return places.mask(mask, text, 0, true, taken);
}

TEST(Masks, SecretsWhereverTheyStand) {
  const SecretMask mask = mask_of({"hunter2", "hunter2-long", "another secret"});
  EXPECT_EQ(masked(mask, "hunter2"), "***");
  EXPECT_EQ(masked(mask, "hunter2hunter2"), "******");
  EXPECT_EQ(masked(mask, "a hunter2-long b hunter2-lon c another secret."), "a *** b ***-lon c ***.");
  EXPECT_EQ(masked(mask, "huntehunter2r2"), "hunte***r2");
  EXPECT_EQ(masked(mask, ""), "");
  EXPECT_EQ(masked(mask, "nothing of it: hunter1 anothersecret"), "nothing of it: hunter1 anothersecret");
}

TEST(Masks, LinesOfOneAreMaskedEachAndShortOnesNot) {
  const SecretMask mask = mask_of({"-----BEGIN KEY-----\r\nMIIEvQIBADANBg\n\nabc\n", "12345"});
  EXPECT_EQ(masked(mask, "-----BEGIN KEY-----\nMIIEvQIBADANBg\nabc 12345"), "***\n***\nabc 12345");
  EXPECT_TRUE(mask_of({"12345", "", "\n\n"}).empty());
}

TEST(Masks, ABeginningAtTheEndIsUndecided) {
  const SecretMask mask = mask_of({"hunter2", "hunter2-long"});
  EXPECT_EQ(mask.find("say hunt", false).undecided, 4u);
  EXPECT_EQ(mask.find("say hunter2", false).undecided, 4u) << "it may become the longer one";
  EXPECT_EQ(mask.find("say hunter2.", false).undecided, 12u);
  EXPECT_EQ(mask.find("say hunter2-x", false).undecided, 13u);
  EXPECT_EQ(mask.find("hunter2.h", false).undecided, 8u);
  EXPECT_EQ(mask.find("none", false).undecided, 4u);
}

TEST(Masks, WholeTextsAndAnyPiecesOfThemAreTheSame) {
  std::mt19937 random(7);
  const std::vector<std::string> secrets = {"abcabcab", "bcabca", "aaaaaaa", "cabcabcabcabc", "bbbbbbbbbb", "ccabab\nbababab"};
  const SecretMask mask = mask_of(secrets);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    while (text.size() < 200) text += random() % 4 == 0 ? secrets[random() % 5] : std::string(1, static_cast<char>('a' + random() % 3));
    const std::string whole = masked(mask, text);
    MaskedPlaces places;
    std::string sent;
    std::uint64_t written = 0;
    while (written < text.size()) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 40, text.size() - written);
      const bool is_last = written + size == text.size();
      std::size_t taken = 0;
      EXPECT_EQ(places.sent_of(written), sent.size());
      sent += places.mask(mask, std::string_view(text).substr(written, size), written, is_last, taken);
      written += taken;
      // What the server forgot is sent again, and becomes what it was.
      if (random() % 8 == 0 && !sent.empty()) {
        const std::uint64_t length = random() % (sent.size() + 1);
        written = places.written_of(length);
        const std::uint64_t from = places.sent_of(written);
        ASSERT_LE(from, length);
        ASSERT_LE(length - from, 3u);
        sent.resize(from);
      }
    }
    ASSERT_EQ(sent, whole) << text;
  }
}

}  // namespace
}  // namespace roost

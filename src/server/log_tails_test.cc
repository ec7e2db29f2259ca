#include "server/log_tails.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/files.h"

namespace roost {
namespace {

TEST(LogTails, WhatWasNotReadIsNotedAndReadOutside) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("tails-" + random_hex(4));
  LogStore logs(folder);
  ASSERT_TRUE(logs.append("run", 1, "a.txt", 0, "first\nlast\n"));
  ASSERT_TRUE(logs.append("run", 1, "long.txt", 0, std::string(100'000, 'x') + "\nend\n"));
  LogTails tails;
  EXPECT_FALSE(tails.is_incomplete());
  EXPECT_EQ(tails.of({"run", 1, "a.txt"}).text, "");
  EXPECT_EQ(tails.of({"run", 1, "none.txt"}).text, "");
  EXPECT_TRUE(tails.is_incomplete() && !tails.incomplete());

  tails.read_missing(logs);
  EXPECT_FALSE(tails.is_incomplete());
  EXPECT_EQ(tails.of({"run", 1, "a.txt"}).text, "first\nlast\n");
  EXPECT_EQ(tails.of({"run", 1, "a.txt"}).lines, (std::vector<std::string>{"first", "last"}));
  EXPECT_EQ(tails.of({"run", 1, "none.txt"}).text, "");
  EXPECT_FALSE(tails.is_incomplete()) << "one that is not there is known not to be there";

  EXPECT_EQ(tails.of({"run", 2, "a.txt"}).text, "") << "another attempt has others";
  (void)tails.of({"run", 1, "long.txt"});
  tails.read_missing(logs);
  EXPECT_EQ(tails.of({"run", 1, "long.txt"}).text.size(), 64U * 1024);
  EXPECT_EQ(tails.of({"run", 1, "long.txt"}).lines.back(), "end");
  ASSERT_TRUE(remove_tree(folder));
}

}  // namespace
}  // namespace roost

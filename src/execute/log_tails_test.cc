#include "execute/log_tails.h"

#include <gtest/gtest.h>

#include <map>

namespace roost {
namespace {

TEST(LogTails, WhatWasNotReadIsNotedAndReadOutside) {
  const std::map<std::string, std::string> logs = {{"a.txt", "first\nlast\n"}};
  std::vector<std::string> read;
  const ReadTail read_tail = [&](const LogTails::Name& name) {
    read.push_back(name.log);
    const auto found = logs.find(name.log);
    if (found == logs.end() || name.attempt != 1) return LogTails::Tail();
    return LogTails::Tail{found->second, {"first", "last"}};
  };
  LogTails tails;
  EXPECT_FALSE(tails.is_incomplete());
  EXPECT_EQ(tails.of({"run", 1, "a.txt"}).text, "");
  EXPECT_EQ(tails.of({"run", 1, "none.txt"}).text, "");
  EXPECT_TRUE(tails.is_incomplete() && !tails.incomplete());
  EXPECT_TRUE(read.empty()) << "nothing is read while it is asked for";

  tails.read_missing(read_tail);
  EXPECT_FALSE(tails.is_incomplete());
  EXPECT_EQ(tails.of({"run", 1, "a.txt"}).text, "first\nlast\n");
  EXPECT_EQ(tails.of({"run", 1, "a.txt"}).lines, (std::vector<std::string>{"first", "last"}));
  EXPECT_EQ(tails.of({"run", 1, "none.txt"}).text, "");
  EXPECT_FALSE(tails.is_incomplete()) << "one that is not there is known not to be there";

  EXPECT_EQ(tails.of({"run", 2, "a.txt"}).text, "") << "another attempt has others";
  tails.read_missing(read_tail);
  EXPECT_EQ(read, (std::vector<std::string>{"a.txt", "none.txt", "a.txt"})) << "each once";
}

}  // namespace
}  // namespace roost

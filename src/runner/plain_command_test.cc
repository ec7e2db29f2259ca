#include "runner/plain_command.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

using Words = std::vector<std::string>;

TEST(PlainCommand, WordsThatOnlyNameAProgramAndItsArguments) {
  EXPECT_EQ(plain_words("true", {}), Words{"true"});
  EXPECT_EQ(plain_words("  python  train.py\t--lr=0.1 -v ", {}), (Words{"python", "train.py", "--lr=0.1", "-v"}));
  EXPECT_EQ(plain_words("./run.sh a:b,c@d%e+f_g", {}), (Words{"./run.sh", "a:b,c@d%e+f_g"}));
}

TEST(PlainCommand, WhatAShellReadsNeedsAShell) {
  for (const char* line : {"", "   ", "a; b", "a | b", "a && b", "a & b", "a > f", "a < f", "echo $HOME", "a `b`", "a 'b'",
                           "a \"b\"", "a \\b", "a *.py", "a b?", "a [b]", "a {b,c}", "~/a", "a ~", "a # b", "!a", "(a)",
                           "a\nb", "A=1 b", "a ^b", "a \xc3\xa4"}) {
    EXPECT_FALSE(plain_words(line, {})) << line;
  }
}

TEST(PlainCommand, WhatAShellDoesItselfNeedsAShell) {
  for (const char* line : {"exit 3", "cd x", "echo hello", "test -f x", "kill 1", "time a", "source x", ". x", ": x",
                           "ulimit -n", "if", "exec a", "printf x", "pwd"}) {
    EXPECT_FALSE(plain_words(line, {})) << line;
  }
}

TEST(PlainCommand, AnEnvironmentThatChangesTheShellNeedsIt) {
  EXPECT_TRUE(plain_words("python x.py", {{"PATH", "/bin"}, {"BASH", "/bin/bash"}}));
  EXPECT_FALSE(plain_words("python x.py", {{"BASH_ENV", "/etc/profile"}}));
  EXPECT_FALSE(plain_words("python x.py", {{"BASH_FUNC_python%%", "() { false; }"}}));
}

}  // namespace
}  // namespace roost

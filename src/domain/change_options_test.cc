#include "domain/change_options.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

std::string changed(const std::string& line, const std::vector<std::string>& changes) {
  const auto words = command_words(line);
  if (!words) return "refused";
  const auto anew = change_options(*words, changes, true);
  return anew ? command_line_of(*anew) : "invalid";
}

TEST(ChangeOptions, OnesThatAreThereAreReplacedWhereTheyStand) {
  EXPECT_EQ(changed("python train.py --lr 0.5 --epochs 3", {"--lr", "0.1"}), "python train.py --lr 0.1 --epochs 3");
  EXPECT_EQ(changed("python train.py --lr=0.5 --epochs 3", {"--lr", "0.1"}), "python train.py --lr 0.1 --epochs 3");
  EXPECT_EQ(changed("python train.py --lr 0.5 data", {"--lr=0.1"}), "python train.py --lr=0.1 data");
  EXPECT_EQ(changed("python train.py --shift -0.5", {"--shift", "-1"}), "python train.py --shift -1");
  EXPECT_EQ(changed("python train.py --lr 1 --x 2 --lr 3 --y", {"--lr", "5"}), "python train.py --lr 5 --x 2 --y");
  EXPECT_EQ(changed("python train.py --layers 1 2 3 --x 2", {"--layers", "4", "5"}), "python train.py --layers 4 5 --x 2");
  EXPECT_EQ(changed("python train.py --fast data.csv", {"--fast"}), "python train.py --fast data.csv");
}

TEST(ChangeOptions, NewOnesAreAddedAtTheEnd) {
  EXPECT_EQ(changed("python train.py", {"--lr", "0.1", "--amp"}), "python train.py --lr 0.1 --amp");
  EXPECT_EQ(changed("python train.py --lr 1", {"--name", "two words"}), "python train.py --lr 1 --name 'two words'");
}

TEST(ChangeOptions, TheRestStaysAsItIsWritten) {
  EXPECT_EQ(changed("python train.py --data \"$DATA/a b\" --lr 1", {"--lr", "2"}), "python train.py --data \"$DATA/a b\" --lr 2");
  EXPECT_EQ(changed("python 'my script.py' --lr 1 \\--x", {"--lr", "2"}), "python 'my script.py' --lr 2 \\--x");
}

TEST(ChangeOptions, LinesOfSeveralCommandsAreRefused) {
  for (const char* line : {"a && b", "a | tee log", "a; b", "x=$(date)", "echo `date`", "(a)", "a > b", "LR=1 python a.py", "echo 'open",
                           "", "a\nb", "python a.py \"$(date)\""}) {
    EXPECT_EQ(changed(line, {"--lr", "1"}), "refused") << line;
  }
  EXPECT_EQ(changed("python a.py", {"lr", "1"}), "invalid");
  EXPECT_EQ(changed("python a.py --q 'a | b'", {"--lr", "1"}), "python a.py --q 'a | b' --lr 1");
}

}  // namespace
}  // namespace roost

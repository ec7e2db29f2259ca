#include "onnx/runtime.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(OrtThreads, KeepTheCoresBusyAndNoMore) {
  EXPECT_EQ((OrtThreads{1, 8}.pool()), 1);
  EXPECT_EQ((OrtThreads{1, 8}.runs()), 8);
  EXPECT_EQ((OrtThreads{4, 8}.runs()), 2);
  EXPECT_EQ((OrtThreads{16, 8}.runs()), 1);
  EXPECT_EQ((OrtThreads{0, 8}.runs()), 8);
  EXPECT_EQ((OrtThreads{0, 8}.pool()), 8);
  EXPECT_EQ((OrtThreads{0, 64}.pool()), kLargestPool);
}

TEST(RunsBeside, AreAsManyAsTheCoresThatOneLeaves) {
  EXPECT_EQ(runs_beside(0.04, 0.02, 2), 1);   // two threads at work
  EXPECT_EQ(runs_beside(0.04, 0.04, 2), 2);   // one
  EXPECT_EQ(runs_beside(0.08, 0.01, 64), 8);  // eight
  EXPECT_EQ(runs_beside(0.01, 0.02, 4), 4);
  EXPECT_EQ(runs_beside(1, 0, 4), 4);
}

TEST(UsableCores, AreAtLeastOne) { EXPECT_GE(usable_cores(), 1); }

}  // namespace
}  // namespace roost
